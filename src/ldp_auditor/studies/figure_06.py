"""Figure 6: many reports of one user at k = 2 and 100 (section 5.5)."""

from ldp_auditor.studies.settings import DELTA, GAUSSIAN, HIGH_PRIVACY, PURE
from ldp_auditor.studies.study import Arrangement, Study

REPORTS = [5, 10, 25, 50, 75, 100, 250, 500]


def over_time(name: str, section: str, domain_sizes: list[int]) -> Study:
    """The same experiment at other domain sizes."""
    both = {"epsilon": HIGH_PRIVACY, "domain_size": domain_sizes, "reports": REPORTS}
    return Study(
        name=name,
        section=section,
        title="Many reports of one user",
        blocks=[
            {"protocol": PURE, **both},
            {"protocol": GAUSSIAN, "delta": DELTA, **both},
        ],
        arrangement=Arrangement(
            panel="mechanism",
            x="reports",
            series="epsilon",
            x_label="number of reports",
            series_label="epsilon per report",
            columns=5,
            block="domain_size",
            block_label="k",
            promise="own",
        ),
        quick_trials=10_000,
    )


STUDY = over_time("figure-6", "5.5", [2, 100])
