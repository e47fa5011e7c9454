"""Figure 5: local hashing without any perturbation (section 5.4)."""

from ldp_auditor.studies.settings import DOMAIN_SIZES
from ldp_auditor.studies.study import Arrangement, Study

STUDY = Study(
    name="figure-5",
    section="5.4",
    title="Local hashing only",
    blocks=[{"protocol": "LHO", "hash_range": [2, 4, 6, 8, 10], "domain_size": DOMAIN_SIZES}],
    arrangement=Arrangement(
        panel="mechanism",
        x="hash_range",
        series="domain_size",
        x_label="hash domain g",
        series_label="k",
        columns=1,
        promise=None,
        log=False,
    ),
)
