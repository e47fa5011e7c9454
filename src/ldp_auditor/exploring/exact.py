"""Exact numbers of one protocol at one setting, worked out once and kept.

They come from the functions that an audit itself uses; nothing is sampled.
"""

import math
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.audits.run import attack_epsilon, fit_attack
from ldp_auditor.choosing.columns import Columns, Question
from ldp_auditor.errors import AuditError
from ldp_auditor.exploring.access import failure_in_words
from ldp_auditor.exploring.protocols import offered
from ldp_auditor.exploring.settings import Setting
from ldp_auditor.inputs import Records
from ldp_auditor.mechanisms.capabilities import Estimates, EstimatesMean, default_pair, inputs_of

CURVE_BOUND = "clopper-pearson"
"""For which the optimal attack's threshold is chosen: for betting it would take far longer."""

MOST_KEPT = 50_000


@dataclass(frozen=True)
class Exact:
    """The exact numbers of one protocol at one setting."""

    claimed: float | None = None
    worst: float | None = None
    attack: float | None = None
    error: float | None = None
    """Standard error of an estimate from all reports of all users."""
    missing: str = ""
    """Why a number is missing."""


Key = tuple[Any, ...]

_kept: dict[Key, Exact] = {}
"""Numbers that were worked out."""

_slowness: dict[str, tuple[float, int]] = {}
"""Seconds of the latest point of a protocol, and for how many reports that was."""

UNKNOWN = 1.0
"""Seconds that a first point of a protocol may need, for what it imports and compiles."""


def key_of(values: Mapping[str, Any], name: str) -> Key:
    """What decides the exact numbers of a protocol: settings that it does not use are left out."""
    own = tuple(values[used] for used in offered()[name].uses)
    # The threshold of the optimal attack is the best for these.
    goal = (values["trials"], values["alpha"]) if values["attack"] == "optimal" else ()
    return (name, *own, values["reports"], values["users"], values["attack"], *goal)


def kept(key: Key) -> Exact | None:
    """Return numbers that are there already."""
    return _kept.get(key)


def seconds_of(name: str, reports: int) -> float:
    """About how long a point of a protocol takes: laws of sums grow with the square of reports."""
    seconds, seen = _slowness.get(name, (UNKNOWN, reports))
    return seconds * max(1.0, reports / seen) ** 2


def exact_at(setting: Setting, name: str) -> Exact:
    """Return the numbers of a protocol, worked out unless they are kept."""
    key = key_of(vars(setting), name)
    found = _kept.get(key)
    if found is None:
        started = time.monotonic()
        found = work_out(setting, name)
        _slowness[name] = time.monotonic() - started, setting.reports
        if len(_kept) >= MOST_KEPT:
            _kept.clear()
        _kept[key] = found
    return found


Task = tuple[Setting, str]
"""A setting, and the protocol whose numbers are wanted there."""


class Later:
    """Works out what takes long in a thread of its own, so that no answer waits for it."""

    def __init__(self) -> None:
        self._tasks: list[Task] = []
        self._idle: list[Task] = []
        self._changed = threading.Condition()
        threading.Thread(target=self._work, name="slow points", daemon=True).start()

    def ask(self, tasks: Sequence[Task]) -> None:
        """Work these out from now on; those of an earlier question are dropped."""
        with self._changed:
            self._tasks = list(tasks)
            self._changed.notify()

    def prepare(self, tasks: Sequence[Task]) -> None:
        """Work these out whenever nothing else is asked for."""
        with self._changed:
            self._idle = list(tasks)
            self._changed.notify()

    def _work(self) -> None:
        while True:
            with self._changed:
                while not (self._tasks or self._idle):
                    self._changed.wait()
                setting, name = (self._tasks or self._idle).pop(0)
            exact_at(setting, name)


def work_out(setting: Setting, name: str) -> Exact:
    """Work out what a protocol claims and keeps, what the attack shows in the end, the error."""
    try:
        whole = replace(setting, seed=0, bound=CURVE_BOUND).plan_of(name)
        plan = whole.looks[0]
        claimed, worst = plan.claim.epsilon, plan.worst_case_epsilon
        error = _error(whole, setting)
        if setting.attack == "optimal" and plan.loss_law is None:
            return Exact(claimed, worst, None, error, _unknown(setting))
        shown = attack_epsilon(fit_attack(plan).rates(), plan.claim.delta, worst, plan.distance)
    except Exception as problem:  # of one protocol; the others have their numbers all the same
        return Exact(missing=failure_in_words(problem))
    return Exact(claimed, worst, shown, error, "" if shown is not None else _unknown(setting))


def _unknown(setting: Setting) -> str:
    times = "" if setting.reports == 1 else " of many reports"
    return f"the exact rates of the {setting.attack} attack{times} are not known here; measure it"


def _error(plan: AuditPlan, setting: Setting) -> float | None:
    """The exact standard error of what a server estimates from all reports, where it is known.

    Of a frequency: root mean square over the values; of a mean: of the input whose mean is known
    worse, for vectors the root of the mean squared distance.
    """
    made, inputs = plan.mechanism, inputs_of(plan.mechanism)
    try:
        if isinstance(made, EstimatesMean):
            pair = default_pair(plan.mechanism)
            variances = [
                np.max(made.mean_variance(setting.users, value, setting.reports))
                for value in (pair.first, pair.second)
            ]
            return math.sqrt(float(max(variances)))
        if isinstance(made, Estimates):
            is_record = isinstance(inputs, Records)
            sizes = (setting.domain_size,) * (setting.attributes if is_record else 0)
            size = inputs.size or setting.domain_size
            question = Question(size, setting.users, setting.reports, sizes=sizes, of_mean=True)
            return float(Columns(made, question).standard_error)
    except AuditError:
        return None
    return None
