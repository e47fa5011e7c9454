"""The results folder of a single command: a journal, and a table of all audits in it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from ldp_auditor.results.journal import Journal, is_audit
from ldp_auditor.results.table import rows_of, write_table


@contextlib.contextmanager
def results_folder(folder: Path | str | None) -> Iterator[Journal | None]:
    """Yield the journal of `folder`, None without one; at the end write the table of its audits."""
    if folder is None:
        yield None
        return
    folder = Path(folder)
    with Journal.open(folder) as journal:
        yield journal
        audits = [key for key, entry in journal.entries.items() if is_audit(entry["plan"])]
        found = [rows_of(journal.entries[key], journal.seconds.get(key)) for key in audits]
        write_table([row for rows in found for row in rows], folder, "results")
