"""How strings, bytes, numbers, times and other single values are taken apart."""

import datetime
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.checks.search.differing import (
    MOST_OF_ARRAYS,
    differences,
    differences_of_bytes,
    first_of_each,
    most_different,
)
from ldp_auditor.checks.search.letter_counts import letter_counts
from ldp_auditor.checks.search.number_features import as_float, integers
from ldp_auditor.checks.search.pieces import Block, Found, Kind, Piece, Pieces, Place
from ldp_auditor.checks.search.words import number_in, word_parts
from ldp_auditor.checks.search.writings import decoded_parts, letter_groups, written_parts

MOST_LETTERS = 512
"""Letters of a string, or bytes, that become columns."""

MOST_BYTES = 64
"""Bytes whose bits become columns."""

WIDEST = 2**16
"""Letters or bytes from the front among which those are that become columns."""

AT_ONCE = 4096
"""Strings that are looked at together."""

LAST_LETTERS = 8
"""Letters from the end that become columns, where lengths differ."""

_LETTERS = partial(str.encode, encoding="utf-32-le", errors="surrogatepass"), np.dtype("<u4")
_BYTES = bytes, np.dtype("u1")
"""How letters and bytes are written one after the other, and as which numbers."""


def text_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """The string, its letters, and the number that it may write."""
    parts = [str(part) for part in place.parts]
    yield place.category(place.words, parts)
    yield from _letters(place, parts, "letter", pieces)
    yield from letter_groups(place, parts, pieces)
    yield from letter_counts(place, parts, pieces)
    yield from written_parts(place, parts, pieces)
    yield from word_parts(place, parts, pieces)
    if pieces.wanted is None and all(math.isnan(number_in(part)) for part in parts[:50]):
        return
    numbers = np.array([number_in(part) for part in parts])
    written = ~np.isnan(numbers)
    if written.any():
        words = f"float({place.words})"
        yield Block([words], place.some(written), numbers[written, None], place=place.words)


def bytes_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """The string of bytes, every byte, and the bits of the first ones."""
    parts = [bytes(part) for part in place.parts]
    yield place.category(place.words, parts)
    yield from _letters(place, parts, "byte", pieces)
    yield from _bits(place, parts, pieces)
    yield from decoded_parts(place, parts, pieces)


def _bits(place: Place, parts: Sequence[bytes], pieces: Pieces) -> Iterator[Found]:
    """Bits of bytes, whether an odd number is set in each, and how many are in all."""
    lengths = np.array([len(part) for part in parts])
    if not lengths.max():
        return
    chosen = _chosen(place, parts, "byte", pieces, MOST_BYTES, "bits of bytes")
    bytes_there = _columns(parts, "byte", chosen)
    bits = np.unpackbits(np.maximum(bytes_there, 0).astype(np.uint8), axis=1, bitorder="little")
    for j, i in enumerate(chosen):
        there = lengths > i
        for bit in range(8):
            words = f"bit {bit} of {place.words}[{i}]"
            if pieces.wants(words, "number"):
                column = bits[there, 8 * j + bit].astype(np.int8)
                yield Piece(place.words, words, "number", place.some(there), column)
        words = f"bits set in {place.words}[{i}] mod 2"
        if pieces.wants(words, "number"):
            odd = (bits[there, 8 * j : 8 * j + 8].sum(axis=1) % 2).astype(np.int8)
            yield Piece(place.words, words, "number", place.some(there), odd)
    yield from _checksums(place, parts)
    ones = np.array([int.from_bytes(part).bit_count() for part in parts])
    words = f"bits set in {place.words}"
    yield Piece(place.words, words, "number", place.rows, ones)
    yield Piece(place.words, f"{words} mod 2", "number", place.rows, ones % 2)


