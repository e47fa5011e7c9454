"""Figure 10: the impact of delta at k = 100 and 150 (appendix G)."""

from ldp_auditor.studies.figure_04 import impact_of_delta

STUDY = impact_of_delta("figure-10", "G", [100, 150])
