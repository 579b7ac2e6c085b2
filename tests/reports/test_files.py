"""Files are whole or not there, and only what changes is written."""

import os
import shutil
from pathlib import Path

import pytest

from reports.files import BEFORE, MANIFEST, Files


def never() -> str:
    raise AssertionError("made, although its sources are the same")


def test_what_has_the_same_sources_is_not_made_again(tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.put("a/b.html", "key", lambda: "text")
    files.write("source")
    again = Files(tmp_path)
    again.put("a/b.html", "key", never)
    again.write("source")
    assert again.written == 0
    assert (tmp_path / "a" / "b.html").read_text() == "text"


def test_other_sources_make_it_anew(tmp_path: Path) -> None:
    for key, text in (("one", "1"), ("two", "2")):
        files = Files(tmp_path)
        files.put("page", key, lambda text=text: text)  # type: ignore[misc]
        files.write("source")
    assert (tmp_path / "page").read_text() == "2"


def test_a_file_that_was_deleted_comes_back(tmp_path: Path) -> None:
    for _ in range(2):
        files = Files(tmp_path)
        files.put("page", "key", lambda: "text")
        files.write("source")
        assert (tmp_path / "page").read_text() == "text"
        (tmp_path / "page").unlink()


def test_a_failure_leaves_the_old_page_whole_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = Files(tmp_path)
    files.put("page", None, lambda: "old")
    files.write("source")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", refuse)
    files = Files(tmp_path)
    files.put("page", None, lambda: "new")
    with pytest.raises(OSError, match="No space"):
        files.write("source")
    assert (tmp_path / "page").read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} <= {MANIFEST, BEFORE, "page"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "not json",
        '{"source": "source", "files": ["../outside"]}',
        '{"source": 3, "files": {"../outside": "key", "/etc/x": "k", "": "k", "in": 3}}',
    ],
)
def test_a_damaged_or_forged_manifest_removes_nothing_outside(tmp_path: Path, text: str) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (tmp_path / "outside").write_text("mine")
    (site / MANIFEST).write_text(text)
    files = Files(site)
    files.put("page", "key", lambda: "text")
    files.write("source")
    assert (tmp_path / "outside").read_text() == "mine"
    assert (site / "page").read_text() == "text"


def written(directory: Path, *paths: str) -> None:
    files = Files(directory)
    for path in paths:
        files.put(path, None, lambda: "text")
    files.write("source")


def test_folders_go_with_the_last_of_their_files(tmp_path: Path) -> None:
    written(tmp_path, "page", "ru/index", "ru/league-1/a", "ru/league-1/b", "deals/league-1/0.js")
    (tmp_path / "deals" / "notes").write_text("the user's own")
    written(tmp_path, "page")
    assert {path.name for path in tmp_path.rglob("*")} == {MANIFEST, "page", "deals", "notes"}


@pytest.mark.parametrize("gone", ["ru", "ru/league-1"])
def test_what_is_to_be_removed_may_be_gone_already(gone: str, tmp_path: Path) -> None:
    written(tmp_path, "page", "ru/page", "ru/league-1/a")
    shutil.rmtree(tmp_path / gone)
    written(tmp_path, "page")
    assert {path.name for path in tmp_path.rglob("*")} == {MANIFEST, "page"}


def test_pages_may_be_read_by_whom_the_umask_allows(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        files = Files(tmp_path)
        files.put("page", None, lambda: "text")
        files.write("source")
    finally:
        os.umask(before)
    assert (tmp_path / "page").stat().st_mode & 0o777 == 0o644
