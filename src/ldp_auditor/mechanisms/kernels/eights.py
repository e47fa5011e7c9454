"""Steps of kernels on eight numbers side by side, written for the compiler as vectors.

The compiler makes vectors of most loops by itself, but not of these: it takes numbers that are
looked up to pieces, and does not look at rows of less than 32 numbers as vectors at all. A vector
here is one of LLVM's, which every processor has in registers of its own width; arithmetic is that
of single numbers, bit by bit.
"""

from collections.abc import Callable, Iterator
from typing import Any

from ldp_auditor.mechanisms.kernels.compilation import lowered

EIGHT = 8

SIGN_BIT = 63
"""The sign of a float."""

PLACE_BITS = 12
"""Bits of a word below its 52 digits: eleven that choose a layer and a sign."""

AT_2_TO_52 = 0x4330000000000000
"""Bits of the float 2^52, whose last digit is 1."""


@lowered("uint64(uint64[::1], uint64, float64[::1], uint64, float64[::1])")
def place_eight(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Write places in layers for `words[i : i + 8]` to `out[i : i + 8]`; tell which have no layer.

    The arguments are `words`, `i`, the `widths` of layers divided by 2^52, the number of `layers`
    and `out`. Low bits of a word choose a layer, the next one is the sign of the place, and the
    digits above it are the place itself: no bit is used twice. As digits of a float at 2^52 they
    become a number without an instruction that few processors have for many at once. Bit j of what
    is returned stands for word i + j.
    """
    from llvmlite import ir

    i64, f64 = ir.IntType(64), ir.DoubleType()
    integers, floats = ir.VectorType(i64, EIGHT), ir.VectorType(f64, EIGHT)
    words, start, widths, layers, out = arguments
    types = signature.args
    word_data = context.make_array(types[0])(context, builder, words).data
    width_data = context.make_array(types[2])(context, builder, widths).data
    out_data = context.make_array(types[4])(context, builder, out).data
    shares = context.make_array(types[2])(context, builder, widths).nitems
    low = builder.sub(shares, i64(1))  # there is a power of two of them
    width = floats(ir.Undefined)
    for j in range(EIGHT):
        # One by one: a processor that looks up eight at once is hardly faster, others are slower.
        word = builder.load(builder.gep(word_data, [builder.add(start, i64(j))]))
        chosen = builder.load(builder.gep(width_data, [builder.and_(word, low)]))
        width = builder.insert_element(width, chosen, ir.IntType(32)(j))
    first = builder.gep(word_data, [start])
    word = builder.load(builder.bitcast(first, integers.as_pointer()), align=8)
    digits = builder.or_(builder.lshr(word, _all(integers, PLACE_BITS)), _all(integers, AT_2_TO_52))
    number = builder.fsub(builder.bitcast(digits, floats), _all(floats, 2.0**52))
    size = builder.bitcast(builder.fmul(number, width), integers)
    moved = builder.shl(word, _all(integers, SIGN_BIT - PLACE_BITS + 1))
    sign = builder.and_(moved, _all(integers, 1 << SIGN_BIT))
    place = builder.bitcast(builder.or_(size, sign), floats)
    target = builder.bitcast(builder.gep(out_data, [start]), floats.as_pointer())
    builder.store(place, target, align=8)
    share = builder.and_(word, _spread(builder, low, integers))
    outside = builder.icmp_signed(">=", share, _spread(builder, layers, integers))
    return builder.zext(builder.bitcast(outside, ir.IntType(EIGHT)), i64)


SIDE_BY_SIDE = 4
"""Vectors of lanes that are stepped at a time: while one waits for itself, the other goes on."""


@lowered("uint64(uint64[:, ::1], uint64[::1])")
def draw_lanes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Write the next words of every lane, one of each in turn, until an array is full.

    The arguments are the state of all lanes and an array that has room for as many words of each.
    The state of some lanes at a time stays in registers. Return how many words there are.
    """
    from llvmlite import ir
    from numba.core import cgutils

    i64 = ir.IntType(64)
    vector = ir.VectorType(i64, EIGHT)
    lanes = context.make_array(signature.args[0])(context, builder, arguments[0])
    words = context.make_array(signature.args[1])(context, builder, arguments[1])
    columns, some = builder.extract_value(lanes.shape, 1), i64(EIGHT * SIDE_BY_SIDE)
    with cgutils.for_range_slice(builder, i64(0), columns, some) as (first, _):
        state = []
        for side in range(SIDE_BY_SIDE):
            for row in range(4):
                lane = builder.add(first, i64(EIGHT * side))
                place = builder.add(lane, builder.mul(columns, i64(row)))
                pointer = _place(builder, lanes.data, place, vector)
                value = builder.load(pointer, align=8)
                state.append((pointer, cgutils.alloca_once_value(builder, value)))
        with cgutils.for_range_slice(builder, first, words.nitems, columns) as (start, _):
            for side in range(SIDE_BY_SIDE):
                part = state[4 * side : 4 * side + 4]
                word, *after = _advance(builder, *(builder.load(kept) for _, kept in part))
                for value, (_, kept) in zip(after, part, strict=True):
                    builder.store(value, kept)
                target = builder.add(start, i64(EIGHT * side))
                builder.store(word, _place(builder, words.data, target, vector), align=8)
        for pointer, kept in state:
            builder.store(builder.load(kept), pointer, align=8)
    return words.nitems


def _advance(builder: Any, a: Any, b: Any, c: Any, d: Any) -> tuple[Any, ...]:
    """`xoshiro.advance` of eight streams."""
    vector = a.type

    def turned(value: Any, bits: int) -> Any:
        high = builder.shl(value, _all(vector, bits))
        return builder.or_(high, builder.lshr(value, _all(vector, 64 - bits)))

    word = builder.add(turned(builder.add(a, d), 23), a)
    shifted = builder.shl(b, _all(vector, 17))
    c, d = builder.xor(c, a), builder.xor(d, b)
    b, a = builder.xor(b, c), builder.xor(a, d)
    return word, a, b, builder.xor(c, shifted), turned(d, 45)


TOGETHER = 2
"""Halvings between which sets stay in registers."""


@lowered("uint64(uint64[:, ::1], uint64[:, ::1], uint64[:, ::1], uint64[::1], uint64)")
def halve_eight(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Halve the candidates of eight sets some times, and return the lane after theirs.

    The arguments are the state of all lanes, the `candidates` of their sets and what is `chosen`
    (a row for each word of a set; an even number of them, eight at most), how many are `missing`,
    and the first lane. A random half of the candidates is taken if no more are missing, else it is
    what is left to choose from.
    """
    from llvmlite import ir

    i64 = ir.IntType(64)
    vector = ir.VectorType(i64, EIGHT)
    table, row = (context.make_array(signature.args[place]) for place in (0, 3))
    state, candidates, chosen = (table(context, builder, one) for one in arguments[:3])
    missing, lane = row(context, builder, arguments[3]), arguments[4]
    columns = builder.extract_value(state.shape, 1)
    count = _popcount(builder, vector)

    def rows_of(array: Any, rows: int) -> list[Any]:
        starts = (builder.add(lane, builder.mul(columns, i64(r))) for r in range(rows))
        return [_place(builder, array.data, start, vector) for start in starts]

    def halve(words: int) -> None:
        places = [
            *rows_of(candidates, words),
            *rows_of(chosen, words),
            *rows_of(state, 4),
            _place(builder, missing.data, lane, vector),
        ]
        values = [builder.load(place, align=8) for place in places]
        left, full, stream = values[:words], values[words : 2 * words], values[2 * words : -1]
        still = values[-1]
        for _ in range(TOGETHER):
            size, halves = _all(vector, 0), []
            for w in range(words):
                word, *stream = _advance(builder, *stream)
                halves.append(builder.and_(left[w], word))
                size = builder.add(size, builder.call(count, [halves[w]]))
            fits = builder.icmp_signed("<=", size, still)
            still = builder.sub(still, builder.select(fits, size, _all(vector, 0)))
            for w, half in enumerate(halves):
                taken = builder.select(fits, half, _all(vector, 0))
                full[w] = builder.or_(full[w], taken)
                left[w] = builder.select(fits, builder.xor(left[w], half), half)
        for value, place in zip([*left, *full, *stream, still], places, strict=True):
            builder.store(value, place, align=8)

    rows = builder.extract_value(candidates.shape, 0)
    done = builder.append_basic_block("done")
    choice = builder.switch(rows, done)
    for words in range(2, EIGHT + 1, 2):
        block = builder.append_basic_block(f"halve_{words}_words")
        choice.add_case(i64(words), block)
        builder.position_at_end(block)
        halve(words)
        builder.branch(done)
    builder.position_at_end(done)
    return builder.add(lane, i64(EIGHT))


def _popcount(builder: Any, vector: Any) -> Any:
    """The number of ones of eight words."""
    from llvmlite import ir

    name = f"llvm.ctpop.v{EIGHT}i64"
    return builder.module.globals.get(name) or ir.Function(
        builder.module, ir.FunctionType(vector, [vector]), name
    )


def _place(builder: Any, data: Any, index: Any, vector: Any) -> Any:
    """Return where eight numbers begin."""
    return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())


@lowered("uint64(uint64[:, ::1], uint64[:, ::1], uint64[:, ::1], uint64)")
def join_rows(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Make a row of bits of its two children; tell in which of its 64 words both have the same one.

    The arguments are the rows, which of them were `moved` from a second child and are not of the
    first, `ones`, of which the row has none, and the number of the row: its children have twice
    that, and one more.
    """
    from llvmlite import ir
    from numba.core import cgutils

    i64 = ir.IntType(64)
    vector = ir.VectorType(i64, EIGHT)
    table = context.make_array(signature.args[0])
    rows, moved, ones = (table(context, builder, one).data for one in arguments[:3])
    columns = builder.extract_value(table(context, builder, arguments[0]).shape, 1)
    here = builder.mul(arguments[3], columns)
    child = builder.add(here, here)
    shared = cgutils.alloca_once_value(builder, i64(0))
    with cgutils.for_range_slice(builder, i64(0), columns, i64(EIGHT)) as (start, _):
        first, second = (
            _eight(builder, rows, builder.add(start, one), vector)
            for one in (child, builder.add(child, columns))
        )
        place = builder.add(here, start)
        both = builder.and_(first, second)
        for value, target in (
            (builder.or_(first, second), rows),
            (builder.xor(second, both), moved),
            (_all(vector, 0), ones),
        ):
            builder.store(value, _place(builder, target, place, vector), align=8)
        some = builder.icmp_unsigned("!=", both, _all(vector, 0))
        bits = builder.zext(builder.bitcast(some, ir.IntType(EIGHT)), i64)
        builder.store(builder.or_(builder.load(shared), builder.shl(bits, start)), shared)
    return builder.load(shared)


@lowered("uint64(uint64)")
def trailing_zeros(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Position of the lowest one of a word that has one."""
    from llvmlite import ir

    return builder.cttz(arguments[0], ir.IntType(1)(1))


@lowered("float64(float64[:, :], uint64)")
def largest_of_row(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the largest number of a row of eight at least, which lie side by side."""
    from llvmlite import ir
    from numba.core import cgutils

    floats = ir.VectorType(ir.DoubleType(), EIGHT)
    data, columns = _row(context, builder, signature, arguments)
    first = _eight(builder, data, columns.type(0), floats)
    best = [cgutils.alloca_once_value(builder, first) for _ in range(2)]
    for start, _, kept in _eights_of_row(builder, columns, best):
        some = _eight(builder, data, start, floats)
        builder.store(_larger(builder, some, builder.load(kept)), kept)
    both = _larger(builder, *map(builder.load, best))
    return _folded(builder, both, lambda one, other: _larger(builder, one, other))


@lowered("uint64(float64[:, :], uint64, float64)")
def reached_in_row(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return how many numbers of such a row reach a threshold, times 2^32, plus their columns."""
    from llvmlite import ir
    from numba.core import cgutils

    integers = ir.VectorType(ir.IntType(64), EIGHT)
    floats = ir.VectorType(ir.DoubleType(), EIGHT)
    data, columns = _row(context, builder, signature, arguments)
    threshold = _spread(builder, arguments[2], floats)
    ones, none = integers([2**32 + j for j in range(EIGHT)]), _all(integers, 0)
    totals = [cgutils.alloca_once_value(builder, none) for _ in range(2)]
    for start, least, kept in _eights_of_row(builder, columns, totals):
        number = builder.add(ones, _spread(builder, start, integers))
        counts = builder.fcmp_ordered(">=", _eight(builder, data, start, floats), threshold)
        if least is not start:
            limit = builder.add(least, columns.type(2**32))
            is_new = builder.icmp_signed(">=", number, _spread(builder, limit, integers))
            counts = builder.and_(counts, is_new)
        added = builder.select(counts, number, none)
        builder.store(builder.add(builder.load(kept), added), kept)
    return _folded(builder, builder.add(*map(builder.load, totals)), builder.add)


def _eights_of_row(builder: Any, columns: Any, kept: list[Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield where eight columns begin, from which on they are new, and one of two results.

    What is written for the first two is repeated; the last two may overlap those before.
    """
    from numba.core import cgutils

    def number(value: int) -> Any:
        return columns.type(value)

    whole = builder.and_(columns, number(-2 * EIGHT))
    with cgutils.for_range_slice(builder, number(0), whole, number(2 * EIGHT)) as (start, _):
        yield start, start, kept[0]
        after = builder.add(start, number(EIGHT))
        yield after, after, kept[1]
    last = builder.sub(columns, number(EIGHT))
    first = builder.select(builder.icmp_signed("<", whole, last), whole, last)
    yield first, whole, kept[0]
    yield last, builder.add(first, number(EIGHT)), kept[1]


def _row(context: Any, builder: Any, signature: Any, arguments: Any) -> tuple[Any, Any]:
    """Return where a row of an array begins and how many columns it has."""
    scores = context.make_array(signature.args[0])(context, builder, arguments[0])
    rows, columns = (builder.extract_value(scores.shape, axis) for axis in (0, 1))
    stride = builder.extract_value(scores.strides, 0)
    data = builder.ptrtoint(scores.data, rows.type)
    start = builder.add(data, builder.mul(arguments[1], stride))
    return builder.inttoptr(start, scores.data.type), columns


def _eight(builder: Any, data: Any, start: Any, floats: Any) -> Any:
    """Load eight numbers."""
    return builder.load(builder.bitcast(builder.gep(data, [start]), floats.as_pointer()), align=8)


def _larger(builder: Any, one: Any, other: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", one, other), one, other)


def _folded(builder: Any, vector: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """Combine eight numbers to one, each half with the other."""
    from llvmlite import ir

    half = EIGHT // 2
    while half:
        turned = ir.VectorType(ir.IntType(32), EIGHT)([j ^ half for j in range(EIGHT)])
        vector = combine(vector, builder.shuffle_vector(vector, vector, turned))
        half //= 2
    return builder.extract_element(vector, ir.IntType(32)(0))


def _all(vector: Any, value: Any) -> Any:
    """A constant vector of the same value."""
    return vector([value] * EIGHT)


def _spread(builder: Any, value: Any, vector: Any) -> Any:
    """A vector of a value that is known when the kernel runs."""
    from llvmlite import ir

    spread = vector(ir.Undefined)
    for j in range(EIGHT):
        spread = builder.insert_element(spread, value, ir.IntType(32)(j))
    return spread
