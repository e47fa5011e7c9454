"""Figure 1: the eight pure protocols at epsilon = 2.

The paper does not say at which domain size; 100 agrees with its statements about SUE and BLH.
"""

from ldp_auditor.studies.settings import PURE
from ldp_auditor.studies.study import Study

STUDY = Study(
    name="figure-1",
    section="1",
    title="Eight pure protocols at epsilon = 2, k = 100",
    blocks=[{"protocol": PURE, "epsilon": 2.0, "domain_size": 100}],
    arrangement=None,
)
