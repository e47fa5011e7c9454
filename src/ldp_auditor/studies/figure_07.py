"""Figure 7: records with fake data at k = 2 and 100 (section 5.6)."""

from ldp_auditor.studies.settings import EPSILONS
from ldp_auditor.studies.study import Arrangement, Study

FAKE_DATA = ["RS+FD[GRR]", "RS+FD[SUE-z]", "RS+FD[SUE-r]", "RS+FD[OUE-z]", "RS+FD[OUE-r]"]


def fake_data(name: str, section: str, domain_sizes: list[int]) -> Study:
    """The same experiment at other domain sizes."""
    return Study(
        name=name,
        section=section,
        title="Records with fake data",
        blocks=[
            {
                "protocol": FAKE_DATA,
                "epsilon": EPSILONS,
                "domain_size": domain_sizes,
                "attributes": [2, 10],
            }
        ],
        arrangement=Arrangement(
            panel="mechanism",
            x="epsilon",
            series="attributes",
            x_label="theoretical epsilon",
            series_label="d",
            columns=5,
            block="domain_size",
            block_label="k",
        ),
    )


STUDY = fake_data("figure-7", "5.6", [2, 100])
