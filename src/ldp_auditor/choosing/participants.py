"""Which protocols take part in a choice."""

from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.choosing.columns import Question
from ldp_auditor.errors import require
from ldp_auditor.inputs import Categories, Records
from ldp_auditor.mechanisms.records import RecordMechanism

MOST_SUMMED = 100
"""Reports with Laplace noise whose loss at a delta is worked out unasked."""


def considered(question: Question) -> list[str]:
    """Return the names of all protocols that apply to a question; of records, without sketches.

    ADP is left out, being GRR or OUE, and Bloom-RAPPOR, for which L-Bloom-SUE stands.
    """
    alike = ("ADP", "Bloom-RAPPOR")
    every = {n: p for n, p in mechanisms.available().items() if n not in alike}
    fresh = [
        name
        for name, protocol in every.items()
        if not (protocol.memoizes or protocol.promises_nothing)
        and (question.delta > 0 or not protocol.approximate)
    ]
    if question.sizes:
        plain = [name for name in fresh if not every[name].family]
        mixed = [f"{way}[{name}]" for way in ("SPL", "SMP") for name in plain]
        return [*mixed, *mechanisms.available(Records)]
    if question.reports == 1:
        return fresh
    kept = [name for name, protocol in every.items() if protocol.memoizes]
    return [*fresh, *kept, *(f"Memo[{name}]" for name in fresh)]


def too_slow(question: Question) -> dict[str, str]:
    """Return protocols that are considered only if they are named, and why."""
    if question.delta == 0 or question.reports <= MOST_SUMMED:
        return {}
    return {"SHE": f"because the loss of more than {MOST_SUMMED} reports at a delta takes minutes"}


def keeps_something(name: str) -> bool:
    """Tell whether the protocol `name` makes a first randomization that it keeps."""
    return bool(mechanisms.find(name, outside=True).memoizes)


def check_name(name: str, question: Question) -> None:
    """Raise unless the protocol `name`, which the user named, can answer a question."""
    protocol: Any = mechanisms.find(name, outside=True)
    is_for_records = issubclass(protocol, RecordMechanism)
    require(
        is_for_records or protocol.takes is Categories,
        f"{name} is for {protocol.takes.noun}; choose is for categories and records",
    )
    require(
        is_for_records == bool(question.sizes),
        f"{name} is for records: give attributes"
        if is_for_records
        else f"{name} is for one attribute; name SPL[{name}] or SMP[{name}]",
    )
    require(not protocol.promises_nothing, f"{name} promises nothing, so that there is no choice")
    require(
        question.delta > 0 or not protocol.approximate,
        f"{name} is an approximate protocol; give a delta",
    )
