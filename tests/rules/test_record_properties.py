"""A record is the deal: written down anywhere and replayed, it is the same."""

import json

from hypothesis import given, settings

from arena.rules import cards as c
from arena.rules.deal import Deal
from arena.rules.record import DEAL, DealRecord, game_fields, read, write_deal
from arena.rules.replay import replay, replay_line
from tests.strategies import PROFILE, Run, positions, runs

MORE = settings(PROFILE, max_examples=80)
both = positions() | runs()


def public(deal: Deal) -> dict[str, object]:
    masks = {
        name: [c.text(c.faces_of(one)) for one in getattr(deal, name)]
        for name in ("hands", "taken", "passed", "received", "first_hands")
    }
    single = {name: c.text(c.faces_of(getattr(deal, name))) for name in ("legal", "waiting", "discards", "picked_up")}
    lists = {name: c.text(getattr(deal, name)) for name in ("rest", "trick", "drawn_cards", "first_rest")}
    tricks = [(trick.leader, c.text(trick.cards), trick.winner, trick.drawn) for trick in deal.tricks]
    plain = {
        name: getattr(deal, name)
        for name in ("ask", "complete", "dealer", "discarder", "hearts_open", "number", "seats", "stopped", "turn")
    }
    return {**masks, **single, **lists, **plain, "tricks": tricks, "drawn": list(deal.drawn)}


def again(deal: Deal, run: Run) -> Deal:
    """The deal written down and replayed."""
    said = {**game_fields(run.rules, DEAL), **write_deal(deal, 0), "constructed": run.constructed}
    record = read(json.dumps(said))
    assert isinstance(record, DealRecord)
    found = replay(record)
    assert (found.points, found.moon) == (deal.scores() if deal.complete else (None, None))
    return found.deal


@settings(PROFILE, max_examples=150)
@given(both)
def test_a_record_replayed_gives_the_same_deal_wherever_it_stops(run: Run) -> None:
    deal = run.stopped()
    assert public(again(deal, run)) == public(deal)
    pending = deal.pending()
    if pending:
        deal.stop(pending[-1].seat)
        assert public(again(deal, run)) == public(deal)


@MORE
@given(both)
def test_a_record_of_a_complete_deal_gives_the_same_result(run: Run) -> None:
    deal = run.finished()
    assert public(again(deal, run)) == public(deal)


@MORE
@given(both)
def test_the_result_of_a_record_names_the_open_questions(run: Run) -> None:
    deal = run.stopped()
    said = {**game_fields(run.rules, DEAL), **write_deal(deal, 3), "constructed": run.constructed}
    result = replay_line(json.dumps(said))
    assert result["ok"] is True
    assert result["complete"] is deal.complete
    asked = [
        {
            "seat": question.seat,
            "ask": question.ask.value,
            "legal": c.text(c.faces_of(question.legal)),
            "count": question.number,
        }
        for question in deal.pending()
    ]
    assert result["to_act"] == (None if deal.complete else asked)
