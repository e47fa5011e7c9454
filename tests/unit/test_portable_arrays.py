"""Exponentials and logarithms of arrays have the bits of those of single numbers."""

from __future__ import annotations

import numpy as np

from ldp_auditor.portable_arrays import exps, logs
from ldp_auditor.portable_math import exp, log


def test_arrays_have_the_bits_of_single_numbers() -> None:
    rng = np.random.default_rng(1)
    powers = np.concatenate([rng.uniform(-700, 700, 2000), [0.0, -0.0, 0.5, 1.0, 300.0]])
    assert exps(powers).tolist() == [exp(x) for x in powers.tolist()]
    positive = np.concatenate([exps(powers), rng.random(2000) + 1e-15, [1.0, 2**-0.5, 1 - 1e-15]])
    assert logs(positive).tolist() == [log(x) for x in positive.tolist()]


def test_a_single_number_is_an_array_without_axes() -> None:
    assert float(exps(1.0)) == exp(1.0)
    assert float(logs(3.0)) == log(3.0)
