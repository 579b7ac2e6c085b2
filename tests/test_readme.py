"""What the README shows works."""

import importlib.util
import random
import re
import tomllib
from pathlib import Path

import pytest

from arena.bot import Turn
from arena.gateway.encoder import TableEncoder
from arena.league.config import LeagueFile
from arena.rules.catalogue import VARIANTS, rules
from arena.rules.deal import Deal
from arena.rules.deck import dealt
from arena.rules.match import Match, dealer_of
from arena.v1 import arena_pb2 as pb
from tests.fakes import put

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_every_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_league_file_is_one() -> None:
    (text,) = blocks("toml")
    data = tomllib.loads(text)
    assert LeagueFile.model_validate(data | {"bots": tuple(data["bots"])}).rules.name == "classic"


def test_the_bot_is_short() -> None:
    (text,) = blocks("python")
    code = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", '"""'))]
    assert len(code) <= 20


@pytest.mark.parametrize(("variant", "players"), [(one.name, one.players[-1]) for one in VARIANTS.values()])
def test_the_bot_plays_every_variant_legally(variant: str, players: int, tmp_path: Path) -> None:
    path = tmp_path / "my_bot.py"
    path.write_text(blocks("python")[0], encoding="utf-8")
    spec = importlib.util.spec_from_file_location("my_bot", path)
    assert spec is not None
    assert spec.loader is not None
    bot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bot)
    game = rules(variant, players)
    cards = dealt(random.Random(variant).randbytes(32), game, dealer_of(0, players))
    deal = Deal(game, 0, cards.dealer, cards.hands, cards.rest)
    encoder = TableEncoder(1)
    while pending := deal.pending():
        for question in pending:
            request = put(1, question, deal, Match(game))
            frame = pb.ArenaFrame.FromString(encoder.question("m", request, 1.0))
            choice = bot.choose(Turn(frame.messages[0].question, 0.0))
            deal.answer(question.seat, (choice,) if isinstance(choice, int) else choice)
    assert deal.complete
