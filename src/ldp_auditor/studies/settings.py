"""Values that the paper's experiments share (sections 5.1 and 5.2)."""

PURE = ["GRR", "SS", "SUE", "OUE", "BLH", "OLH", "SHE", "THE"]
FINITE = ["AGRR", "ASUE", "ABLH", "AOLH"]
"""Approximate protocols with a finite range, which have a pure counterpart."""
GAUSSIAN = ["GM", "AGM"]
COUNTERPARTS = {"GRR": "AGRR", "SUE": "ASUE", "BLH": "ABLH", "OLH": "AOLH"}

EPSILONS = [0.25, 0.5, 0.75, 1.0, 2.0, 4.0, 6.0, 10.0]
HIGH_PRIVACY = [0.25, 0.5, 0.75, 1.0]
DOMAIN_SIZES = [25, 50, 100, 150, 200]
DELTA = 1e-5
