"""The book of submitted bots: invitations, names, and the hashes of tokens, in one JSON file.

It is a file and no table of the database, because bots outlive leagues, and because a database is passed around while
this must not be: for a bot that is dialled, a token's hash is as good as the token. It is readable by its owner only,
replaced as a whole, and changed under a lock, so that the commands work beside a running arena.
"""

import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import re
import secrets
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")

FORMAT: Final = "hearts-arena/bots@1"
NAME_LENGTH: Final = 64  # characters
_RESERVED: Final = re.compile(r"house( ?\d+)?")  # bots that fill up tables


class SubmissionError(Exception):
    """Why something cannot be done with the book, in one line."""


class Wrong(Enum):
    """What is wrong with a submission."""

    INVITE = "invite"
    TAKEN = "taken"
    NAME = "name"


class NotEntered(SubmissionError):  # noqa: N818
    """Why a bot is not entered, as its author may be told."""

    def __init__(self, wrong: Wrong, reason: str) -> None:
        """``reason`` is one line."""
        super().__init__(reason)
        self.wrong = wrong


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot that may play."""

    name: str
    token: str  # its SHA-256, in hexadecimal
    address: str = ""  # "HOST:PORT" to be dialled; "": it dials in
    tables: int = 0  # the most at once; 0: what it says itself
    variants: tuple[str, ...] = ()  # that it plays; empty: whatever there is
    software: str = ""
    suspended: bool = False

    @property
    def key(self) -> bytes:
        """The token's SHA-256."""
        return bytes.fromhex(self.token)


@dataclass(frozen=True, slots=True)
class Book:
    """All that is in the file."""

    invites: tuple[str, ...] = ()  # SHA-256 of those that are not used, in hexadecimal
    bots: tuple[Bot, ...] = ()  # in the order in which they came

    def find(self, name: str) -> Bot:
        """The bot of that name; SubmissionError where there is none."""
        for bot in self.bots:
            if bot.name == name:
                return bot
        near = [bot.name for bot in self.bots if outline(bot.name) == outline(name)]
        raise SubmissionError(f"there is no bot {name!r}{f'; there is {near[0]!r}' if near else ''}")


def outline(name: str) -> str:
    """What names that look alike have in common: without case, compatible forms, and repeated blanks."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(folded.split())


def name_problem(name: str) -> str:
    """What is wrong with a name by itself, "" for nothing."""
    if not 1 <= len(name) <= NAME_LENGTH or name != name.strip():
        return f"a name has 1 to {NAME_LENGTH} characters and no blanks around it"
    if not name.isprintable():  # control and direction characters, and what is no character
        return "a name has printable characters only"
    if unicodedata.category(name[0]).startswith("M") or not any(char.isalnum() for char in name):
        return "a name has a letter or a digit, and does not begin with an accent alone"
    if _RESERVED.fullmatch(outline(name)):
        return "this name is kept for the bots of the house"
    return ""


def digest(secret: str) -> str:
    """What is kept of a token or an invitation."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


