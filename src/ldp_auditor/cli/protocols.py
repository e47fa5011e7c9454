"""The command `list`."""

from __future__ import annotations

from typing import Annotated

import typer

from ldp_auditor.cli.arguments import AsJson
from ldp_auditor.cli.output import console, say, say_json


def list_protocols(
    adapters: Annotated[
        bool, typer.Option("--adapters", help="Show foreign packages that can be checked.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the protocols that can be audited, or the foreign packages that can be checked."""
    from ldp_auditor import mechanisms
    from ldp_auditor.report.tables import adapter_table, protocol_table

    if adapters:
        table = adapter_table()
    else:
        table = protocol_table(
            [*mechanisms.available().values(), *mechanisms.available_for_records().values()]
        )
    if as_json:
        names = [column.heading for column in table.columns]
        say_json([dict(zip(names, row, strict=True)) for row in table.rows])
    else:
        say(table.draw(console()))
