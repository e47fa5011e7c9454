"""Exact laws of estimated frequencies, by enumerating everything that users may send.

Nothing here knows a formula of `theory/estimation.py`: the law of a user's tally is made of the
probabilities of single reports, that of a collection by adding up users, and mean and variance are
sums over all outcomes of what `frequencies_from` makes of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ldp_auditor.core import Floats
from ldp_auditor.mechanisms.bucket_flipping import BitFlipsOfBuckets
from ldp_auditor.mechanisms.fake_data import SamplingPlusFakeData
from ldp_auditor.mechanisms.frequency_oracle import SupportOracle
from ldp_auditor.mechanisms.memoization import RepeatedForever
from ldp_auditor.mechanisms.memoized_bits import MemoizedBits
from ldp_auditor.mechanisms.memoized_values import LGRR, LOLOHA
from ldp_auditor.mechanisms.randomized_response import GRR
from ldp_auditor.mechanisms.record_solutions import Sampling, Splitting
from tests.enumeration import bits_law, enumerated_law

TallyLaw = dict[tuple[float, ...], float]
"""Probability of every tally."""


def tally_law(mechanism: Any, value: Any, reports: int) -> TallyLaw:
    """Law of the tally of `reports` reports of a user who holds `value`."""
    if isinstance(mechanism, RepeatedForever):
        once = one_report(mechanism, value)
        return {tuple(reports * x for x in row): chance for row, chance in once.items()}
    if isinstance(mechanism, MemoizedBits | LGRR | LOLOHA):
        return mixture(
            (chance, power(of_memo, reports)) for chance, of_memo in by_memo(mechanism, value)
        )
    return power(one_report(mechanism, value), reports)


def one_report(mechanism: Any, value: Any) -> TallyLaw:
    """Law of the tally of one report."""
    if isinstance(mechanism, Splitting | Sampling | SamplingPlusFakeData):
        return one_record(mechanism, value)
    k = mechanism.domain_size
    if isinstance(mechanism, GRR):
        return response(k, value, mechanism.p, mechanism.q)
    if isinstance(mechanism, BitFlipsOfBuckets):
        return one_report_of_buckets(mechanism, value)
    assert isinstance(mechanism, SupportOracle)
    swapped = {0: value, value: 0}
    return {
        tuple(float(swapped.get(v, v) in members) for v in range(k)): chance
        for members, chance in enumerated_law(mechanism).items()
    }


def response(k: int, value: int, p: float, q: float) -> TallyLaw:
    """Law of the tally of one randomized response."""
    return {one_hot(k, v): p if v == value else q for v in range(k)}


def bits(rates: list[float]) -> TallyLaw:
    """Law of the tally of one set of independent bits."""
    return {
        tuple(float(v in members) for v in range(len(rates))): chance
        for members, chance in bits_law(rates).items()
    }


def one_report_of_buckets(mechanism: BitFlipsOfBuckets, value: int) -> TallyLaw:
    """Law of which buckets are drawn and which bits are 1, over all choices and all bits."""
    b, d, own = mechanism.buckets, mechanism.bits, mechanism.bucket(value)
    ways = math.comb(b, d)
    law: TallyLaw = {}
    for drawn in itertools.combinations(range(b), d):
        rates = [
            (1 - mechanism.flip if j == own else mechanism.flip) if j in drawn else 0.0
            for j in range(b)
        ]
        for ones, chance in bits(rates).items():
            row = (*(float(j in drawn) for j in range(b)), *ones)
            law[row] = law.get(row, 0.0) + chance / ways
    return law


def by_memo(mechanism: Any, value: int) -> Iterable[tuple[float, TallyLaw]]:
    """Every memo of a user with its probability and the law of one report that is made of it."""
    k = mechanism.domain_size
    if isinstance(mechanism, MemoizedBits):
        chain = mechanism.chain
        for memo, chance in bits([chain.p1 if v == value else chain.q1 for v in range(k)]).items():
            yield chance, bits([chain.p2 if bit else chain.q2 for bit in memo])
        return
    second = mechanism.response
    if isinstance(mechanism, LGRR):
        for kept in range(k):
            yield second.p1 if kept == value else second.q1, response(k, kept, second.p2, second.q2)
        return
    g = mechanism.hash_size
    for function in itertools.product(range(g), repeat=k):
        for kept in range(g):
            chance = second.p1 if kept == function[value] else second.q1
            law: TallyLaw = {}
            for sent in range(g):
                row = tuple(float(hashed == sent) for hashed in function)
                law[row] = law.get(row, 0.0) + (second.p2 if sent == kept else second.q2)
            yield chance / g**k, law


def one_record(mechanism: Any, record: Sequence[int]) -> TallyLaw:
    """Law of the tally of one report of a record."""
    parts, d = mechanism.parts, mechanism.attributes
    own = [one_report(part, v) for part, v in zip(parts, record, strict=True)]
    if isinstance(mechanism, Splitting):
        return beside(own)
    if isinstance(mechanism, Sampling):
        nothing: list[TallyLaw] = [{(0.0,) * len(next(iter(law))): 1.0} for law in own]
        return mixture(
            (1 / d, beside([*nothing[:j], own[j], *nothing[j + 1 :], {one_hot(d, j): 1.0}]))
            for j in range(d)
        )
    made_up = [made_up_report(mechanism, part) for part in parts]
    return mixture((1 / d, beside([*made_up[:j], own[j], *made_up[j + 1 :]])) for j in range(d))


def made_up_report(mechanism: SamplingPlusFakeData, part: Any) -> TallyLaw:
    """Law of the tally of a made-up report: [Arcolezi21] by its words."""
    k = part.domain_size
    if isinstance(part, GRR):
        return response(k, 0, 1 / k, 1 / k)
    if mechanism.fake.sign == "-z":
        return bits([part.q] * k)
    return mixture((1 / k, one_report(part, v)) for v in range(k))


def one_hot(size: int, place: int) -> tuple[float, ...]:
    """Zeros and a 1."""
    return tuple(float(i == place) for i in range(size))


def mixture(laws: Iterable[tuple[float, TallyLaw]]) -> TallyLaw:
    """One of several laws, each with its probability."""
    mixed: TallyLaw = {}
    for weight, law in laws:
        for row, chance in law.items():
            mixed[row] = mixed.get(row, 0.0) + weight * chance
    return mixed


def beside(laws: Sequence[TallyLaw]) -> TallyLaw:
    """Independent tallies, one after the other."""
    joined: TallyLaw = {(): 1.0}
    for law in laws:
        joined = {
            (*a, *b): first * second
            for (a, first), (b, second) in itertools.product(joined.items(), law.items())
        }
    return joined


def added(first: TallyLaw, second: TallyLaw) -> TallyLaw:
    """Sum of two independent tallies."""
    total: TallyLaw = {}
    for (a, p), (b, q) in itertools.product(first.items(), second.items()):
        row = tuple(x + y for x, y in zip(a, b, strict=True))
        total[row] = total.get(row, 0.0) + p * q
    return total


def power(law: TallyLaw, times: int) -> TallyLaw:
    """Sum of independent tallies of the same law."""
    total = law
    for _ in range(times - 1):
        total = added(total, law)
    return total


def collections(mechanism: Any, values: Sequence[Any], reports: int) -> tuple[list[Any], Floats]:
    """What users with these values are estimated at, in every outcome, with its probability."""
    total: TallyLaw = {(0.0,) * mechanism.tally_size: 1.0}
    for value in values:
        total = added(total, tally_law(mechanism, value, reports))
    sent = len(values) * reports
    chances = np.array(list(total.values()))
    assert abs(chances.sum() - 1) < 1e-12
    return [mechanism.frequencies_from(np.array(row), sent) for row in total], chances


def moments(estimated: Sequence[Floats], chances: Floats) -> tuple[Floats, Floats]:
    """Exact mean and variance of estimated frequencies.

    Of an attribute that nobody drew there is no estimate: such outcomes are left out.
    """
    outcomes = np.array(estimated)
    known = ~np.isnan(outcomes[:, 0])
    outcomes, chances = outcomes[known], chances[known] / chances[known].sum()
    mean = chances @ outcomes
    return mean, chances @ (outcomes - mean) ** 2