def _checksums(place: Place, parts: Sequence[bytes]) -> Iterator[Found]:
    """What all bytes have together, and the last one with the sum of those before it."""
    if min(map(len, parts)) < 2:
        return
    every = [np.frombuffer(part, np.uint8) for part in parts]
    exclusive = np.array([np.bitwise_xor.reduce(part) for part in every])
    for bit in range(8):
        words = f"bit {bit} of all bytes of {place.words} combined by xor"
        yield Piece(
            place.words, words, "number", place.rows, (exclusive >> bit & 1).astype(np.int8)
        )
    sums = np.array([2 * int(part[-1]) - int(part.sum(dtype=np.int64)) for part in every]) % 256
    words = f"({place.words}[-1] - sum({place.words}[:-1])) mod 256"
    yield Piece(place.words, words, "number", place.rows, sums)


def _letters(place: Place, parts: Sequence[Any], kind: Kind, pieces: Pieces) -> Iterator[Found]:
    """Length, letters or bytes, and the last ones where lengths differ."""
    lengths, column = place.lengths(parts)
    yield column
    what = "letters" if kind == "letter" else "bytes"
    chosen = _chosen(place, parts, kind, pieces, MOST_LETTERS, what)
    codes = _columns(parts, kind, chosen)
    for j, i in enumerate(chosen):
        yield Piece(place.words, f"{place.words}[{i}]", kind, place.rows, codes[:, j])
    if pieces.wanted is None and lengths.min() == lengths.max():
        return  # the last letters are among the first
    for i in range(1, LAST_LETTERS + 1):
        last = [part[-i] if len(part) >= i else -1 for part in parts]
        numbers = [ord(c) if isinstance(c, str) else c for c in last]
        words = f"{place.words}[-{i}]"
        yield Piece(place.words, words, kind, place.rows, np.array(numbers, dtype=np.int32))


