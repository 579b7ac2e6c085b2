"""What the replayer shows, read from its page."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

SEEN = """() => {
  const faces = (root, kind) => Array.from(root.querySelectorAll(kind)).map((card) =>
    Number(card.querySelector("use").getAttribute("href").replace("#card-", "").replace("back", "-1")));
  const sorted = (list) => list.sort((a, b) => a - b);
  const colour = (node) => Number(Array.from(node.classList).find((name) => /^b\\d$/.test(name)).slice(1));
  const seats = {};
  document.querySelectorAll(".board .seat").forEach((seat) => {
    const hand = seat.querySelector(".hand");
    seats[colour(seat.querySelector(".dot"))] = {
      name: seat.querySelector("bdi").textContent,
      points: Number(seat.querySelector(".points").textContent.replace("−", "-").split(" ")[0]),
      taken: Number(seat.querySelector(".about span").textContent.split(" ")[0]),
      hand: sorted(faces(hand, ".card")),
      legal: sorted(faces(hand, ".legal")), barred: sorted(faces(hand, ".barred")),
      out: sorted(faces(hand, ".out")), in: sorted(faces(hand, ".in")),
      away: sorted(faces(seat, ".group .card")),
      acting: seat.classList.contains("acting"),
    };
  });
  const zone = (kind) => { const found = document.querySelector(`.middle .${kind}`); return found ? sorted(faces(found, ".card")) : []; };
  const won = document.querySelector(".spot:has(.won) .tag");
  const hearts = document.querySelector(".hearts");
  return {
    step: Number(document.documentElement.dataset.step),
    last: Number(document.getElementById("slider").max),
    status: document.getElementById("status").textContent,
    seats: Object.keys(seats).sort().map((seat) => seats[seat]),
    trick: Array.from(document.querySelectorAll(".spot")).map((spot) => [colour(spot.querySelector(".tag")), faces(spot, ".card")[0]]),
    winner: won ? colour(won) : null,
    rest: zone("rest"), waiting: zone("waiting"),
    open: hearts === null || hearts.classList.contains("open"),
    marked: document.querySelector("#tricks tr.here") ? document.querySelector("#tricks tr.here").rowIndex - 1 : null,
  };
}"""  # noqa: E501  a script reads better unbroken


def press(page: "Page", key: str) -> Any:
    """What is seen after the key."""
    page.keyboard.press(key)
    return page.evaluate(SEEN)
