"""How numbers are written on figures, their tables and pages; names that fit."""

import json
import math
import unicodedata
from typing import Any

import numpy as np

from ldp_auditor.core import Claim
from ldp_auditor.results.check_result import SMALLEST_P_VALUE, CheckResult

NONE = "\N{EN DASH}"
"""Where there is no number."""

LONGEST = 120
"""Characters of a name that are shown."""

HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
"""Kinds of characters that are not seen, or turn the text around them."""


def plain(value: float | None, digits: int = 6) -> float | str | None:
    """A number for JSON in few `digits`; an infinite one is a word."""
    if value is None:
        return None
    if math.isinf(value):
        return "inf"
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 2**53 else short


def digits(value: float | None) -> str:
    """A number of a table."""
    if value is None:
        return NONE
    if value == math.inf:
        return "∞"
    return f"{value:.4f}" if value == 0 or 1e-4 <= abs(value) < 1e6 else f"{value:.4g}"


def allowed_in_words(claim: Claim) -> str:
    """What a claim allows: how much more often an event may happen for one input than another.

    >>> allowed_in_words(Claim(1.0)), allowed_in_words(Claim(1.0, 0.001))
    ('2.72 times', '2.72 times and 0.1% of the reports more')
    """
    factor = f"{math.exp(claim.epsilon):.3g} times" if claim.epsilon < 700 else "any factor"
    more = f" and {100 * claim.delta:.3g}% of the reports more" if claim.delta else ""
    return factor + more


def share_in_words(proven: float, claimed: float) -> str:
    """What part of a claim was proven, never rounded up: more would be said than was proven.

    >>> share_in_words(1.4059, 1), share_in_words(0.58, 2), share_in_words(300, 2)
    ('140%', '29%', '150 times')
    """
    if claimed == math.inf or not claimed:
        return NONE
    if proven == math.inf:
        return "∞"
    part = proven / claimed
    return f"{math.floor(round(100 * part, 6))}%" if part < 100 else f"{part:,.0f} times"


def step_in_words(value: float) -> str:
    """What is gained or lost, in three digits with its sign; "0" for next to nothing."""
    if abs(value) < 5e-4:
        return "0"
    sign = "+" if value > 0 else "\N{MINUS SIGN}"
    return sign + three_digits(abs(value))


def three_digits(value: float) -> str:
    """A number beside a bar.

    >>> three_digits(1), three_digits(0.0123), three_digits(128.2)
    ('1.00', '0.0123', '128')
    """
    return "∞" if value == math.inf else f"{value:#.3g}".removesuffix(".")


def proven_in_words(value: float) -> str:
    """A lower bound beside a bar, never rounded up: more would be said than was proven.

    >>> proven_in_words(1.4059), proven_in_words(0.81)
    ('1.405', '0.810')
    """
    return "∞" if value == math.inf else f"{math.floor(round(1000 * value, 6)) / 1000:.3f}"


def value_in_words(value: Any) -> str:
    """A setting's value for people.

    >>> value_in_words(100_000), value_in_words(1e-5)
    ('100,000', '1e-5')
    """
    if isinstance(value, tuple):
        parts = [value_in_words(entry) for entry in value]
        same = len(parts) > 1 and len(set(parts)) == 1
        return (
            f"{len(parts)} \N{MULTIPLICATION SIGN} {parts[0]}" if same else f"({', '.join(parts)})"
        )
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if value == math.inf:
        return "∞"
    if 0 < abs(value) < 1e-3:
        return np.format_float_scientific(value, trim="-", exp_digits=1)
    whole = float(value).is_integer() and 1000 <= abs(value) < 1e15
    return f"{int(value):,}" if whole else f"{value:g}"


def claim_in_words(claim: Claim) -> str:
    """A promise, such as "epsilon = 1, delta = 1e-5"."""
    words = "none" if claim.epsilon == math.inf else f"epsilon = {claim.epsilon:g}"
    words += "" if claim.metric is None else f" for each unit of {claim.metric} distance"
    return f"{words}, delta = {value_in_words(claim.delta)}" if claim.delta else words


def odds_in_words(epsilon: float) -> str:
    """What a fair guess, 1 to 1, may become with an epsilon at most.

    >>> odds_in_words(1), odds_in_words(5), odds_in_words(10), odds_in_words(104)
    ('2.7 to 1', '148 to 1', '22,026 to 1', 'more than a million to 1')
    """
    if epsilon > math.log(1e6):
        return "more than a million to 1"
    factor = math.exp(epsilon)
    return f"{factor:.1f} to 1" if factor < 100 else f"{factor:,.0f} to 1"


def p_value_in_words(value: float) -> str:
    """A p-value in two digits, or that it is next to nothing."""
    return f"< {SMALLEST_P_VALUE:g}" if value < SMALLEST_P_VALUE else f"{value:.2g}"


def inputs_in_words(check: CheckResult) -> str:
    """How many inputs a check had, and its first and its last one: these tell two checks apart."""
    values = check.values
    ends = (json.dumps(v, ensure_ascii=False, default=repr) for v in (*values[:1], *values[-1:]))
    words = "\N{NO-BREAK SPACE}…\N{NO-BREAK SPACE}".join(
        dict.fromkeys(short(end, 16) for end in ends)
    )
    return ", ".join(filter(None, (check.inputs_in_words("input"), words)))


def short(text: str, most: int) -> str:
    """Text of `most` characters at most."""
    return text if len(text) <= most else text[: most - 1] + "…"


def shown(text: Any, most: int = LONGEST) -> str:
    r"""Text as it can be shown: what is invisible is spelled out, what is long is cut.

    >>> shown("a\u202eb")
    'a\\u202eb'
    """
    cut = str(text)[: most + 1]
    spelled = cut
    if not cut.isprintable():
        spelled = "".join(
            f"\\u{ord(char):04x}" if unicodedata.category(char) in HIDDEN else char for char in cut
        )
    return spelled if len(cut) <= most else spelled[: most - 1] + "…"


def counted(count: int, thing: str) -> str:
    """A number of things in words.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def large_number(value: float) -> str:
    """A number of which a few digits are enough.

    >>> large_number(23_312_000), large_number(1234)
    ('23.3 million', '1,234')
    """
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if value >= size:
            return f"{value / size:.3g} {word}"
    return f"{value:,.0f}"
