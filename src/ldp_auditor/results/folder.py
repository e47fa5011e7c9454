"""A results folder for single commands: a journal, and in the end the table of all in it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from ldp_auditor.results.journal import Journal, is_audit
from ldp_auditor.results.table import rows_of, write_table


@contextlib.contextmanager
def results_folder(folder: Path | str | None) -> Iterator[Journal | None]:
    """Open the journal of a folder, or none without one; at the end write the table."""
    if folder is None:
        yield None
        return
    folder = Path(folder)
    with Journal.open(folder) as journal:
        yield journal
        rows = [
            row
            for key, entry in journal.entries.items()
            if is_audit(entry["plan"])
            for row in rows_of(entry, journal.seconds.get(key))
        ]
        write_table(rows, folder, "results")
