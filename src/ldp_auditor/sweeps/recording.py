"""Single commands into a folder: audits with checkpoints, and the table of all that is there."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ldp_auditor.auditing import AuditPlan, Progress
from ldp_auditor.core import AuditResult
from ldp_auditor.execution.engines import Engine
from ldp_auditor.longitudinal import Study, carry_out
from ldp_auditor.sweeps.cells import content_of, digest, is_audit
from ldp_auditor.sweeps.checkpoints import Checkpoints
from ldp_auditor.sweeps.journal import Journal
from ldp_auditor.sweeps.running import plain_result
from ldp_auditor.sweeps.table import rows_of, write_table


@dataclass(frozen=True)
class Recorder:
    """Runs audits, and writes them down if there is a journal."""

    journal: Journal | None

    def carry_out(
        self,
        plan: AuditPlan,
        study: Study | None,
        engine: Engine | None = None,
        progress: Progress | None = None,
    ) -> tuple[AuditResult, ...]:
        """Carry out an audit: a result for every number of reports."""
        if self.journal is None:
            return carry_out(plan, study, engine, progress)
        content = content_of(plan, study)
        started = time.perf_counter()
        count = Checkpoints(self.journal, content, 1 if study is None else len(study.reports))
        results = carry_out(plan, study, engine, progress, count)
        if digest(content) not in self.journal.entries:
            plain = [plain_result(result) for result in results]
            self.journal.add(content, plain, time.perf_counter() - started)
        return results


@contextlib.contextmanager
def recorder(folder: Path | None) -> Iterator[Recorder]:
    """Open a recorder into a folder, or one that keeps nothing; at the end write the table."""
    if folder is None:
        yield Recorder(None)
        return
    with Journal.open(folder) as journal:
        yield Recorder(journal)
        rows = [
            row
            for key, entry in journal.entries.items()
            if is_audit(entry["plan"])
            for row in rows_of(entry, journal.seconds.get(key))
        ]
        write_table(rows, folder, "results")
