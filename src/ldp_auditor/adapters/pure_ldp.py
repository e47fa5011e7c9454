"""pure-ldp, the frequency oracles of Cormode, Maddock and Maple: `XClient(...).privatise(x)`.

The package draws from `random` and from `numpy.random`. Its servers choose hash functions at
random; here their seeds are fixed, so that every process evaluates reports in the same way. The
extra pure-ldp brings what the package needs and does not declare.
"""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ldp_auditor.adapters.foreign import Hashing, OneByOne, import_foreign, import_xxhash, refusals
from ldp_auditor.adapters.randomizer import Adapter, Randomizer, Terms
from ldp_auditor.errors import must, whole_number
from ldp_auditor.portable_math import exp

NAME = "pure-ldp"


def _create(client: str, *arguments: Any, **settings: Any) -> Any:
    """Return a client, or a server, of the package."""
    oracles = import_foreign(NAME, "pure_ldp.frequency_oracles")
    import_xxhash(NAME)
    with refusals(f"{NAME}'s {client}"):
        return getattr(oracles, client)(*arguments, **settings)


def _hash_functions(count: int, size: int) -> Any:
    return import_foreign(NAME, "pure_ldp.core").generate_hash_funcs(count, size)


def _reports(client: Any) -> Callable[[int], Any]:
    """Return a source of reports; the package's values start at 1."""
    return lambda value: client.privatise(value + 1)


def _plain_client(client: str, settings: Mapping[str, Any], terms: Terms) -> Randomizer:
    made = _create(client, terms.epsilon, terms.domain_size, **settings)
    return OneByOne(terms.domain_size, _reports(made))


def _thresholding(terms: Terms) -> Randomizer:
    """The noisy histogram cut at the server's threshold, which the package leaves to the server."""
    client = _create("HEClient", terms.epsilon, terms.domain_size)
    theta = _create("HEServer", terms.epsilon, terms.domain_size, use_the=True).theta

    def draw(value: int) -> Any:
        return [int(entry > theta) for entry in client.privatise(value + 1)]

    return OneByOne(terms.domain_size, draw)


def _local_hashing(optimal: bool, terms: Terms) -> Randomizer:
    client = _create("LHClient", terms.epsilon, terms.domain_size, use_olh=optimal)
    return Hashing(terms.domain_size, _reports(client), _hash_matches(client, int))


def _fast_local_hashing(terms: Terms, *, hashes: int = 100) -> Randomizer:
    """Optimal local hashing with few hash functions."""
    hashes = whole_number("hashes", hashes, 1)
    client = _create("FastLHClient", terms.epsilon, terms.domain_size, hashes, use_olh=True)
    return Hashing(terms.domain_size, _reports(client), _hash_matches(client, int))


def _hash_matches(client: Any, item: Callable[[int], int]) -> Callable[[Any, int], bool]:
    """Return whether a report (hash, seed) is the hash of the item that a value stands for."""
    xxhash = import_xxhash(NAME)

    def matches(report: Any, value: int) -> bool:
        hashed, seed = report
        return bool(xxhash.xxh32(str(item(value)), seed=seed).intdigest() % client.g == hashed)

    return matches


def _hadamard_mechanism(terms: Terms, *, coefficients: int | None = None) -> Randomizer:
    """Pairs of a row and the sign found there, all of the signs wrong with some probability."""
    if coefficients is not None:
        whole_number("coefficients", coefficients, 1, 16)
    arguments = (terms.epsilon, terms.domain_size, coefficients)
    client = _create("HadamardMechClient", *arguments, use_optimal_t=coefficients is None)

    def matches(report: Any, value: int) -> bool:
        return all(sign == _hadamard_entry(row, value) for row, sign in report)

    return Hashing(terms.domain_size, _reports(client), matches)


def _hadamard_entry(row: int, column: int) -> int:
    """Return the sign in that cell of Sylvester's Hadamard matrix."""
    return -1 if (row & column).bit_count() % 2 else 1


def _hadamard_response(terms: Terms) -> Randomizer:
    """A symbol of a Hadamard code; the public permutation of the values is the identity here."""
    epsilon, size = terms.epsilon, terms.domain_size
    rule = "exceed 1 for pure-ldp's HadamardResponse since Python 3.12"
    must(sys.version_info < (3, 12) or epsilon > 1, rule, epsilon=epsilon)
    client = _create("HadamardResponseClient", epsilon, size, list(range(size)))
    return OneByOne(size, _reports(client))


