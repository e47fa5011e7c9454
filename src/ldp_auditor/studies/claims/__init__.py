"""What the paper says of its experiments, sentence by sentence, and whether it is so."""

from ldp_auditor.studies.claims.document import HEADINGS, claims_document, claims_lines
from ldp_auditor.studies.claims.statement import Judgement, Outcome, Statement, judge
from ldp_auditor.studies.claims.table import available

__all__ = [
    "HEADINGS",
    "Judgement",
    "Outcome",
    "Statement",
    "available",
    "claims_document",
    "claims_lines",
    "judge",
]
