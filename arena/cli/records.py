"""`arena replay`, `arena deal`, `arena variants`: the rules without a league."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import GameOptions, VariantOption, game_option
from arena.rules import deck
from arena.rules.catalogue import VARIANTS, rules
from arena.rules.clauses import CLAUSES
from arena.rules.deal import Deal
from arena.rules.match import dealer_of
from arena.rules.record import DEAL, Json, game_fields, write_deal
from arena.rules.replay import replay_lines

HASH_BYTES = 32


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(replay)
    app.command("deal")(deal_)
    app.command()(variants)


def replay(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Records, one a line; - is standard input.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a record.")] = False,
) -> int:
    """Replay deal and match records under the rules. Exit status 1 when any is not ok."""
    good = True
    for file in files:
        try:
            text = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        except OSError as error:
            raise typer.BadParameter(f"{file}: {error.strerror}") from None
        for number, result in enumerate(replay_lines(text), 1):
            good = good and result["ok"] is True
            if as_json:
                typer.echo(json.dumps(result, ensure_ascii=False))
            else:
                typer.echo(f"{file}, record {number}: {_in_words(result)}")
    return 0 if good else 1


def _in_words(result: dict[str, Json]) -> str:
    """What the JSON says, in lines: the whole in the first, then deals and tricks."""
    error = result.get("error")
    if isinstance(error, dict):
        where = "".join(f"{key} {error[key]}, " for key in ("deal", "trick", "seat") if error[key] is not None)
        return f"{error['code']}: {where}{error['message']}"
    if "deals" not in result:
        return "\n  ".join(_deal_in_words(result))
    deals = [_deal_in_words(deal) for deal in _objects(result["deals"])]
    end = f"ended by {result['end']}, places {_row(result['places'])}" if result["complete"] else "not ended"
    lines = [f"match of {len(deals)} deals, totals {_row(result['totals'])}, chips {_row(result['chips'])}, {end}"]
    for number, (deal, *tricks) in enumerate(deals):
        lines += [f"  deal {number}: {deal}", *(f"    {trick}" for trick in tricks)]
    return "\n".join(lines)


def _deal_in_words(result: dict[str, Json]) -> list[str]:
    tricks = _objects(result["tricks"])
    said = [f"{len(tricks)} tricks"]
    if result["complete"]:
        moon = "" if result["moon"] is None else f", moon of seat {result['moon']}"
        said[0] += f", points {_row(result['points'])}{moon}, chips {_row(result['chips'])}, pot {result['pot']}"
    said += [
        f"seat {ask['seat']} is to {ask['ask']} {ask['count']} of {ask['legal']}" for ask in _objects(result["to_act"])
    ]
    lines = ["; ".join(said)]
    for number, trick in enumerate(tricks):
        drawn = f", drawn {_row(trick['drawn'])}" if "drawn" in trick else ""
        winner = "nobody yet" if trick["winner"] is None else f"seat {trick['winner']}"
        lines.append(f"trick {number}: {trick['cards']}{drawn}, led by seat {trick['leader']}, won by {winner}")
    return lines


def _objects(values: Json) -> list[dict[str, Json]]:
    """The objects of a list; none of null."""
    return [one for one in values if isinstance(one, dict)] if isinstance(values, list) else []


def _row(values: Json) -> str:
    return " ".join(map(str, values)) if isinstance(values, list) else str(values)


def deal_(
    seed: Annotated[str, typer.Option(help="The league's seed, 64 hex digits.")],
    event_id: Annotated[str, typer.Option(help="The league's name.")],
    stream: Annotated[str, typer.Option(help="The stream, e.g. orbit0/rep0/round0.")],
    index: Annotated[int, typer.Option(min=0, max=2**64 - 1, help="Number of the deal in its match.")] = 0,
    public: Annotated[
        str, typer.Option(help="Hash of the entrants, with the beacon behind it, hex; default 32 zero bytes.")
    ] = "00" * HASH_BYTES,
    variant: VariantOption = "classic",
    players: Annotated[int, typer.Option(help="Number of players.")] = 4,
    option: GameOptions = None,
) -> int:
    """Print the cards of one deal as a record, for `arena replay` or to check a published league."""
    try:
        game = rules(variant, players, dict(game_option(one) for one in option or []))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    for what, text in (("event-id", event_id), ("stream", stream)):
        if not _encodes(text):
            raise typer.BadParameter(f"{what}: {text!r} is not UTF-8")
    bound = _hex("public", public)
    if len(bound) < HASH_BYTES:
        raise typer.BadParameter(f"public: {len(bound)} bytes, not the {HASH_BYTES} of a hash and those of a beacon")
    key = deck.event_key(_hex("seed", seed, deck.SEED_BYTES), event_id, bound)
    cards = deck.dealt(deck.deal_key(key, stream, index), game, dealer_of(index, players))
    record = game_fields(game, DEAL) | write_deal(Deal(game, index, cards.dealer, cards.hands, cards.rest), 0)
    typer.echo(json.dumps(record))
    return 0


def _encodes(text: str) -> bool:
    """Whether there are UTF-8 bytes of it; bytes of the command line that were none have become surrogates."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _hex(what: str, text: str, size: int | None = None) -> bytes:
    try:
        data = bytes.fromhex(text)
    except ValueError:
        raise typer.BadParameter(f"{what}: {text!r} is not hex") from None
    if size is not None and len(data) != size:
        raise typer.BadParameter(f"{what}: {len(data)} bytes, not {size}")
    return data


def variants(as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False) -> int:
    """List the variants with their players, options and rules."""
    if as_json:
        listed = {
            one.name: {
                "title": {"en": one.title, "ru": one.title_ru},
                "players": list(one.players),
                "options": {
                    option.name: {
                        "clause": option.clause,
                        "default": option.default,
                        "values": list(option.choices) or "whole number from 1, or null",
                    }
                    for option in one.options
                },
                "clauses": {clause: CLAUSES[clause] for clause in one.clauses},
            }
            for one in VARIANTS.values()
        }
        typer.echo(json.dumps(listed, ensure_ascii=False, indent=2))
        return 0
    for one in VARIANTS.values():
        span = f"{one.players[0]}–{one.players[-1]}" if len(one.players) > 1 else str(one.players[0])
        typer.echo(f"{one.name}: {one.title} · {one.title_ru} · {span} players")
        for clause in one.clauses:
            typer.echo(f"  {clause:<3} {CLAUSES[clause]}")
        for option in one.options:
            typer.echo(f"  {option.name} = {option.describe()} (default {json.dumps(option.default)}, {option.clause})")
        typer.echo("")
    return 0