def _count_mean_sketch(
    hadamard: bool, terms: Terms, *, hashes: int = 16, sketch_size: int = 64
) -> Randomizer:
    hashes, size = _sketch(hashes, sketch_size)
    must(not hadamard or size.bit_count() == 1, "be a power of two", sketch_size=size)
    functions = _hash_functions(hashes, size)
    client = _create("CMSClient", terms.epsilon, functions, size, is_hadamard=hadamard)

    def matches(report: Any, value: int) -> bool:
        cell = functions[report[1]](str(value + 1))
        if hadamard:
            return bool(report[0] == _hadamard_entry(report[2], cell))
        return bool(report[0][cell] == 1)

    return Hashing(terms.domain_size, _reports(client), matches)


def _sketch(hashes: int, sketch_size: int) -> tuple[int, int]:
    return whole_number("hashes", hashes, 1), whole_number("sketch_size", sketch_size, 2)


def _private_count_sketch(terms: Terms, *, hashes: int = 16, sketch_size: int = 64) -> Randomizer:
    """A vector of random signs with one that leans to the value's, and the index of the hash."""
    hashes, size = _sketch(hashes, sketch_size)
    functions = _count_sketch_functions(hashes, size)
    client = _create("PCSClient", terms.epsilon, hashes, size, functions)

    def matches(report: Any, value: int) -> bool:
        cell, sign = functions[report[1]]
        return bool(report[0][cell(str(value + 1))] == 2 * sign(str(value + 1)) - 1)

    return Hashing(terms.domain_size, _reports(client), matches)


def _count_sketch_functions(hashes: int, size: int) -> list[Any]:
    """Return pairs of hash functions, to cells and to signs."""
    return list(zip(_hash_functions(hashes, size), _hash_functions(hashes, 2), strict=True))


def _sketch_response(
    terms: Terms, *, hashes: int = 16, sketch_size: int = 64, count_sketch: bool = False
) -> Randomizer:
    """A cell of a sketch, reported with the fast local hashing that is the package's default."""
    hashes, size = _sketch(hashes, sketch_size)
    functions = (_count_sketch_functions if count_sketch else _hash_functions)(hashes, size)
    arguments = (terms.epsilon, size, functions)
    client = _create("SketchResponseClient", *arguments, count_sketch=count_sketch)

    def matches(report: Any, value: int) -> bool:
        inner, index = report
        return _hash_matches(client.client, lambda value: cell_of(index, value))(inner, value)

    def cell_of(index: int, value: int) -> int:
        if not count_sketch:
            return int(functions[index](value))
        cell, sign = functions[index]
        return int(client.cs_map((cell(value) + 1) * (2 * sign(value) - 1)))

    return Hashing(terms.domain_size, _reports(client), matches)


def _rappor(
    terms: Terms, *, hashes: int = 2, sketch_size: int = 64, cohorts: int = 8
) -> Randomizer:
    """A Bloom filter with noise, and the cohort that tells its hash functions.

    The client takes f, not epsilon: f is where the package's own formula gives back epsilon,
    without the rounding to two digits of its `convert_eps_to_f`.
    """
    hashes, size = _sketch(hashes, sketch_size)
    cohorts = whole_number("cohorts", cohorts, 1)
    functions = _hash_functions(cohorts * hashes, size)
    family = [functions[c * hashes : (c + 1) * hashes] for c in range(cohorts)]
    f = 2 / (1 + exp(terms.epsilon / (2 * hashes)))
    client = _create("RAPPORClient", f, size, family, num_of_cohorts=cohorts)

    def matches(report: Any, value: int) -> bool:
        bits, cohort = report
        return all(bits[function(str(value))] for function in family[cohort])

    return Hashing(terms.domain_size, _reports(client), matches)


ADAPTER = Adapter(
    NAME,
    {
        "DE": partial(_plain_client, "DEClient", {}),  # direct encoding: GRR
        "SUE": partial(_plain_client, "UEClient", {}),
        "OUE": partial(_plain_client, "UEClient", {"use_oue": True}),
        "SHE": partial(_plain_client, "HEClient", {}),
        "THE": _thresholding,
        "BLH": partial(_local_hashing, False),
        "OLH": partial(_local_hashing, True),
        "FastLH": _fast_local_hashing,
        "HadamardMech": _hadamard_mechanism,
        "HadamardResponse": _hadamard_response,
        "CMS": partial(_count_mean_sketch, False),  # Apple's count mean sketch
        "HCMS": partial(_count_mean_sketch, True),
        "PCS": _private_count_sketch,
        "SketchResponse": _sketch_response,
        "RAPPOR": _rappor,  # without the instantaneous step
    },
    note="needs xxhash < 4, and scikit-learn and statsmodels, which it does not declare; "
    "HadamardResponse with epsilon <= 1 needs Python < 3.12",
)
