"""Exponentials and logarithms that have the same bits on every machine.

IEEE 754 fixes the last bit of +, -, *, / and the square root; that of exp and log depends on the
mathematical library and on the processor. Whatever decides what is sampled (a probability, a scale
of noise, the size of a hash) is computed by these functions. They use fixed operations in a fixed
order, agree with the exact value to about one unit in the last place, and can be compiled by numba.

What is only shown, such as an exact rate or a bound, may come from any library.
"""

import math

LN2_HIGH = float.fromhex("0x1.62E42FEEp-1")
"""ln 2, cut off so that its product with any exponent of a float is exact."""
LN2_LOW = float.fromhex("0x1.A39EF35793C76p-33")
"""What was cut off."""
INVERSE_LN2 = float.fromhex("0x1.71547652B82FEp0")
ROOT_HALF = float.fromhex("0x1.6A09E667F3BCDp-1")
_LARGEST_EXPONENT = 709.782712893384
_SMALLEST_EXPONENT = -745.1332191019412
_LOG_ROOT_TWO_PI = float.fromhex("0x1.D67F1C864BEB5p-1")

EXPONENTIAL = tuple(1.0 / math.factorial(n) for n in range(14, 1, -1))
"""Coefficients 1/14!, ..., 1/2! of (e^r - 1 - r) / r^2, for Horner's rule; |r| <= ln(2) / 2."""

LOGARITHM = tuple(2.0 / n for n in range(25, 1, -2))
"""Coefficients 2/25, ..., 2/3 of (ln((1 + s) / (1 - s)) - 2s) / s^3, for Horner's rule in s^2."""

_MILLS_TERMS = 450
"""Terms of the continued fraction of the normal tail: enough to the last bit from 1 on."""


def exp(x: float) -> float:
    """Return e^x: 2^n e^r with |r| <= ln(2) / 2, and the series of e^r."""
    if x > _LARGEST_EXPONENT:
        return math.inf
    if x < _SMALLEST_EXPONENT:
        return 0.0
    if math.isnan(x):
        return x
    n = math.floor(x * INVERSE_LN2 + 0.5)
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    series = 0.0
    for coefficient in EXPONENTIAL:
        series = series * r + coefficient
    return math.ldexp(1.0 + (r + r * r * series), int(n))


def log(x: float) -> float:
    """Return ln x: e ln 2 + ln(1 + f) with 1 + f between the roots of 1/2 and 2."""
    if x == math.inf or math.isnan(x):
        return x
    if x <= 0.0:
        return -math.inf if x == 0.0 else math.nan
    fraction, exponent = math.frexp(x)
    if fraction < ROOT_HALF:
        fraction *= 2.0
        exponent -= 1
    f = fraction - 1.0
    # ln(1 + f) = 2 artanh(s) = 2s + s Q with s = f / (2 + f); 2s = f - s f keeps the last bits.
    s = f / (2.0 + f)
    square = s * s
    series = 0.0
    for coefficient in LOGARITHM:
        series = series * square + coefficient
    low = s * (f - square * series) - exponent * LN2_LOW
    return exponent * LN2_HIGH - (low - f)


def log2(x: float) -> float:
    """Return the logarithm of a positive x to the base 2: a whole number for a power of 2."""
    fraction, exponent = math.frexp(x)
    if fraction < ROOT_HALF:
        fraction *= 2.0
        exponent -= 1
    return exponent + log(fraction) * INVERSE_LN2


def expm1(x: float) -> float:
    """Return e^x - 1 without losing the digits of a small x."""
    if not -0.35 < x < 0.35:
        return exp(x) - 1.0
    series = 0.0
    for coefficient in EXPONENTIAL:
        series = series * x + coefficient
    return x + x * x * series


def log1p(x: float) -> float:
    """Return ln(1 + x) without losing the digits of a small x."""
    if not -0.29 < x < 0.41:
        total = 1.0 + x
        if not 0.0 < total < math.inf:
            return log(total)
        return log(total) + (x - (total - 1.0)) / total  # what the sum rounded off
    s = x / (2.0 + x)
    square = s * s
    series = 0.0
    for coefficient in LOGARITHM:
        series = series * square + coefficient
    return x - s * (x - square * series)


def mills_ratio(x: float) -> float:
    """Return P(Z > x) / density(x) of a normal Z, for x >= 1, by its continued fraction."""
    below = x
    for term in range(_MILLS_TERMS, 0, -1):
        below = x + term / below
    return 1.0 / below


def log_normal_tail(x: float) -> float:
    """Return ln P(Z > x) of a normal variable Z."""
    if x >= 1.0:
        return log(mills_ratio(x)) - 0.5 * x * x - _LOG_ROOT_TWO_PI
    if x <= -1.0:
        return log1p(-exp(log_normal_tail(-x)))
    # P(0 < Z < x) = density(x) (x + x^3 / 3 + x^5 / (3 5) + ...)
    square = x * x
    term = total = x
    odd = 1.0
    while abs(term) > 1e-20:
        odd += 2.0
        term *= square / odd
        total += term
    return log(0.5 - total * exp(-0.5 * square - _LOG_ROOT_TWO_PI))
