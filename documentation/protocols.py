"""The page of all protocols, from the registry that finds them."""

from __future__ import annotations

from ldp_auditor import mechanisms
from ldp_auditor.cli.arguments import flag_of
from ldp_auditor.mechanisms import COMBINATORS, AnyProtocol

EXPLAINED = {
    "For values": "[audits](../reading-results.md), [many reports](../longitudinal.md)",
    "For values, memoized sketches": "[sketches over time](../sketches.md#rappor-over-time)",
    "For values, sketches": "[sketches](../sketches.md)",
    "For records": "[records](../multidimensional.md)",
    "For numbers": "[numbers](../numbers.md)",
    "For vectors": "[vectors](../vectors.md)",
    "For vectors, distances": "[distances](../distances.md)",
    "For lists of keys and values": "[keys with values](../vectors.md#keys-with-values)",
    "For whole numbers, distances": "[distances](../distances.md)",
}
"""The page that explains the protocols of a group."""

HEAD = ["| name | promise | options | what it is |", "| --- | --- | --- | --- |"]


def page() -> str:
    """Return every protocol by kind of input and family, those without a family first."""
    groups: dict[str, list[AnyProtocol]] = {}
    for protocol in mechanisms.listed().values():
        family = f", {protocol.family}" if protocol.family else ""
        groups.setdefault(f"For {protocol.takes.noun}{family}", []).append(protocol)
    parts = [
        "# Protocols",
        "",
        "Made from the registry; `ldp-auditor list` prints the same.",
    ]
    nouns = [title.partition(",")[0] for title in groups]
    for title in sorted(groups, key=lambda title: (nouns.index(title.partition(",")[0]), title)):
        rows = [_row(protocol) for protocol in groups[title]]
        parts += ["", f"## {title}", "", f"Explained in {EXPLAINED[title]}.", "", *HEAD, *rows]
    made = [
        f"| {name}[P] | that of P | those of P | {what} |"
        for name, (_, what) in COMBINATORS.items()
    ]
    return "\n".join([*parts, "", "## Made of another protocol P", "", *HEAD, *made]) + "\n"


def _row(protocol: AnyProtocol) -> str:
    options = " ".join(f"`{flag_of(name)}`" for name in protocol.option_types())
    return f"| {protocol.name} | {_promise(protocol)} | {options} | {protocol.summary} |"


def _promise(protocol: AnyProtocol) -> str:
    if protocol.promises_nothing:
        return "none"
    if protocol.memoizes:
        return "one report, all reports"
    return "epsilon, delta" if protocol.approximate else "epsilon"
