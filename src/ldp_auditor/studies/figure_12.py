"""Figure 12: records with fake data at k = 25 and 50 (appendix G)."""

from ldp_auditor.studies.figure_07 import fake_data

STUDY = fake_data("figure-12", "G", [25, 50])
