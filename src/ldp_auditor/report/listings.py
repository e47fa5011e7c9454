"""What can be audited and checked, as text; apart from the results, which `list` does not need."""

from collections.abc import Iterable, Sequence

from ldp_auditor.mechanisms import COMBINATORS, LocalMechanism, RecordMechanism
from ldp_auditor.report.text_table import Column, TextTable


def protocol_table(
    protocols: Iterable[type[LocalMechanism] | type[RecordMechanism]],
) -> TextTable:
    """What can be audited."""
    rows = []
    for protocol in protocols:
        names = [name for name in protocol.option_types() if name != "epsilon_infinity"]
        options = " ".join("--" + name.replace("_", "-") for name in names)
        rows.append((protocol.name, _guarantees(protocol), options or "-", protocol.summary))
    rows += [(f"{name}[...]", "as inside", "-", what) for name, (_, what) in COMBINATORS.items()]
    return _listing("Protocols", ("name", "claim", "options", "what it is"), rows)


def _guarantees(protocol: type[LocalMechanism] | type[RecordMechanism]) -> str:
    if protocol.promises_nothing:
        return "none"
    if "epsilon_infinity" in protocol.option_types():
        return "epsilon-1, epsilon-infinity"
    return "epsilon, delta" if protocol.approximate else "epsilon"


def adapter_table() -> TextTable:
    """What foreign packages can be checked, and which of them are installed."""
    from ldp_auditor.adapters import available, is_installed

    rows = [
        (
            adapter.name,
            "yes" if is_installed(adapter) else f"no (ldp-auditor[{adapter.name}])",
            adapter.note or "-",
            " ".join(adapter.variants),
        )
        for adapter in available().values()
    ]
    return _listing("Adapters", ("package", "installed", "note", "mechanisms"), rows)


def _listing(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> TextTable:
    """A table of names with what is known of each; the third column is left out first."""
    orders, wrapped = (0, 2, 1, 0), (False, True, True, True)
    return TextTable(title, list(map(Column, headings, orders, wrapped)), rows)
