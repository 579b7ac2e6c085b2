"""The committed stubs are what `make proto` makes of the contract."""

import re
import sys
import tomllib
from importlib import resources
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROTOS = sorted(str(path.relative_to(ROOT / "proto")) for path in (ROOT / "proto").rglob("*.proto"))


def test_stubs_are_current(tmp_path: Path) -> None:
    protoc = pytest.importorskip("grpc_tools.protoc", reason="grpcio-tools is not installed (make test installs it)")
    well_known = resources.files("grpc_tools") / "_proto"
    plugin = Path(sys.executable).with_name("protoc-gen-mypy")
    status = protoc.main(
        [
            "protoc",
            f"-I{ROOT / 'proto'}",
            f"-I{well_known}",
            f"--python_out={tmp_path}",
            f"--mypy_out=quiet:{tmp_path}",
            f"--plugin=protoc-gen-mypy={plugin}",
            *PROTOS,
        ]
    )
    assert status == 0
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.py*"))
    assert len(made) == 2 * len(PROTOS)
    for path in made:
        assert (ROOT / path).read_text() == (tmp_path / path).read_text(), f"{path} is stale: run make proto"


def test_the_oldest_runtime_that_is_declared_is_that_of_the_stubs() -> None:
    """An older one would refuse them when they are imported."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    (floor,) = [one for one in declared if one.startswith("protobuf")]
    stubs = (ROOT / "arena" / "v1" / "arena_pb2.py").read_text()
    (version,) = re.findall(r"^# Protobuf Python Version: (.+)$", stubs, re.MULTILINE)
    assert floor == f"protobuf>={version}"
