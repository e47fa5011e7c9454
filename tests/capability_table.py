"""The table of `docs/how-to/add-a-protocol.md`: what a mechanism may offer."""

from __future__ import annotations

import inspect

from ldp_auditor.mechanisms.capabilities import CAPABILITIES, Capability, members


def table() -> str:
    """Return every capability as a table of Markdown."""
    rows = ["| capability | members | what it is for | without it |", "| --- | --- | --- | --- |"]
    for offer in CAPABILITIES.values():
        purpose = inspect.cleandoc(offer.protocol.__doc__ or "")
        rows.append(f"| {offer.noun} | `{members_of(offer)}` | {purpose} | {offer.without} |")
    return "\n".join(rows) + "\n"


def members_of(offer: Capability) -> str:
    """Return its methods and attributes, as one writes them, or the class that brings them."""
    return offer.base or ", ".join(
        written(offer.protocol, name) for name in members(offer.protocol)
    )


def written(protocol: type, name: str) -> str:
    """Return a member as one writes it."""
    member = vars(protocol)[name]
    if isinstance(member, property):
        return name
    return f"{name}({', '.join(list(inspect.signature(member).parameters)[1:])})"
