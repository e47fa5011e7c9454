"""Figure 4: the impact of delta at k = 25 and 200 (section 5.3)."""

from ldp_auditor.studies.settings import COUNTERPARTS, FINITE, GAUSSIAN, HIGH_PRIVACY
from ldp_auditor.studies.study import Arrangement, Study

DELTAS = [1e-7, 1e-6, 1e-5, 1e-4]


def impact_of_delta(name: str, section: str, domain_sizes: list[int]) -> Study:
    """The same experiment at other domain sizes; delta = 0 is the pure protocol."""
    both = {"epsilon": HIGH_PRIVACY, "domain_size": domain_sizes}
    return Study(
        name=name,
        section=section,
        title="Impact of delta",
        blocks=[
            {"protocol": list(COUNTERPARTS), **both},
            {"protocol": [*FINITE, *GAUSSIAN], "delta": DELTAS, **both},
        ],
        arrangement=Arrangement(
            panel="mechanism",
            x="epsilon",
            series="delta",
            x_label="theoretical epsilon",
            series_label="delta",
            columns=6,
            block="domain_size",
            block_label="k",
            renamed=COUNTERPARTS,
        ),
    )


STUDY = impact_of_delta("figure-4", "5.3", [25, 200])