class Registry:
    """The file. Reading is quick where it has not changed; every change is durable when its method returns."""

    def __init__(self, path: Path) -> None:
        """The file need not exist before the first change."""
        self.path: Final = path
        self._known: tuple[tuple[int, int, int] | None, Book] = (None, Book())  # which file, and what was in it

    def book(self) -> Book:
        """What is in the file now; SubmissionError in one line where it cannot be read."""
        try:
            state = self.path.stat()
            seen = (state.st_ino, state.st_size, state.st_mtime_ns)
            known = self._known
            if seen != known[0]:
                self._known = known = (seen, _parsed(self.path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            self._known = known = (None, Book())
        except OSError as error:
            raise SubmissionError(f"{self.path}: {error.strerror}") from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise SubmissionError(f"{self.path}: not a book of bots: {' '.join(str(error).split())[:100]}") from None
        return known[1]

    def last_good(self) -> Book:
        """As `book`, and where that cannot be read now, what was in it before: a running arena plays on."""
        try:
            return self.book()
        except SubmissionError:
            return self._known[1]

    def authenticate(self, token: str) -> str | None:
        """The name that the token belongs to; None for no token of ours, and for one of a suspended bot.

        Takes as long for every token.
        """
        given = digest(token)
        found = None
        for bot in self.last_good().bots:
            if hmac.compare_digest(bot.token, given) and not bot.suspended:
                found = bot.name
        return found

    def invite(self) -> str:
        """A new invitation, good once. It is not kept, only its hash."""
        code = secrets.token_hex(16)  # no dash in front, which a command line would take for an option
        self._change(lambda book: (replace(book, invites=(*book.invites, digest(code))), code))
        return code

    def enter(self, bot: Bot, invite: str | None, taken: tuple[str, ...] = ()) -> str:
        """Enter a bot, whose ``token`` is not looked at, and return its new token.

        ``invite`` is used up, unless None, which is for the operator; ``taken`` are names besides the book's.
        NotEntered where that cannot be, and then the invitation stays good.
        """
        token = secrets.token_urlsafe(24)

        def change(book: Book) -> tuple[Book, str]:
            left = book.invites
            if invite is not None:
                given = digest(invite)
                left = tuple(known for known in book.invites if not hmac.compare_digest(known, given))
                if len(left) == len(book.invites):
                    raise NotEntered(Wrong.INVITE, "this invitation is not known here, or was used")
            problem = name_problem(bot.name)
            if problem:
                raise NotEntered(Wrong.NAME, f"{problem}: {bot.name[:80]!a}")
            for name in (*(one.name for one in book.bots), *taken):
                if outline(name) == outline(bot.name):
                    raise NotEntered(Wrong.TAKEN, f"the name {bot.name!r} is taken, or looks like {name!r}")
            return Book(left, (*book.bots, replace(bot, token=digest(token), suspended=False))), token

        return self._change(change)

    def suspend(self, name: str, *, suspended: bool = True) -> None:
        """The bot is let in no more, or again."""
        self._alter(name, lambda bot: replace(bot, suspended=suspended))

    def rotate(self, name: str) -> str:
        """A new token; the old one is good no more."""
        token = secrets.token_urlsafe(24)
        self._alter(name, lambda bot: replace(bot, token=digest(token)))
        return token

    def _alter(self, name: str, change: Callable[[Bot], Bot]) -> None:
        def changed(book: Book) -> tuple[Book, None]:
            found = book.find(name)
            return replace(book, bots=tuple(change(bot) if bot is found else bot for bot in book.bots)), None

        self._change(changed)

    def _change(self, change: Callable[[Book], tuple[Book, T]]) -> T:
        with self._locked():
            self._known = (None, self._known[1])
            book, result = change(self.book())
            self._write(book)
        return result

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        path = self.path.with_name(self.path.name + ".lock")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise SubmissionError(f"{path}: {error.strerror}") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _write(self, book: Book) -> None:
        text = json.dumps({"format": FORMAT, **asdict(book)}, indent=1, ensure_ascii=False)
        new = self.path.with_name(self.path.name + ".new")
        try:
            new.unlink(missing_ok=True)
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            new.replace(self.path)
            directory = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)
        except OSError as error:
            raise SubmissionError(f"{self.path}: {error.strerror}") from None


def _parsed(text: str) -> Book:
    data = json.loads(text)
    if data["format"] != FORMAT:
        raise ValueError(f"its format is {data['format']!r}, and this version knows {FORMAT!r}")
    bots = tuple(Bot(**{**bot, "variants": tuple(bot["variants"])}) for bot in data["bots"])
    if any(len(bot.key) != hashlib.sha256().digest_size for bot in bots):
        raise ValueError("a token is no SHA-256")
    return Book(tuple(data["invites"]), bots)


def is_book(path: Path) -> bool:
    """Whether the file is, or would be, a book and not a list of tokens."""
    return path.suffix == ".json"
