"""Figure 2: the eight pure protocols, all epsilons and domain sizes (section 5.2)."""

from ldp_auditor.studies.settings import DOMAIN_SIZES, EPSILONS, PURE
from ldp_auditor.studies.study import Arrangement, Study

BY_DOMAIN_SIZE = Arrangement(
    panel="mechanism",
    x="epsilon",
    series="domain_size",
    x_label="theoretical epsilon",
    series_label="k",
    columns=4,
)

STUDY = Study(
    name="figure-2",
    section="5.2",
    title="Pure protocols",
    blocks=[{"protocol": PURE, "epsilon": EPSILONS, "domain_size": DOMAIN_SIZES}],
    arrangement=BY_DOMAIN_SIZE,
)
