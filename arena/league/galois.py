"""Arithmetic of finite fields, for the designs that exist when the number of bots is a prime power.

An element of GF(pⁿ) is an int 0 … pⁿ − 1 whose digits to base p are the coefficients of a polynomial, the
constant first. Addition is digit by digit; multiplication goes through the powers of a generator.
"""

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Field:
    """GF(order): ``powers[e]`` is the generator to the e, ``logs`` its inverse (that of 0 has no meaning)."""

    order: int
    characteristic: int
    powers: tuple[int, ...]
    logs: tuple[int, ...]

    def power(self, exponent: int) -> int:
        """The generator to this exponent, any integer."""
        return self.powers[exponent % (self.order - 1)]

    def multiply(self, a: int, b: int) -> int:
        if a == 0 or b == 0:
            return 0
        return self.power(self.logs[a] + self.logs[b])


def prime_power(number: int) -> tuple[int, int] | None:
    """(p, n) with number = pⁿ and p prime, or None if number is no prime power."""
    if number < 2:
        return None
    prime = next((d for d in range(2, number) if d * d <= number and number % d == 0), number)
    exponent, rest = 0, number
    while rest % prime == 0:
        exponent, rest = exponent + 1, rest // prime
    return (prime, exponent) if rest == 1 else None


def add(a: int, b: int, modulus: int) -> int:
    """a + b digit by digit to base ``modulus``, no carry: GF(pⁿ) for p, and Z_N for numbers below N = modulus."""
    total, place = 0, 1
    while a or b:
        a, digit_a = divmod(a, modulus)
        b, digit_b = divmod(b, modulus)
        total += (digit_a + digit_b) % modulus * place
        place *= modulus
    return total


def subtract(a: int, b: int, modulus: int) -> int:
    """a − b in the same group as ``add``."""
    total, place = 0, 1
    while a or b:
        a, digit_a = divmod(a, modulus)
        b, digit_b = divmod(b, modulus)
        total += (digit_a - digit_b) % modulus * place
        place *= modulus
    return total


@lru_cache(maxsize=8)
def field(order: int) -> Field:
    """GF(order), with the smallest generator in a fixed order of search. ValueError if order is no prime power."""
    factors = prime_power(order)
    if factors is None:
        raise ValueError(f"there is no field of {order} elements: {order} is not a power of a prime")
    prime, degree = factors
    powers = next(p for p in (_powers(prime, degree, c) for c in range(1, order)) if p is not None)
    logs = [0] * order
    for exponent, element in enumerate(powers):
        logs[element] = exponent
    return Field(order, prime, powers, tuple(logs))


def _powers(prime: int, degree: int, candidate: int) -> tuple[int, ...] | None:
    """1, g, g², … if the candidate's g runs through every non-zero element, else None.

    For degree 1, g is the candidate. Above, g is the polynomial x, and the candidate's digits say what xⁿ is:
    x is a generator exactly if the polynomial xⁿ − candidate is primitive.
    """
    order = prime**degree
    top = order // prime
    powers, element = [1], 1
    while True:
        if degree == 1:
            element = element * candidate % prime
        else:
            carry, low = divmod(element, top)
            element = low * prime
            for _ in range(carry):
                element = add(element, candidate, prime)
        if element == 1 or element == 0 or len(powers) == order - 1:
            return tuple(powers) if element == 1 and len(powers) == order - 1 else None
        powers.append(element)
