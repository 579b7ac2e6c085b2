"""Numbers in words, as several commands print them."""


def count(number: int, noun: str) -> str:
    """So many: ``"1 match"``, ``"2 matches"``."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}{'es' if noun.endswith('ch') else 's'}"


def duration(seconds: float) -> str:
    """A length of time in one unit or two: ``"45 s"``, ``"12 min"``, ``"7 h 30 min"``."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02} min"
