"""Reads pages strictly enough to find what is wrong with them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

VOID = {"meta", "link", "br", "img", "input", "hr", "col", "source"}
TABLE = {"table", "thead", "tbody", "tfoot", "tr", "th", "td"}
SVG_EMPTY = {"path", "rect", "circle", "line", "polyline", "use"}


@dataclass
class Page:
    """What a page contains."""

    faults: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)  # href and src
    tags: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    text: str = ""  # outside of scripts
    cells: list[list[str]] = field(default_factory=list)  # rows of all tables, in order


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self.open: list[str] = []
        self.captions: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        page = self.page
        names = [name for name, _ in attrs]
        if len(set(names)) < len(names):
            page.faults.append(f"<{tag}> has an attribute twice: {names}")
        found = {name: value or "" for name, value in attrs}
        page.tags.append((tag, found))
        page.links += [found[name] for name in ("href", "src") if name in found]
        if "id" in found:
            if found["id"] in page.ids:
                page.faults.append(f"id {found['id']!r} twice")
            page.ids.add(found["id"])
        for name in found:
            if name.startswith("on") or name == "style":
                page.faults.append(f"<{tag} {name}>")
        if tag in TABLE and "role" in found:
            page.faults.append(f"<{tag} role> repeats what it is, or denies it")
        if tag == "table":
            self.captions.append(False)
        elif tag == "caption":
            self.captions[-1] = True
        elif tag == "th" and "scope" not in found:
            page.faults.append("<th> without scope")
        elif tag == "svg" and not {"aria-hidden", "aria-label"} & found.keys():
            page.faults.append("<svg> that is neither named nor hidden")
        elif tag == "tr":
            page.cells.append([])
        elif tag == "td" and "tr" not in self.open:
            page.faults.append("<td> outside of a row")
        if tag in {"td", "th"}:
            page.cells[-1].append("")
        elif page.cells and page.cells[-1]:
            page.cells[-1][-1] += " "
        if tag not in VOID and not (tag in SVG_EMPTY and self.get_starttag_text().endswith("/>")):  # type: ignore[union-attr]
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.page.faults.append(f"</{tag}> closes {self.open[-3:]}")
            return
        self.open.pop()
        if tag in {"td", "th"}:
            self.page.cells[-1][-1] = " ".join(self.page.cells[-1][-1].split())
        if tag == "table" and not self.captions.pop():
            self.page.faults.append("<table> without caption")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            return
        self.page.text += data
        if self.page.cells and ("td" in self.open or "th" in self.open):
            self.page.cells[-1][-1] += data


def read_page(text: str) -> Page:
    """The page, with everything that is wrong with it."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    if reader.open:
        reader.page.faults.append(f"never closed: {reader.open}")
    return reader.page


def tree(directory: Path) -> dict[str, bytes]:
    """Every file of a site by its relative path."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def pages(directory: Path) -> dict[Path, Page]:
    """Every page of a site, read."""
    return {path: read_page(path.read_text("utf-8")) for path in sorted(directory.rglob("*.html"))}


def target_of(source: Path, link: str) -> tuple[Path, str]:
    """The file that a link on the page leads to, and the anchor in it."""
    path, _, anchor = link.partition("#")
    return ((source.parent / unquote(path)).resolve() if path else source.resolve()), anchor
