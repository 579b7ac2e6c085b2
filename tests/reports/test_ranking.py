"""The table goes by what the league file says."""

import json
from pathlib import Path

import pytest

from arena.stats.clusters import Primary
from arena.store import read
from reports.site import write_site
from tests.reports.made_league import Plan, add_league, database

WORSE = {"placement": ("placement", -1), "points": ("points_per_deal", 1), "wins": ("wins", -1)}


@pytest.mark.parametrize("ranking", ["placement", "points", "wins"])
def test_ranks_follow_the_measure_that_was_chosen(tmp_path: Path, ranking: Primary) -> None:
    # By each of the three another order.
    bots = {f"bot {number}": 0.5 for number in range(6)}
    with database() as session:
        add_league(session, Plan(bots=bots, orbits=5, ranking=ranking, seed=4))
        write_site(session, directory=tmp_path)
    said = json.loads((tmp_path / "league-1" / "standings.json").read_text())
    assert said["ranking"] == ranking
    orders = {
        name: sorted(said["standings"], key=lambda one, field=field, sign=sign: sign * one[field])  # type: ignore[misc]
        for name, (field, sign) in WORSE.items()
    }
    assert len({tuple(one["bot"] for one in order) for order in orders.values()}) == 3
    assert said["standings"] == orders[ranking]
    page = (tmp_path / "index.html").read_text()
    words = {"placement": "by mean placement", "points": "by points a deal", "wins": "by the share of wins"}
    assert [name for name, one in words.items() if f"Standings {one}" in page] == [ranking]


@pytest.mark.parametrize("settings", [{}, {"ranking": None}, {"ranking": ["wins"]}, {"ranking": "luck"}])
def test_settings_from_elsewhere_that_do_not_say_it_mean_placement(settings: dict[str, object]) -> None:
    with database() as session:
        league = add_league(session, Plan(orbits=1, ranking="points"))
        league.settings = json.dumps(settings)
        session.commit()
        (row,) = read.leagues(session=session)
    assert row.ranking == "placement"
