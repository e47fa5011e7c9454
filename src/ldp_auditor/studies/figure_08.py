"""Figure 8: pure-ldp 1.1.2's unary encodings break their promise (section 5.7).

The package makes reports one by one, so there are a tenth of the paper's trials. It is taken from
this environment, or from one of its own.
"""

from dataclasses import replace

from ldp_auditor.studies.environment import Environment
from ldp_auditor.studies.figure_02 import BY_DOMAIN_SIZE
from ldp_auditor.studies.settings import DOMAIN_SIZES, EPSILONS
from ldp_auditor.studies.study import Study

OLD = Environment(
    "pure-ldp",
    "1.1.2",
    # What that version imports beyond numpy and scipy, some of it undeclared.
    requirements=("xxhash<4", "bitarray", "bitstring", "scikit-learn", "statsmodels"),
)

STUDY = Study(
    name="figure-8",
    section="5.7",
    title=f"pure-ldp {OLD.version}",
    blocks=[
        {
            "protocol": ["pure-ldp:SUE", "pure-ldp:OUE"],
            "epsilon": EPSILONS,
            "domain_size": DOMAIN_SIZES,
        }
    ],
    arrangement=replace(BY_DOMAIN_SIZE, columns=2),
    violations=True,
    trials=100_000,
    quick_trials=20_000,
    environment=OLD,
)
