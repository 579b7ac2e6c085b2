"""The files of a site: written whole or not at all, and only where something has changed."""

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

MANIFEST: Final = "manifest.json"


class Files:
    """A directory that a site is written to.

    The manifest in it names what every file was made from, so that a file whose sources are the same is not even
    rendered, and what an earlier run left behind can be removed without touching anything that is not the site's.
    """

    def __init__(self, directory: Path) -> None:
        """Read the manifest, if there is one. OSError, with the path, where the directory cannot be made."""
        self._directory = directory
        self._there: dict[str, set[str]] = {}  # by folder, what is in it
        self._before = _manifest(directory / MANIFEST)
        self._now: dict[str, str] = {}
        self.written = 0  # files that were not there or were different
        self._names("")

    def put(self, path: str, key: str | None, make: Callable[[], str]) -> None:
        """The file at ``path`` (relative, with slashes) is what ``make`` gives.

        It is made only if ``key``, which must name all that goes into it, is another than last time; None: always.
        """
        assert path not in self._now, f"{path} is written twice"
        if key is not None:
            self._now[path] = _digest(key.encode())
            if not self.is_due(path, key):
                return
        data = make().encode()
        if key is None:
            self._now[path] = _digest(data)
        self._write(path, data)

    def is_due(self, path: str, key: str) -> bool:
        """Whether ``put`` would make the file."""
        return self._before.get(path) != _digest(key.encode()) or not self._exists(path)

    def close(self) -> None:
        """Remove what the site no longer has, write the manifest."""
        for path in sorted(self._before.keys() - self._now.keys()):
            gone = self._directory / PurePosixPath(path)
            gone.unlink(missing_ok=True)
            if gone.parent != self._directory and not any(gone.parent.iterdir()):
                gone.parent.rmdir()
        text = json.dumps(self._now, separators=(",\n", ":"), sort_keys=True)
        self._write(MANIFEST, text.encode())

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

    def _write(self, path: str, data: bytes) -> None:
        """Through a file beside it, so that a reader never sees half a page."""
        target = self._directory / PurePosixPath(path)
        if self._exists(path):
            with suppress(FileNotFoundError):  # somebody has removed it since
                if target.read_bytes() == data:
                    return
        beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            beside.write_bytes(data)
            os.replace(beside, target)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
        self.written += 1


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:24]


def _manifest(path: Path) -> dict[str, str]:
    """By path: from what it was made. A manifest that is damaged or forged counts as none."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        name: key
        for name, key in found.items()
        if isinstance(key, str) and not name.startswith("/") and ".." not in name.split("/")
    }
