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
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, asdict, dataclass, fields, replace
from enum import Enum, StrEnum
from pathlib import Path
from typing import Final, TypeVar

from arena.store.names import alike, name_problem

T = TypeVar("T")

FORMAT: Final = "hearts-arena/bots@1"
ATTEMPTS: Final = 5  # submissions of one bot with one invitation


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


class Standing(StrEnum):
    """What has come of a submission."""

    ON_TRIAL = "on trial"  # until it has been checked, and has played against the house
    ADMITTED = "admitted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot that was entered."""

    name: str
    token: str  # its SHA-256, in hexadecimal
    address: str = ""  # "HOST:PORT" to be dialled; "": it dials in
    tables: int = 0  # the most at once; 0: what it says itself
    variants: tuple[str, ...] = ()  # that it plays; empty: whatever there is
    software: str = ""
    suspended: bool = False  # by whoever runs the arena
    standing: Standing = Standing.ADMITTED
    reason: str = ""  # of a refusal: the step that failed, and why, in one line
    repeat: str = ""  # of a refusal: the command that takes that step again
    invite: str = ""  # SHA-256 of the invitation that it came with, in hexadecimal; "": of the operator's own
    attempts: int = 0  # how often it was submitted with that

    @property
    def plays(self) -> bool:
        """Whether it is seated."""
        return self.standing is Standing.ADMITTED and not self.suspended

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
        near = [bot.name for bot in self.bots if alike(bot.name, name)]
        raise SubmissionError(f"there is no bot {name!r}{f'; there is {near[0]!r}' if near else ''}")


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
        except KeyError as error:
            raise SubmissionError(f"{self.path}: not a book of bots: it has no {error}") from None
        except (ValueError, TypeError, AttributeError) as error:
            raise SubmissionError(f"{self.path}: not a book of bots: {' '.join(str(error).split())[:100]}") from None
        return known[1]

    def last_good(self) -> Book:
        """As `book`, and where that cannot be read now, what was in it before: a running arena plays on."""
        try:
            return self.book()
        except SubmissionError:
            return self._known[1]

    def identify(self, token: str) -> Bot | None:
        """The bot that the token belongs to, however it stands; None for no token of ours.

        Takes as long for every token.
        """
        given = digest(token)
        found = None
        for bot in self.last_good().bots:
            if hmac.compare_digest(bot.token, given):
                found = bot
        return found

    def authenticate(self, token: str) -> str | None:
        """The name of the bot that the token belongs to, however it stands; None for no token of ours."""
        bot = self.identify(token)
        return None if bot is None else bot.name

    def invite(self) -> str:
        """A new invitation, good once. It is not kept, only its hash."""
        code = secrets.token_hex(16)  # no dash in front, which a command line would take for an option
        self._change(lambda book: (replace(book, invites=(*book.invites, digest(code))), code))
        return code

    def enter(self, bot: Bot, invite: str | None) -> str:
        """Enter a bot, whose ``token`` is not looked at, and return its new token.

        With an invitation the bot is on trial, and the invitation is used up; only a bot of the same name that was not
        admitted may be submitted with it again, in place of what was submitted before. None is for the operator, whose
        bots are admitted. NotEntered where it cannot be, and nothing changes.
        """
        token = secrets.token_urlsafe(24)
        new = replace(bot, token=digest(token), suspended=False)

        def change(book: Book) -> tuple[Book, str]:
            others = tuple(one.name for one in book.bots)
            if invite is None:
                _judge_name(bot.name, others)
                return replace(book, bots=(*book.bots, replace(new, standing=Standing.ADMITTED))), token
            given = digest(invite)
            entered = replace(new, standing=Standing.ON_TRIAL, invite=given, attempts=1)
            for before in book.bots:
                if hmac.compare_digest(before.invite, given):
                    _judge_again(before, bot.name)
                    entered = replace(entered, attempts=before.attempts + 1)
                    return replace(book, bots=tuple(entered if one is before else one for one in book.bots)), token
            left = tuple(known for known in book.invites if not hmac.compare_digest(known, given))
            if len(left) == len(book.invites):
                raise NotEntered(Wrong.INVITE, "this invitation is not known here, or was used")
            _judge_name(bot.name, others)
            return Book(left, (*book.bots, entered)), token

        return self._change(change)

    def judge(self, bot: Bot, standing: Standing, reason: str = "", repeat: str = "") -> bool:
        """Enter what has come of a bot's trial; False where its entry has changed since, which is then left alone."""

        def change(book: Book) -> tuple[Book, bool]:
            if bot not in book.bots:
                return book, False
            judged = replace(bot, standing=standing, reason=reason, repeat=repeat)
            return replace(book, bots=tuple(judged if one == bot else one for one in book.bots)), True

        return self._change(change)

    def admit(self, name: str) -> None:
        """The bot plays, whatever has come of its trial."""
        self._alter(name, lambda bot: replace(bot, standing=Standing.ADMITTED, reason="", repeat=""))

    def examine(self, name: str) -> None:
        """The bot is on trial, again; that does not count as an attempt."""
        self._alter(name, lambda bot: replace(bot, standing=Standing.ON_TRIAL, reason="", repeat=""))

    def claim(self, name: str) -> Callable[[], None] | None:
        """Take it on to dial the bot, until what comes back is called; None while another arena with this book does.

        It ends with the process.
        """
        directory = self.path.with_name(self.path.name + ".dialled")
        try:
            directory.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise SubmissionError(f"{directory}: {error.strerror}") from None
        descriptor = _opened(directory / digest(name)[:16])
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return lambda: os.close(descriptor)

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
            try:
                found = book.find(name)
            except SubmissionError as error:
                begun = "" if self.path.exists() else " and no such file; `arena invite` or `arena bots add` begins one"
                raise SubmissionError(f"{self.path}: {error}{begun}") from None
            return replace(book, bots=tuple(change(bot) if bot is found else bot for bot in book.bots)), None

        self._change(changed)

    def _change(self, change: Callable[[Book], tuple[Book, T]]) -> T:
        if self.path.is_dir():
            raise SubmissionError(f"{self.path}: Is a directory")
        if not self.path.exists():
            change(Book())  # what fails, for a path that is mistyped, leaves no lock behind
        with self._locked():
            self._known = (None, self._known[1])
            book, result = change(self.book())
            self._write(book)
        return result

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        descriptor = _opened(self.path.with_name(self.path.name + ".lock"))
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
    if type(data) is not dict:
        raise ValueError("it is no object")
    if data["format"] != FORMAT:
        raise ValueError(f"its format is {data['format']!r}, and this version knows {FORMAT!r}")
    bots = tuple(
        Bot(**{**bot, "variants": tuple(bot["variants"]), "standing": Standing(bot.get("standing", Standing.ADMITTED))})
        for bot in data["bots"]
    )
    for bot in bots:
        for one in fields(bot):
            value = getattr(bot, one.name)
            if type(value) is not (str if one.default is MISSING else type(one.default)):
                raise ValueError(f"{one.name} is {value!r}")
        if bot.tables < 0 or not all(type(variant) is str for variant in bot.variants):
            raise ValueError(f"tables or variants of {bot.name!r}: {bot.tables!r}, {bot.variants!r}")
    for kept in (*[bot.token for bot in bots], *[bot.invite for bot in bots if bot.invite], *data["invites"]):
        if len(bytes.fromhex(kept)) != hashlib.sha256().digest_size:
            raise ValueError("a token or an invitation is no SHA-256")
    return Book(tuple(data["invites"]), bots)


