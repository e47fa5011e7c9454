"""Checks and choices saved in a results folder, from which `report` makes a page."""

import hashlib
import json
from pathlib import Path
from typing import Any

from ldp_auditor import __version__
from ldp_auditor.choosing.choice import Choice
from ldp_auditor.page.folder import ANSWER, CHECK, CHOICE, RUN
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.results.journal import Journal, digest

TIMES = ("client_seconds", "server_seconds")
"""What is measured anew each time a choice is made."""


def can_keep(folder: Path) -> None:
    """Raise if nothing can be written to `folder`: ask before anything is sampled."""
    with Journal.open(folder):
        pass


def keep_check(folder: Path, result: CheckResult, trials: int) -> None:
    """Save the result of a check with a budget of `trials`, as a run of its own.

    The same check may be saved before: the target may have changed in between.
    """
    written = result.to_dict()
    del written["seconds"]
    asked = ("metric", "reports_each")
    content: dict[str, Any] = {
        CHECK: result.name,
        "values": written["values"],
        "claim": [written["epsilon"], written["delta"]],
        **{name: written[name] for name in asked if name in written},
        "alpha": result.alpha,
        "seed": result.seed,
        "trials": trials,
    }
    with Journal.open(folder) as journal:
        run = 0
        while digest({**content, RUN: run}) in journal.entries:
            run += 1
        plain = {**written, "version": __version__}
        journal.add({**content, RUN: run}, [plain], result.seconds)


def keep_choice(folder: Path, found: Choice) -> None:
    """Save a choice, unless the very same answer is there already."""
    written = found.to_dict()
    asked = ("domain_size", "users", "reports", "delta", "attributes", "objective", "limits")
    exact = [{**each, **dict.fromkeys(TIMES)} for each in written["candidates"]]
    answer = json.dumps([exact, written["binding"], written["left_out"]], sort_keys=True)
    content = {
        CHOICE: {name: written[name] for name in asked},
        ANSWER: hashlib.sha256(answer.encode()).hexdigest(),
        "verified": found.verification is not None,
    }
    with Journal.open(folder) as journal:
        if digest(content) not in journal.entries:
            plain = {ANSWER: json.dumps(written), "version": __version__}  # entries are flat
            journal.add(content, [plain], 0.0)
