"""What is refused, and how: one family of exceptions and the checks that raise it."""

import operator
from collections.abc import Collection, Iterable
from decimal import Decimal, InvalidOperation
from numbers import Integral, Real
from typing import Any


class AuditError(ValueError):
    """A request that cannot be carried out; the message names the argument, rule and value."""

    def __init__(self, message: str, *, argument: str | None = None) -> None:
        super().__init__(message)
        self.argument = argument
        """The argument that is wrong, if it is one: a grid finds its line by it."""


def require(condition: bool, message: str, *, argument: str | None = None) -> None:
    """Raise `AuditError` with `message` about an `argument` unless `condition` holds."""
    if not condition:
        raise AuditError(message, argument=argument)


def must(condition: bool, rule: str, **given: Any) -> None:
    """Raise unless `condition` holds, with the argument that is `given`, the rule and the value.

    >>> must(-1 > 0, "be positive", epsilon=-1)
    Traceback (most recent call last):
    ldp_auditor.errors.AuditError: epsilon must be positive, got epsilon=-1
    """
    if not condition:
        name, shown = next(iter(given)), ", ".join(shown_as(*each) for each in given.items())
        raise AuditError(f"{name} must {rule}, got {shown}", argument=name)


def shown_as(name: str, value: Any) -> str:
    """Return how a message shows a value that was given: with its name, if that is one word.

    >>> shown_as("epsilon", -1), shown_as("an input", 2.5)
    ('epsilon=-1', '2.5')
    """
    return str(value) if " " in name else f"{name}={value}"


def one_of(name: str, value: Any, known: Collection[str]) -> None:
    """Raise unless `value` is one of the `known` words."""
    right = isinstance(value, str) and value in known
    require(right, f"{name} must be one of {', '.join(known)}, got {value!r}", argument=name)


def in_brief(value: Any) -> str:
    """Return the text of `value`, 40 characters of it at most."""
    try:
        return repr(value)[:40]
    except ValueError:  # which Python raises for so many digits
        return "a number of thousands of digits"


def number(name: str, value: Any) -> float:
    """Return `value` as a float, or raise if it is no number: a text or a truth value is none."""
    try:
        if not isinstance(value, str | bytes | bool):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise AuditError(f"{name} must be a number, got {name}={in_brief(value)}", argument=name)


def fraction(name: str, value: Any) -> float:
    """Return `value` as a float, or raise unless it is a number between 0 and 1."""
    share = number(name, value)
    must(0 < share < 1, "lie in (0, 1)", **{name: share})
    return share


def whole_number(name: str, value: Any, at_least: int, at_most: int | None = None) -> int:
    """Return `value` as an int, or raise unless it is a whole number in the range."""
    number = _whole(value)
    if number is None:
        shown = repr(value) if isinstance(value, str) else str(value)
        raise AuditError(
            f"{name} must be a whole number, got {shown_as(name, shown[:40])}", argument=name
        )
    if number < at_least or (at_most is not None and number > at_most):
        shown = in_brief(number)
        shown = shown if len(shown) < 40 else f"{shown[:20]}..."
        rule = f"at least {at_least}" if number < at_least else f"at most {at_most}"
        must(False, f"be {rule}", **{name: shown})
    return number


def _whole(value: Any) -> int | None:
    """Return `value` as an int, also the float 1e6; None if it is no whole number, as True."""
    if isinstance(value, bool):
        return None
    if isinstance(value, Real) and not isinstance(value, Integral):
        as_float = float(value)
        return int(as_float) if as_float.is_integer() else None
    try:
        return operator.index(value)
    except TypeError:
        return None


def whole_input(name: str, value: Any, at_least: int, at_most: int | None = None) -> int:
    """Return an input as `whole_number` does; the truth values of a yes-or-no question are 1 and 0.

    >>> whole_input("value", True, 0, 1)
    1
    """
    plain = int(value) if isinstance(value, bool) else value
    return whole_number(name, plain, at_least, at_most)


LARGEST_WHOLE = 2**63 - 1
"""The largest whole number that fits a column of a table."""


def seed_number(value: Any) -> int:
    """Return `value` as a seed, or raise unless it is one."""
    return whole_number("seed", value, 0, LARGEST_WHOLE)


SMALLEST_ALPHA = 1e-100
"""Smaller ones are beyond the arithmetic of the bounds."""


def error_probability(value: Any) -> float:
    """Return `value` as an alpha, or raise unless it is one."""
    alpha = number("alpha", value)
    if not SMALLEST_ALPHA <= alpha < 1:  # to write out such a number takes long
        must(False, f"lie in (0, 1), at {SMALLEST_ALPHA} or above", alpha=alpha)
    return alpha


def numeral(text: str) -> Any:
    """Return the number that `text` stands for (1e6 is a whole one), or `text` if it is none.

    >>> numeral("1e6"), numeral("1_000"), numeral("0.5"), numeral("many")
    (1000000, 1000, 0.5, 'many')
    """
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return text
    if not exact.is_finite():
        return text if exact.is_snan() else float(exact)
    if abs(exact.adjusted()) >= MOST_DIGITS:
        return float(exact) if len(text) < MOST_DIGITS else text
    return int(exact) if exact == exact.to_integral_value() else float(exact)


MOST_DIGITS = 300
"""A number written with more of them is left as text; a short one, as 1e400, is a float."""


def of_kind(name: str, kind: type, value: Any) -> Any:
    """Return the `value` of an option as an int, float, bool or str, or raise if it is none.

    Words are read as the command line gives them.

    >>> of_kind("hashes", int, "1e2"), of_kind("count_sketch", bool, "false")
    (100, False)
    """
    if kind is int:
        given = numeral(value) if isinstance(value, str) else value
        return whole_number(name, given, at_least=-LARGEST_WHOLE, at_most=LARGEST_WHOLE)
    if kind is float:
        return number(name, numeral(value) if isinstance(value, str) else value)
    if kind is bool and not isinstance(value, bool):
        word = str(value).lower()
        must(word in TRUTH, "be true or false", **{name: repr(str(value)[:40])})
        return TRUTH[word]
    return value


def require_known(name: str, options: Iterable[str], known: Collection[str]) -> None:
    """Raise unless all `options` are among those `known` to the protocol or adapter `name`."""
    for option in options:
        require(
            option in known,
            f"{name} has no option {option!r}; its options are: {', '.join(known) or 'none'}",
            argument=option,
        )


TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
"""Words for true and false."""


def describe(error: BaseException) -> str:
    """Return `error` in a few words, even one that cannot say what it is."""
    name = type(error).__name__
    try:
        text = " ".join(str(error).split())
    except Exception:
        return f"{name} (its message cannot be shown)"
    return f"{name}: {text[:400]}" if text else name
