"""The league file that `arena new` writes: every key with what it means and its default."""

import tomllib
from pathlib import Path
from typing import Final

from arena.store.names import NAME_LENGTH

TEMPLATE: Final = """\
# A league of the Hearts arena.
#
#     arena tokens {file}         a secret token for each bot, in tokens.txt
#     arena schedule {file}       who would play whom, and how evenly
#     arena run {file}            play, or go on where it was stopped
#
# Lines that begin with "#key =" show defaults; take the # away to change one. A key that is misspelt is an error.
# Once the league has been created, what decides its results can no longer be changed: give it another name instead.
# [server], tokens, beacon and append, hours, until and versions of [schedule] may change from run to run.

name = {name}

# Where the tokens of the bots are: one line "TOKEN NAME" for each, beside this file.
#tokens = "tokens.txt"

# What the table goes by: "placement", the mean over all matches, 1 for first and 0 for last; "points" a deal, the fewer
# the better; or the share of "wins".
#ranking = "placement"

# Whether the deals are bound to a beacon, a public value that nobody can know yet: `arena run` then creates the league,
# prints its commitment and ends; `arena run {file} --beacon TEXT` gives the value and plays.
#beacon = false


[game]
# What is played: classic, black-lady, hearts, spot, greek, omnibus, no-queen, widow, domino, cancellation.
# `arena variants` lists their rules and options.
#variant = "classic"

# Players at a table, as many as the variant admits. Where there are fewer bots, house bots fill up.
#seats = 4

# A match ends with the deal in which somebody reaches so many points ...
#target = 100

# ... or after so many deals. Without this key there is no such end, unless deals may take points off (omnibus, greek,
# classic with jack_of_diamonds): then it is four times the deals of a match in which all score alike.
#max_deals = 20    # no default

# What an illegal answer does that is not corrected at the second try: "stop" ends the deal and costs that seat every
# point of the pack; "substitute" plays the lowest legal card instead.
#revoke = "stop"

# What a league of several is called, after the file's name; see below. Default: its variant.
#name = "short"    # no default

# Where printed rules differ: options of the variant, for example jack_of_diamonds = true. Default: none, which leaves
# each as `arena variants` says.
#options = {{}}

# Several leagues in one file, played one after the other by the same bots: instead of [game] write one [[games]] for
# each, with the same keys. One whose bots are away lets the next go first.


# Thinking time, in seconds.
[time]
# The most that one answer may take.
#move_s = 5.0

# All answers of one match together.
#bank_s = 120.0

# Returned to the bank after every answer, up to its size.
#increment_s = 0.5

# For how long a connection may be lost in one match without costing thinking time.
#grace_s = 30.0

# The most that one answer is forgiven as time on the network.
#credit_s = 0.05


[schedule]
# "league": everybody against everybody. "gauntlet": the first bot against the others, which fill one table with it,
# the same cards once in every seat.
#format = "league"

# How often the whole design is played. In one repetition every bot plays in every seat equally often, and meets the
# others as evenly as can be; `arena schedule` shows how many matches that is. Without this, as often as it takes for
# a hundred matches of each bot: 4 times for 8 bots, twice for 20, once for 100.
#repetitions = 4    # no default

# Instead: so many orbits in all. In an orbit every bot plays once in every seat. Of a gauntlet, so many groups.
#orbits = 5    # no default

# How long a run may take, in hours.
#hours = 8.0    # no default

# The same with the time at which it ends, by the clock of this machine: "07:00", or "2026-03-14 07:00".
#until = "07:00"    # no default

# Whether orbits are appended where such a run has played all of the above and has time left. The league then grows from
# run to run; it is finished, and its seed published, by a run without a limit or with false, once all has been played.
#append = true

# What becomes of the matches of a bot that is away. With "wait" they wait, for the next run if need be, and are
# reported as not played. With "walk-over" they are played when the time of the run is over: the house plays for the bot
# that is away, which is placed behind the others. A run without a limit to its time waits.
#absent = "wait"

# Whether a bot that calls itself something else than before, a new version, goes on playing under its name: "any"; with
# "same" it gets no more matches, as another bot is another entrant.
#versions = "same"

# Which tables are dealt the same cards, so that luck is shared: those of a "round", in which no bot plays twice (safe
# for bots with a memory), those of an "orbit" (sharper, for bots without), or none: "off".
#duplicate = "round"


[server]
# Where bots dial in: host and port. 127.0.0.1 is this machine only, 0.0.0.0 is every network it is on; port 0 is any
# that is free.
#address = "127.0.0.1:7070"

# Tables that are in play at once, at most.
#tables = 64

# Beyond this machine the arena listens with TLS only: its certificate with chain, a file in PEM beside this one, …
#tls_certificate = "arena.pem"  # no default

# … and the certificate's key.
#tls_key = "arena.key"  # no default

# Bots that dial in must have a certificate that this CA signed.
#tls_client_ca = "bots-ca.pem"  # no default

# Bots that are dialled must have a certificate that this CA signed; without it, one that this machine trusts.
#bots_ca = "bots-ca.pem"  # no default

# Listen and dial without TLS also beyond this machine: for networks that you trust only.
#insecure = false

# Bots that are dialled may have addresses of this machine and of private networks.
#allow_private = false

# Whether bots may be submitted to this arena while the league is played; `arena invite` makes the codes.
#submissions = false

# What is kept of what goes to and from bots, for `arena transcript`: of every seat "all" (1.5 KB a deal and seat),
# of seats with a fault in the deal only: "faults", or nothing: "off".
#transcripts = "faults"


# The bots, one section each. The names are those of the tokens.
[[bots]]
name = "ada"

[[bots]]
name = "charles"

[[bots]]
name = "grace"

[[bots]]
name = "alan"
"""


def template(path: Path) -> str:
    """The text of a new league file at this path, which gives the league its name."""
    name = _printable(path.stem).strip()[:NAME_LENGTH].strip() or "league"
    return TEMPLATE.format(file=_printable(path.name), name=_quoted(name))


def _printable(text: str) -> str:
    return "".join(char for char in text if char.isprintable())


def _quoted(text: str) -> str:
    """A TOML string."""
    quoted = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    assert tomllib.loads(f"name = {quoted}")["name"] == text
    return quoted
