"""Functions of the target and of the user that a process has opened, for the events of a search.

Events that come from another process use those of the process in which they are counted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ldp_auditor.adapters.callables import find_object

Score = Callable[[Any, Any, Any], float]

_OPEN: dict[str, Any] = {}
"""The target and the user's score."""


def keep_open(target: Any, score: Score | None) -> None:
    """Use this target and score from now on, in this process."""
    _OPEN.update(target=target, score=score)


def opened_functions() -> tuple[Callable[[Any, Any], bool] | None, Score | None]:
    """What says whether a report supports a value, and the user's score, where there are any."""
    supports = opened_supports if hasattr(_OPEN["target"], "supports") else None
    return supports, None if _OPEN["score"] is None else opened_score


def opened_supports(report: Any, value: Any) -> bool:
    """Whether a report supports a value, by the target that this process has opened."""
    return bool(_OPEN["target"].supports(report, value))


def opened_score(report: Any, first: Any, second: Any) -> float:
    """The user's score of a report, from the function that this process has opened."""
    return float(_OPEN["score"](report, first, second))


@dataclass(frozen=True)
class NamedScore:
    """A user's score, `package.module:function` of (report, first, second)."""

    name: str

    def __call__(self, report: Any, first: Any, second: Any) -> float:
        """Score a report."""
        return float(_score(self.name)(report, first, second))


_score = cache(find_object)
