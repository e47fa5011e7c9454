"""The command `list`."""

from typing import Any

from ldp_auditor.cli.arguments import JSON, command, switch
from ldp_auditor.cli.output import say, say_json, say_sentences, screen, tell
from ldp_auditor.errors import AuditError, require


@command(
    told=False,
    adapters=switch("--adapters", "Show foreign packages that can be checked."),
    as_json=JSON,
)
def list_protocols(*, adapters: bool, as_json: bool) -> None:
    """Show the protocols that can be audited, or the foreign packages that can be checked."""
    from ldp_auditor import mechanisms
    from ldp_auditor.report.listings import adapter_table, protocol_table

    if adapters:
        table = adapter_table()
    else:
        ours = mechanisms.listed()
        protocols: list[Any] = list(ours.values())
        for name, point in mechanisms.installed().items():
            try:
                require(name not in ours, f"{name} of {point.value} is not offered: name taken")
                protocols.append(mechanisms.find(name))
            except AuditError as error:
                tell(f"ldp-auditor: {error}")
        table = protocol_table(protocols)
    if as_json:
        names = [column.heading for column in table.columns]
        say_json([dict(zip(names, row, strict=True)) for row in table.rows])
    else:
        say(table.draw(screen()))
        how = "check NAME:MECHANISM' checks one of its" if adapters else "audit NAME' audits one"
        kind = "foreign packages" if adapters else "protocols"
        say_sentences(f"{len(table.rows)} {kind}; 'ldp-auditor {how}")
