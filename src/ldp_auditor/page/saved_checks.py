"""How a check is written down, so that its page can be made."""

from __future__ import annotations

from pathlib import Path

from ldp_auditor import __version__
from ldp_auditor.page.folder import CHECK, RUN
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.results.journal import Journal, digest


def can_keep(folder: Path) -> None:
    """Raise, before anything is sampled, if nothing can be written there."""
    with Journal.open(folder):
        pass


def keep_check(folder: Path, result: CheckResult, trials: int) -> None:
    """Write a check of so many trials down; the same one again is a run of its own.

    The target may have changed in between.
    """
    told = result.to_dict()
    del told["seconds"]
    content = {
        CHECK: result.name,
        "values": told["values"],
        "claim": [told["epsilon"], told["delta"]],
        "alpha": result.alpha,
        "seed": result.seed,
        "trials": trials,
    }
    with Journal.open(folder) as journal:
        run = 0
        while digest({**content, RUN: run}) in journal.entries:
            run += 1
        plain = {**told, "version": __version__}
        journal.add({**content, RUN: run}, [plain], result.seconds)
