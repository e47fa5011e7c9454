"""How far measured counts lie from the exact theory, over all cells of a study."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldp_auditor.results.table import Row
from ldp_auditor.seeding import chunk_generator, stream_key

ENOUGH = 20
"""Fewer z-scores than this are not tested."""

FARTHEST = 40.0
"""A z-score beyond this is told as this."""


@dataclass(frozen=True)
class Agreement:
    """Counts of true and of false positives against their binomial laws."""

    counts: int
    """Counts whose exact rate is known."""
    unknown: int
    """Counts whose exact rate is not."""
    largest: float
    """Largest |z|."""
    expected_largest: float
    """What the largest |z| of so many standard normal numbers exceeds with probability 1%."""
    p_value: float | None
    """Of the test (Kolmogorov-Smirnov) that independent z-scores are standard normal."""
    impossible: int
    """Counts that their exact rate, 0 or 1, does not allow."""

    @property
    def words(self) -> str:
        """How far the counts lie from the exact theory."""
        if not self.counts:
            return "no exact rates to compare with"
        text = (
            f"{self.counts:,} counts against exact rates: largest |z| = {self.largest:.2f} "
            f"(of as many standard normal numbers it exceeds {self.expected_largest:.2f} "
            "with probability 1%)"
        )
        if self.p_value is not None:
            text += f", z-scores standard normal: p = {self.p_value:.3f}"
        if self.impossible:
            text += f"; {self.impossible} counts are impossible under their exact rate"
        if self.unknown:
            text += f"; {self.unknown:,} counts have no exact rate"
        return text


def agreement(rows: Sequence[Row]) -> Agreement:
    """Compare the counts of rows with their exact rates.

    A z-score is the normal quantile of the count's place in its binomial law, a random place within
    the probability of the count itself, so that it is exactly standard normal for any rate. The
    rows of one cell share their users; the test takes the last row of each.
    """
    from scipy import stats

    last_of = {row["key"]: i for i, row in enumerate(rows)}
    counted = [
        (row["trials"], row[f"{side}s"], row[f"exact_{side}_rate"], last_of[row["key"]] == i)
        for i, row in enumerate(rows)
        for side in ("true_positive", "false_positive")
    ]
    known = [entry for entry in counted if entry[2] is not None]
    if not known:
        return Agreement(0, len(counted), 0.0, 0.0, None, 0)
    trials, counts, rates, last = (np.array(column) for column in zip(*known, strict=True))
    rates = np.clip(rates, 0.0, 1.0)
    chance = stats.binom.pmf(counts, trials, rates)
    impossible = (chance == 0) & ((rates == 0) | (rates == 1))
    within = chunk_generator(0, stream_key({"agreement of": len(known)}), 0, 0).random(len(known))
    below = stats.binom.cdf(counts - 1, trials, rates) + within * chance
    above = stats.binom.sf(counts, trials, rates) + (1 - within) * chance
    scores = np.where(below < 0.5, stats.norm.ppf(below), stats.norm.isf(above))
    z = np.clip(scores, -FARTHEST, FARTHEST)[~impossible]
    independent = z[last[~impossible]]
    return Agreement(
        len(z),
        len(counted) - len(known),
        float(np.abs(z).max(initial=0.0)),
        float(stats.norm.isf(-0.5 * np.expm1(np.log1p(-0.01) / max(1, len(z))))),
        float(stats.kstest(independent, "norm").pvalue) if len(independent) >= ENOUGH else None,
        int(impossible.sum()),
    )
