"""Figure 11: many reports of one user at k = 25 and 50 (appendix G)."""

from ldp_auditor.studies.figure_06 import over_time

STUDY = over_time("figure-11", "G", [25, 50])
