"""The files of a site: written whole or not at all, and only where something has changed."""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple, TypeVar, cast

from reports.shared import shared

MANIFEST: Final = "manifest.json"
BEFORE: Final = "manifest.before.json"  # it is called so while files are written, or when that was cut off


R = TypeVar("R")


class _Made(NamedTuple):
    """A file that was due."""

    path: str
    digest: str  # of its key, or of itself where it has none
    written: bool  # it was not there or was different


class Files:
    """A directory that a site is written to.

    The manifest in it names what every file was made from, so that a file whose sources are the same is not even
    rendered, and what an earlier run left behind can be removed without touching anything that is not the site's.
    After a run that was cut off it is not known what files are made from: all of them are made again.
    """

    def __init__(self, directory: Path) -> None:
        """Read the manifest, if there is one. OSError, with the path, where the directory cannot be made."""
        self._directory = directory
        self._there: dict[str, set[str]] = {}  # by folder, what is in it
        if MANIFEST in self._names(""):
            self._source, self._before = _manifest(directory / MANIFEST)
        else:
            self._source, self._before = "", dict.fromkeys(_manifest(directory / BEFORE)[1], "")
        self._now: dict[str, str] = {}
        self._due: list[Callable[[], _Made]] = []
        self._due_here: list[Callable[[], _Made]] = []
        self._work: Callable[[], object] = lambda: None
        self._put_more: Callable[[object], None] = lambda _: None
        self._begun = False
        self.written = 0  # files that were not there or were different

    def are_of(self, source: str) -> bool:
        """Whether the site has been made from this, and is whole. ``source`` names all that goes into it."""
        return self._source == source and all(map(self._exists, self._before))

    def put(self, path: str, key: str | None, make: Callable[[], str], *, here: bool = False) -> None:
        """The file at ``path`` (relative, with slashes) is what ``make`` gives, when all is written.

        It is made only if ``key``, which must name all that goes into it, is another than last time; None: always.
        ``here``: in no other process, as it reads the database.
        """
        assert path not in self._now, f"{path} is put twice"
        digest = "" if key is None else _digest(key.encode())
        self._now[path] = digest
        if key is None or self._before.get(path) != digest or not self._exists(path):
            (self._due_here if here else self._due).append(partial(self._make, path, digest, make))

    def put_after(self, work: Callable[[], R], put: Callable[[R], None]) -> None:
        """``put`` puts the files that are made of what ``work`` gives. Both may be done in two processes, and what the
        work gives is handed from one to the other.
        """

        def put_more(found: object) -> None:
            put(cast(R, found))

        self._work, self._put_more = work, put_more

    def write(self, source: str) -> None:
        """Make what is due, remove what the site no longer has, write the manifest: all is made from ``source``."""
        for path, digest, written in shared(self._due_here, self._due, self._work, self._more):
            self._now[path] = digest
            self.written += written
        for path in sorted(self._before.keys() - self._now.keys()):
            self._begin()
            self._remove(path)
        text = json.dumps({"source": source, "files": self._now}, separators=(",\n", ":"), sort_keys=True)
        self._replace(MANIFEST, text.encode())
        (self._directory / BEFORE).unlink(missing_ok=True)

    def _more(self, found: object) -> Sequence[Callable[[], "_Made"]]:
        self._due = []
        self._put_more(found)
        return self._due

    def _make(self, path: str, digest: str, make: Callable[[], str]) -> "_Made":
        data = make().encode()
        return _Made(path, digest or _digest(data), self._write(path, data))

    def _exists(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return name in self._names(folder)

    def _names(self, folder: str) -> set[str]:
        """What is in the folder, which is made if need be; looked up once, not once a file."""
        names = self._there.get(folder)
        if names is None:
            place = self._directory / PurePosixPath(folder)
            place.mkdir(parents=True, exist_ok=True)
            names = self._there[folder] = set(os.listdir(place))
        return names

    def _write(self, path: str, data: bytes) -> bool:
        """False where that is what it is already."""
        if self._exists(path):
            place = self._place(path)
            with suppress(FileNotFoundError):  # somebody has removed it since
                if os.stat(place).st_size == len(data):  # to open a file takes far longer
                    with open(place, "rb") as file:
                        if file.read() == data:
                            return False
        self._begin()
        self._replace(path, data)
        return True

    def _begin(self) -> None:
        """From the first change on, what the manifest says is not so."""
        if not self._begun:
            self._begun = True
            with suppress(FileNotFoundError):
                os.replace(self._directory / MANIFEST, self._directory / BEFORE)

    def _replace(self, path: str, data: bytes) -> None:
        """Through a file beside it, so that a reader never sees half a page."""
        folder, _, name = path.rpartition("/")
        beside = self._place(f"{folder}/.{name}.{os.getpid()}.tmp")
        try:
            with open(beside, "wb") as file:
                file.write(data)
            os.replace(beside, self._place(path))
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(beside)
            raise

    def _remove(self, path: str) -> None:
        """With the folders that it leaves empty; any of it may be gone already."""
        gone = self._directory / PurePosixPath(path)
        gone.unlink(missing_ok=True)
        for folder in gone.parents[: path.count("/")]:
            if folder.is_dir():
                if any(folder.iterdir()):
                    break
                folder.rmdir()

    def _place(self, path: str) -> str:
        """As a text: `pathlib` takes longer than the disk."""
        return f"{self._directory}/{path}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:24]


def _manifest(path: Path) -> tuple[str, dict[str, str]]:
    """From what the site was made, and by path, from what each file. A manifest that is damaged or forged counts as
    none.
    """
    try:
        found = json.loads(path.read_text("utf-8"))
        source, files = found["source"], found["files"].items()
    except (FileNotFoundError, ValueError, TypeError, LookupError, AttributeError):
        return "", {}
    return source if isinstance(source, str) else "", {
        name: key for name, key in files if isinstance(key, str) and {"", ".", ".."}.isdisjoint(name.split("/"))
    }
