"""A league's database as a site that works from a directory: no server, no network, the same bytes every time."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Final

from sqlmodel import Session

from arena.store.digest import digests
from reports.files import Files
from reports.paths import static, trees
from reports.program import program

STATIC: Final = ("site.css", "site.js", "replay.css", "cards.js", "deal.js", "keys.js", "replay.js", "icon.svg")


def write_site(session: Session, *, directory: Path, lang: str = "en") -> Path:
    """Write every league of the database to ``directory`` and return the path of the first page.

    ``lang`` is the language of the first page; the other is one click away. Files that would be the same are left
    alone, what has no source any more is removed; where no row has changed since last time, that is all. OSError,
    with the path, where the directory cannot be written; ValueError for an unknown language.
    """
    languages = trees(lang)
    try:
        files = Files(directory)
        with _uncollected():
            # Before anything else is read: what is written in the meantime is then seen to be new next time.
            found = digests(session=session)
            source = f"{program()} {lang} {[(league, one.everything) for league, one in found.items()]}"
            if not files.are_of(source):
                # What makes pages takes as long to import as it takes to find that none is to be made.
                from reports.leagues import put_leagues

                folder = resources.files("reports") / "static"
                for name in STATIC:
                    files.put(static(name), None, (folder / name).read_text)
                put_leagues(session, files, languages, found)
                files.write(source)
    except OSError as error:
        # The name of a temporary file would say nothing to who called.
        raise OSError(error.errno, f"the site cannot be written: {error.strerror}", str(directory)) from error
    return directory / "index.html"


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the collector of cycles: a million rows that are all in use would be searched again and again."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