def _chosen(
    place: Place, parts: Sequence[Any], kind: Kind, pieces: Pieces, most: int, what: str
) -> Sequence[int]:
    """Numbers of the letters or bytes that become columns: those that differ most between inputs.

    The first one is among them where there is none at all.
    """
    longest = max(map(len, parts))
    if pieces.wanted is not None:
        return [i for i in pieces.wanted.entries(place.words) if i < max(1, longest)]
    if longest <= most:
        return range(max(1, longest))
    wide = min(longest, WIDEST)
    owners = pieces.owners_of(place.rows)
    first = first_of_each(owners, wide, MOST_OF_ARRAYS // 8)
    codes = _columns([parts[i] for i in first.tolist()], kind, range(wide))
    if kind == "byte":
        apart = differences_of_bytes(np.maximum(codes, 0).astype(np.uint8), owners[first])
    else:
        apart = differences(codes, owners[first])
    among = "" if wide == longest else f" the first {wide:,} of"
    pieces.note(
        f"Of{among} {longest:,} {what} of {place.words} the {most} that differ most between inputs "
        "were looked at one by one."
    )
    return most_different(apart, most)


def _columns(parts: Sequence[Any], kind: Kind, chosen: Sequence[int]) -> NDArray[np.int32]:
    """Codes of the chosen letters or bytes of all strings; -1 where a string is shorter."""
    encode, each = _LETTERS if kind == "letter" else _BYTES
    width = max(chosen, default=0) + 1
    found = np.empty((len(parts), len(chosen)), dtype=np.int32)
    for start in range(0, len(parts), AT_ONCE):
        some = parts[start : start + AT_ONCE]
        joined = b"".join(encode(p[:width]).ljust(each.itemsize * width, b"\0") for p in some)
        codes = np.frombuffer(joined, each).reshape(len(some), width)[:, list(chosen)]
        short = np.array([len(p) for p in some])[:, None] <= np.array(chosen, dtype=np.int64)
        found[start : start + AT_ONCE] = np.where(short, -1, codes.astype(np.int32))
    return found


def number_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """Integers and floats, which share a column."""
    if isinstance(place.parts, np.ndarray):
        wide = np.float64 if place.parts.dtype.kind == "f" else np.int64
        if place.parts.dtype != np.uint64:
            yield Block([place.words], place.rows, place.parts.astype(wide)[:, None])
            return
    natives: Sequence[Any] = place.parts
    if not {int, float}.issuperset(map(type, natives)):
        natives = [p.item() if isinstance(p, np.generic) else p for p in natives]
    is_float = np.array([isinstance(part, float) for part in natives], dtype=np.bool_)
    for chosen, convert in ((~is_float, integers), (is_float, partial(np.array, dtype=np.float64))):
        if chosen.any():
            array = convert([p for p, c in zip(natives, chosen, strict=True) if c])
            yield Block([place.words], place.some(chosen), array[:, None])


def extended_float_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """Floats that are longer than Python's."""
    array = np.array([np.float64(part) for part in place.parts])
    yield Block([place.words], place.rows, array[:, None])
    rest = np.array([float(part - np.float64(part)) for part in place.parts])
    yield Block([f"rest of {place.words}"], place.rows, rest[:, None], place=place.words)


def _total_seconds(part: Any) -> float:
    if isinstance(part, datetime.datetime):
        start = datetime.datetime(1970, 1, 1)
        return (part.replace(tzinfo=None) - start).total_seconds()
    if isinstance(part, datetime.timedelta):
        return part.total_seconds()
    return float(part.hour * 3600 + part.minute * 60 + part.second + part.microsecond / 1e6)


PROPERTIES: Mapping[str, Mapping[str, Callable[[Any], Any]]] = {
    "none": {},
    "complex": {"real": lambda z: float(z.real), "imag": lambda z: float(z.imag)},
    "decimal": {
        "value": lambda d: math.nan if d.is_nan() else float(d),
        "exponent": lambda d: d.as_tuple().exponent,
        "digits": lambda d: len(d.as_tuple().digits),
        "last digit": lambda d: d.as_tuple().digits[-1],
    },
    "fraction": {
        "value": lambda f: _ratio(f.numerator, f.denominator),
        "numerator": lambda f: int(f.numerator),
        "denominator": lambda f: int(f.denominator),
    },
    "enum": {"name": lambda e: e.name, "value": lambda e: e.value},
    "datetime": {
        "seconds": _total_seconds,
        "microsecond": lambda t: t.microsecond,
        "nanosecond": lambda t: getattr(t, "nanosecond", 0),
        "tzinfo": lambda t: str(t.tzinfo),
        "fold": lambda t: t.fold,
        "hour": lambda t: t.hour,
        "weekday()": lambda t: t.weekday() if isinstance(t, datetime.date) else -1,
        "month": lambda t: getattr(t, "month", 0),
    },
    "path": {"__str__()": str},
    "uuid": {
        "int": lambda u: u.int,  # first: of the numbers after some others no bits are looked at
        "version": lambda u: u.version,
        "variant": lambda u: u.variant,
    },
    "date": {
        "toordinal()": lambda d: d.toordinal(),
        "weekday()": lambda d: d.weekday(),
        "month": lambda d: d.month,
        "day": lambda d: d.day,
    },
    "time of NumPy": {
        "astype(int)": lambda t: int(t.astype(np.int64)),
        "dtype": lambda t: str(t.dtype),
    },
    "masked array": {"data": lambda a: a.data, "mask": np.ma.getmaskarray},
    "timedelta": {"seconds": _total_seconds, "microseconds": lambda t: t.microseconds},
}
"""Properties of values of these kinds, by name; each becomes a place."""


def _ratio(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator
    except OverflowError:
        return as_float(numerator)


def property_parts(kind: str) -> Callable[[Place, Pieces], Iterator[Found]]:
    """A handler that makes a place of every property of a kind."""

    def handler(place: Place, pieces: Pieces) -> Iterator[Found]:
        everywhere = np.ones(len(place.parts), dtype=np.bool_)
        for name, function in PROPERTIES[kind].items():
            found = [function(part) for part in place.parts]
            yield place.inside(f"{place.words}.{name}", found, everywhere)

    return handler
