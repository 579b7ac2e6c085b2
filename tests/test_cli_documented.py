"""Every command and every option is told of in the documents, where its command is."""

import re
from pathlib import Path

from tests.commands import Arena

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SECTIONS = [part for page in PAGES for part in re.split(r"\n(?=#+ )", page.read_text(encoding="utf-8"))]


def commands(arena: Arena, *group: str) -> list[tuple[str, ...]]:
    """The words of each, as help lists them."""
    listed = arena(*group, "--help").stdout.partition("Commands:\n")[2]
    return [(*group, name) for name in re.findall(r"^  (\w+) ", listed, re.MULTILINE)]


def test_every_command_and_option_is_in_the_documents(arena: Arena) -> None:
    found = [one for one in commands(arena) if one != ("bots",)] + commands(arena, "bots")
    assert len(found) > 25
    missing = []
    for words in found:
        # `arena bots suspend` is also one of "`arena bots admit` …, `suspend` and `resume`".
        named = rf"arena {' '.join(words)}\b" if len(words) == 1 else rf"`(arena bots )?{words[1]}\b"
        about = "\n".join(part for part in SECTIONS if re.search(named, part))
        options = re.findall(r"^  (--[\w-]+)", arena(*words, "--help").stdout, re.MULTILINE)
        wanted = [option for option in options if option != "--help"]
        missing += [(*words, one) for one in wanted if not re.search(rf"{one}(?![\w-])", about)]
        missing += [] if about else [words]
    assert missing == []
