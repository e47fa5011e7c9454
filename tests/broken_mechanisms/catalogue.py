"""All wrong mechanisms, family by family."""

from __future__ import annotations

from tests.broken_mechanisms import (
    carriers,
    cubes,
    direct,
    discrete,
    gaussian,
    hashing,
    histograms,
    key_values,
    laplace,
    lattice,
    numbers,
    places,
    projective,
    rappor,
    rare,
    records,
    relations,
    repeated,
    shapes,
    sketches,
    spheres,
    subsets,
    unary,
    weak_parts,
)
from tests.broken_mechanisms.entry import Entry

CATALOGUE: tuple[Entry, ...] = (
    *direct.ENTRIES,
    *subsets.ENTRIES,
    *unary.ENTRIES,
    *histograms.ENTRIES,
    *hashing.ENTRIES,
    *rappor.ENTRIES,
    *laplace.ENTRIES,
    *lattice.ENTRIES,
    *numbers.ENTRIES,
    *sketches.ENTRIES,
    *gaussian.ENTRIES,
    *discrete.ENTRIES,
    *cubes.ENTRIES,
    *spheres.ENTRIES,
    *places.ENTRIES,
    *key_values.ENTRIES,
    *projective.ENTRIES,
    *repeated.ENTRIES,
    *records.ENTRIES,
    *shapes.ENTRIES,
    *carriers.ENTRIES,
    *rare.ENTRIES,
    *relations.ENTRIES,
    *weak_parts.ENTRIES,
)
"""Every pair; names are unique."""
