"""The kit for bot authors: write ``choose(turn)``, call ``run(choose)``."""

from arena.bot.author import Bot, Choice, Choose
from arena.bot.command import run
from arena.bot.dial import Refused, connect
from arena.bot.service import serve
from arena.bot.tls import Tls
from arena.bot.turn import Turn
from arena.rules.deal import Ask

__all__ = ["Ask", "Bot", "Choice", "Choose", "Refused", "Tls", "Turn", "connect", "run", "serve"]
