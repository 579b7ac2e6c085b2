"""Many tests at once."""

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values in the order of the given ones: rejecting those up to 5 % errs anywhere with 5 % at most.

    S. Holm, A simple sequentially rejective multiple test procedure, 1979: the i-th smallest of m is multiplied by
    m + 1 − i, and is at least as large as those before it.
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for done, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - done) * p_values[index]))
        adjusted[index] = largest
    return tuple(adjusted)