def _opened(path: Path) -> int:
    """A file that is locked and has nothing in it."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise SubmissionError(f"{path}: {error.strerror}") from None


def _judge_name(name: str, others: Iterable[str]) -> None:
    """NotEntered where the name cannot be, or looks like one of the others."""
    problem = name_problem(name)
    if problem:
        raise NotEntered(Wrong.NAME, f"{problem}: {name[:80]!a}")
    for other in others:
        if alike(other, name):
            raise NotEntered(Wrong.TAKEN, f"the name {name!r} is taken, or looks like {other!r}")


def _judge_again(before: Bot, name: str) -> None:
    """NotEntered where a bot whose invitation was used already cannot be submitted with it again."""
    if name != before.name:
        raise NotEntered(Wrong.INVITE, f"this invitation was used for {before.name!r}, and is good for that bot only")
    if before.standing is Standing.ADMITTED or before.suspended:
        said = "suspended" if before.suspended else "admitted"
        raise NotEntered(Wrong.INVITE, f"this invitation was used: {before.name!r} is {said}")
    if before.attempts >= ATTEMPTS:
        raise NotEntered(Wrong.INVITE, f"this invitation was used {before.attempts} times, and is good for no more")


def is_book(path: Path) -> bool:
    """Whether the file is, or would be, a book and not a list of tokens."""
    return path.suffix == ".json"
