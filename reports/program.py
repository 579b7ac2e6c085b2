"""Which program makes the pages: another version of it makes them anew."""

import hashlib
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

ROOMS: Final = ("reports", "arena/rules", "arena/stats", "arena/store")
SUFFIXES: Final = {".py", ".html", ".css", ".js", ".svg"}
LIBRARIES: Final = ("jinja2", "markupsafe", "numpy")


@cache
def program() -> str:
    """A digest of all code, templates and libraries that have a part in a page, hex."""
    digest = hashlib.sha256(sys.version.encode())
    for library in LIBRARIES:
        digest.update(f"{library} {version(library)}\n".encode())
    root = Path(__file__).parent.parent
    for room in ROOMS:
        for file in sorted((root / room).rglob("*")):
            if file.suffix in SUFFIXES:
                data = file.read_bytes()
                digest.update(f"{file.relative_to(root).as_posix()} {len(data)}\n".encode() + data)
    return digest.hexdigest()
