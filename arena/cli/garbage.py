"""The collector of reference cycles, kept out of the way.

Play makes none: everything it makes is gone with its last reference. So what there is when play begins is not looked
through again, and the collector comes only where something has left a good many objects behind.
"""

import gc
from typing import Final

NEW: Final = 50_000
"""Objects more than when it last looked, and it looks: a hundred tables in mid-deal have fewer."""


def look_rarely() -> None:
    """The program begins; what it imports and reads stays."""
    gc.set_threshold(NEW, 10, 10)


def keep_what_is_there() -> None:
    """Play begins."""
    gc.collect()
    gc.freeze()
