"""Figure 3: the six approximate protocols at delta = 1e-5 (section 5.2); GM has epsilon <= 1."""

from dataclasses import replace

from ldp_auditor.studies.figure_02 import BY_DOMAIN_SIZE
from ldp_auditor.studies.settings import DELTA, DOMAIN_SIZES, EPSILONS, FINITE, HIGH_PRIVACY
from ldp_auditor.studies.study import Study

STUDY = Study(
    name="figure-3",
    section="5.2",
    title="Approximate protocols at delta = 1e-5",
    blocks=[
        {"protocol": FINITE, "delta": DELTA, "epsilon": EPSILONS, "domain_size": DOMAIN_SIZES},
        {"protocol": "GM", "delta": DELTA, "epsilon": HIGH_PRIVACY, "domain_size": DOMAIN_SIZES},
        {"protocol": "AGM", "delta": DELTA, "epsilon": EPSILONS, "domain_size": DOMAIN_SIZES},
    ],
    arrangement=replace(BY_DOMAIN_SIZE, columns=3),
)
