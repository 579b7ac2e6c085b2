"""Who may know whom: the rooms of the house, read from the imports."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

CORE = ("arena.clock", "arena.fault", "arena.seat", "arena.referee", "arena.table", "arena.house", "arena.lag")
GRPC = ("grpc", "grpc_health", "grpc_reflection")
SQL = ("sqlmodel", "sqlalchemy", "alembic")
# Longest prefix first decides the room; each room may import itself, the standard library and what is listed.
ROOMS: dict[str, tuple[str, ...]] = {
    "arena.v1": ("google.protobuf",),
    "arena.rules": (),
    "arena.gateway": ("arena.v1", "arena.rules", *CORE, *GRPC, "google", "trio", "outcome"),
    "arena.bot": (
        "arena.v1", "arena.rules", "arena.gateway.wire", "arena.gateway.pem", "grpc", "grpc_health", "google",
    ),
    "arena.stats": ("numpy",),
    "arena.store": (*SQL, "trio", "arena.rules", "arena.table", "arena.stats", "arena.league.schedule"),
    "arena.league": ("arena.rules", *CORE, "arena.store", "arena.stats", "pydantic", "sqlmodel", "sqlalchemy", "trio"),
    "arena.cli": (
        "arena", "reports", "typer", "rich", "structlog", "prometheus_client", "sqlmodel", "sqlalchemy", "trio",
        "pyspiel",
    ),
    "arena": ("arena.rules", *CORE, "trio"),
    "reports": ("arena.store", "arena.stats", "arena.rules", "jinja2", "markupsafe", "sqlmodel"),
    "reference_bots": ("arena.bot", "arena.rules"),
}  # fmt: skip
PURE = ("arena.rules", "arena.stats")
IMPURE = {"time", "socket", "subprocess", "threading", "asyncio", "os", "pathlib", "secrets", "datetime", "sqlite3"}


def modules() -> list[tuple[str, Path]]:
    found = []
    for top in ("arena", "reports", "reference_bots"):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found.append((".".join(part for part in parts if part != "__init__"), path))
    return found


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def room_of(module: str) -> str:
    return max((room for room in ROOMS if within(module, room)), key=len)


def within(module: str, prefix: str) -> bool:
    return module == prefix or module.startswith(prefix + ".")


def standard(module: str) -> bool:
    return module.split(".")[0] in sys.stdlib_module_names


@pytest.mark.parametrize(("module", "path"), modules(), ids=lambda value: value if isinstance(value, str) else "")
def test_module_imports_only_what_its_room_may_know(module: str, path: Path) -> None:
    room = room_of(module)
    allowed = (room, *ROOMS[room])
    for name in sorted(imports(path)):
        known = any(within(name, one) or within(one, name) for one in allowed)
        if room == "arena" and within(name, "arena") and name != "arena":
            known = any(within(name, one) for one in ROOMS["arena"])
        assert standard(name) or known, f"{module} ({room}) imports {name}"
    if room in PURE:
        assert not {name.split(".")[0] for name in imports(path)} & IMPURE


def test_grpc_is_known_in_its_room_only() -> None:
    knowing = {room_of(module) for module, path in modules() if any(within(one, "grpc") for one in imports(path))}
    assert knowing == {"arena.gateway", "arena.bot"}


def test_only_the_bridge_knows_both_loops() -> None:
    both = [module for module, path in modules() if {"asyncio", "trio"} <= {one.split(".")[0] for one in imports(path)}]
    assert set(both) <= {"arena.gateway.bridge", "arena.gateway.server"}
