"""What varies from run to run: times and dates. Pages mark it, so that all the rest can be compared."""

import re
from typing import Final

_VARYING: Final = re.compile(r"<!--run-->.*?<!--/run-->", re.DOTALL)


def settled(page: str) -> str:
    """The page without times and dates: the same for the same results, however fast and whenever they were played.

    The mark cannot come from a bot's name, in which every ``<`` is escaped.
    """
    return _VARYING.sub("", page)
