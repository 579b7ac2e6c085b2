"""A real browser and a site with everything in it."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from arena.rules.catalogue import VARIANTS
from arena.store import read
from arena.store.read import RecordRow
from reports.paths import LeaguePaths, trees
from reports.site import write_site
from tests.reports.hostile import add_hostile_league
from tests.reports.made_league import Plan, add_league, database

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
SIZES = {"desktop": (1280, 900), "phone": (360, 740)}
Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Site:
    """Where the pages of the made-up leagues are."""

    directory: Path
    variants: dict[str, int]  # league by variant
    tiers: int  # a league with tiers
    begun: int  # a league in progress
    hostile: int  # a league of bots with hostile names
    records: dict[str, tuple[RecordRow, ...]]  # of the variants' leagues

    def paths(self, league: int, lang: str = "en") -> LeaguePaths:
        """The pages of a league."""
        return next(tree for tree in trees("en") if tree.lang == lang).league(league, alone=False)

    def address(self, path: str) -> str:
        """What a browser calls a page."""
        place, mark, anchor = path.partition("#")
        return (self.directory / place).as_uri() + mark + anchor


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A league for each variant and some more, written once."""
    directory = tmp_path_factory.mktemp("site")
    with database() as session:

        def add(plan: Plan) -> int:
            number = add_league(session, plan).id
            assert number is not None
            return number

        variants = {}
        for variant in VARIANTS.values():
            players = min(variant.players, key=lambda number: abs(number - 4))
            bots = {f"bot {number}": number / players for number in range(players)}
            plan = Plan(name=f"All of {variant.title}", variant=variant.name, players=players, bots=bots, orbits=1)
            variants[variant.name] = add(Plan(**{**plan.__dict__, "target": 20, "faults": 0.0}))
        tiers = add(Plan(name="Tiers", orbits=21, target=25, faults=0.02))
        begun = add(
            Plan(
                name="Begun",
                variant="spot",
                orbits=2,
                target=60,
                open_fixtures=3,
                begun_deals=1,
                away=("scout",),
                faults=0.05,
            )
        )
        hostile = add_hostile_league(session).id
        assert hostile is not None
        records = {
            variant: read.records(session=session, league=league, fixtures=range(2))
            for variant, league in variants.items()
        }
        write_site(session, directory=directory)
    return Site(directory, variants, tiers, begun, hostile, records)


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Chromium. It ends with its module: Playwright keeps an event loop running, beside which no other may run."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: make test")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: make browser")
    with playwright.sync_playwright() as tool:
        running = tool.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield running
        running.close()


@dataclass
class Visit:
    """Pages looked at in one window, and everything they did that no page of the site may do."""

    page: "Page"
    site: Site
    troubles: list[str] = field(default_factory=list)

    def open(self, path: str) -> "Page":
        """The page of the site, loaded anew."""
        self.page.goto(self.site.address(path))
        if "replay.html" in path:
            self.page.wait_for_selector("#replayer:not([hidden])")
        return self.page

    def watch(self) -> None:
        """Write down errors, and let nothing through but files of the site."""
        root = self.site.directory.as_uri() + "/"

        def asked(request: "Request") -> None:
            if not request.url.startswith(root):
                self.troubles.append(f"asked for {request.url}")

        def said(message: "ConsoleMessage") -> None:
            if message.type in {"error", "warning"}:
                self.troubles.append(f"{message.type}: {message.text}")

        def failed(request: "Request") -> None:
            # Who leaves a page at once does not wait for its icon.
            if not (request.url.endswith("/icon.svg") and request.failure == "net::ERR_ABORTED"):
                self.troubles.append(f"failed: {request.url} {request.failure}")

        self.page.route(re.compile("^(?!file:)"), lambda route: route.abort())
        self.page.on("request", asked)
        self.page.on("console", said)
        self.page.on("pageerror", lambda error: self.troubles.append(f"uncaught: {error}"))
        self.page.on("requestfailed", failed)
        self.page.on("popup", lambda other: self.troubles.append(f"opened {other.url}"))
        self.page.on("dialog", lambda dialog: self.troubles.append(f"asked {dialog.message}"))


MakeVisit = Callable[..., Visit]


@pytest.fixture
def visit(browser: "Browser", site: Site) -> Iterator[MakeVisit]:
    """Opens a window; whatever went wrong in it fails the test at its end."""
    visits: list[Visit] = []
    with ExitStack() as windows:

        def make(size: str = "desktop", theme: Theme = "light", **options: Any) -> Visit:
            width, height = SIZES[size]
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=theme, reduced_motion="reduce", **options
            )
            windows.callback(context.close)
            context.set_default_timeout(10_000)
            found = Visit(context.new_page(), site)
            found.watch()
            visits.append(found)
            return found

        yield make
    assert [trouble for one in visits for trouble in one.troubles] == []
