"""Who may play under which name: a file of tokens, one line "TOKEN NAME" a bot, or the book of submitted bots."""

import hmac
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from arena.league.config import ConfigError
from arena.store.submission import Bot, Registry, SubmissionError, digest, is_book


@dataclass(frozen=True, slots=True)
class Tokens:
    """Names by the SHA-256 of their token; the tokens themselves are not kept."""

    hashes: tuple[tuple[bytes, str], ...] = ()
    registry: Registry | None = None  # instead: the book, as it is at each moment

    def authenticate(self, token: str) -> str | None:
        """The name that the token belongs to, None for no token of ours; takes as long for every token.

        How a bot of the book stands is another matter.
        """
        if self.registry is not None:
            return self.registry.authenticate(token)
        given = bytes.fromhex(digest(token))
        found = None
        for known, name in self.hashes:
            if hmac.compare_digest(known, given):
                found = name
        return found

    def key(self, name: str) -> bytes | None:
        """The SHA-256 of the bot's token, for who dials it; None where it has none."""
        if self.registry is not None:
            bot = self.bot(name)
            return bot.key if bot else None
        return next((known for known, owner in self.hashes if owner == name), None)

    def bot(self, name: str) -> Bot | None:
        """What was submitted of the bot; None where nothing was."""
        bots = () if self.registry is None else self.registry.last_good().bots
        return next((bot for bot in bots if bot.name == name), None)


def read_tokens(path: Path) -> Tokens:
    """The tokens of a file; ConfigError in one line where it cannot be read. A file named .json is the book."""
    if is_book(path):
        registry = Registry(path)
        try:
            known = registry.book()
        except SubmissionError as error:
            raise ConfigError(str(error)) from None
        if not known.bots:
            raise ConfigError(f"{path}: no bot is in it; `arena invite` and `arena bots` enter them")
        return Tokens(registry=registry)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise ConfigError(f"{path}: {said}; `arena tokens LEAGUE.toml` makes one") from None
    found: dict[bytes, str] = {}
    for number, line in enumerate(lines, 1):
        token, _, name = line.partition(" ")
        if not line.strip() or line.startswith("#"):
            continue
        if not token or not name.strip():
            raise ConfigError(f"{path}: line {number} is not TOKEN NAME")
        owner = found.setdefault(bytes.fromhex(digest(token)), name.strip())
        if owner != name.strip():
            raise ConfigError(f"{path}: line {number} has the token of {owner!r} again")
    return Tokens(tuple(found.items()))


def make_tokens(path: Path, names: Iterable[str]) -> dict[str, str]:
    """A new file, readable by its owner only, with a random token for each name; returns tokens by name.

    ConfigError in one line where it is there already, or would be a book of bots.
    """
    if is_book(path):
        raise ConfigError(
            f"{path}: a book of bots, which `arena invite` and `arena bots add` enter; it gives the tokens"
        )
    tokens = {name: secrets.token_urlsafe(24) for name in names}
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        said = "is there already, and its tokens are good; to make new ones, which ends the old, remove it first"
        raise ConfigError(f"{path}: {said}") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.writelines(f"{token} {name}\n" for name, token in tokens.items())
    return tokens
