"""Only what we have started is ended, by its handle: nothing is looked for by its name."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BY_NAME = re.compile(r"\b(pkill|killall|pgrep|pidof|process_iter|taskkill)\b")
FILES = [
    path
    for top in ("arena", "reports", "reference_bots", "docs", ".ci")
    for path in sorted((ROOT / top).rglob("*"))
    if path.suffix in {".py", ".js", ".sh", ".md", ".toml"} and "node_modules" not in path.parts
] + [ROOT / "Makefile", ROOT / "README.md"]


def test_the_pattern_finds_what_it_is_for() -> None:
    assert BY_NAME.search("subprocess.run(['pkill', '-f', 'random_bot'])")
    assert len(FILES) > 100


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_is_ended_by_name(path: Path) -> None:
    assert BY_NAME.findall(path.read_text(encoding="utf-8")) == []
