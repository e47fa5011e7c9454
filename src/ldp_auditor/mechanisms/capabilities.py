"""What a mechanism may offer beyond `Mechanism`: small protocols, declared here and nowhere else.

A class offers a capability by having its members. What can do without it asks by `isinstance`, what
cannot calls `needed`, which says in a sentence what is missing. The table of
`docs/how-to/add-a-protocol.md` is made of them by `tests/capability_table.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeVar, runtime_checkable

from numpy.random import Generator

from ldp_auditor.core import (
    Claim,
    Floats,
    InputPair,
    Mechanism,
    Rates,
    Reports,
    Values,
)
from ldp_auditor.errors import AuditError, require
from ldp_auditor.inputs import Categories, Inputs
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.loss_law import LossLaw

DOCUMENT = "docs/how-to/add-a-protocol.md"


@dataclass(frozen=True)
class Capability:
    """What the table and the messages say about a capability."""

    protocol: type
    noun: str
    without: str
    """What a mechanism that lacks it is refused, or shown instead."""
    base: str = ""
    """The class that brings all of it, if one does."""


CAPABILITIES: dict[type, Capability] = {}
"""Every capability, in the order of the table."""

Kind = TypeVar("Kind", bound=type)

_MISSING = object()


def declared(noun: str, without: str, base: str = "") -> Callable[[Kind], Kind]:
    """Put a protocol into the table; its docstring says what it is for."""

    def declare(protocol: Kind) -> Kind:
        CAPABILITIES[protocol] = Capability(protocol, noun, without, base)
        return protocol

    return declare


def members(protocol: type) -> list[str]:
    """Names of what a protocol asks for."""
    return [name for name in vars(protocol) if not name.startswith("_")]


def lacking(thing: Any, protocol: type) -> list[str]:
    """Names of what a protocol asks for and a thing has not."""
    return [name for name in members(protocol) if getattr(thing, name, None) is None]


class Offered(type(Protocol)):  # type: ignore[misc]  # the class of protocols has no public name
    """Makes `isinstance` quick: Python 3.11 looks through a protocol at every call.

    What the class of a thing has is looked up once; the thing is asked for the rest.
    """

    def __instancecheck__(cls, thing: Any) -> bool:
        """Tell whether a thing has all that this protocol asks for."""
        kind: Any = type(thing)
        return all(_has(thing, name, cls) for name in _left_to_instances(kind, cls))


@cache
def _left_to_instances(kind: type, protocol: type) -> tuple[str, ...]:
    """Names of what a protocol, or one that it extends, asks for and a class does not have."""
    asking = [base for base in protocol.__mro__ if isinstance(base, type(Protocol))]
    return tuple(name for base in asking for name in lacking(kind, base))


def _has(thing: Any, name: str, protocol: type) -> bool:
    """Tell whether a thing has an attribute; a method that is None is none."""
    found = getattr(thing, name, _MISSING)
    return found is not _MISSING and not (found is None and callable(getattr(protocol, name, None)))


def needed(mechanism: Any, protocol: type, by: str, argument: str | None = None) -> Any:
    """Return the mechanism, or raise and say which capability is missing for what."""
    if isinstance(mechanism, protocol):
        return mechanism
    offer, missing = CAPABILITIES[protocol], " and ".join(lacking(mechanism, protocol))
    if offer.base:
        missing = f"what {offer.base} brings"
    raise AuditError(
        f"{mechanism.name} has no {offer.noun}: {by} needs {missing}, see {DOCUMENT}",
        argument=argument,
    )


@declared("guess", "`audit` and `compare` refuse the attack paper")
@runtime_checkable
class Guesses(Protocol, metaclass=Offered):
    """The paper's attack."""

    def guess(self, reports: Reports, rng: Generator) -> Values: ...


@declared("likelihood ratio", "`audit` and `compare` refuse the attack optimal")
@runtime_checkable
class KnowsLikelihood(Protocol, metaclass=Offered):
    """The optimal attack: ln P(report) under the first value, less that under the second."""

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats: ...


@declared("exact rates", "`audit` shows no value with unlimited trials; `explain` refuses")
@runtime_checkable
class KnowsRates(Protocol, metaclass=Offered):
    """What the paper's attack shows with unlimited trials; None where it is not known."""

    def guess_rates(self, pair: InputPair) -> Rates | None: ...


@declared(
    "loss law", "`audit` shows no worst case and chooses on a pilot; `explain`, `profile` refuse"
)
@runtime_checkable
class KnowsLossLaw(Protocol, metaclass=Offered):
    """The exact worst case, and the best threshold of the optimal attack; None if not known."""

    def loss_law(self, pair: InputPair) -> LossLaw | None: ...


@declared("worst case of its own", "the worst case is that of the loss law at the claimed delta")
@runtime_checkable
class KnowsWorstCase(Protocol, metaclass=Offered):
    """A worst case that the loss law of the pair does not tell."""

    def worst_case(self, pair: InputPair) -> float | None: ...


@declared("memory over time", "`--reports` refuses", base="FrequencyOracle")
@runtime_checkable
class RemembersUsers(Mechanism, Protocol, metaclass=Offered):
    """Many reports of the same user."""

    @property
    def report_bytes(self) -> int: ...

    @property
    def score_columns(self) -> int: ...

    def claim_over(self, reports: int) -> Claim: ...

    def enroll(self, value: int, n: int, rng: Generator) -> Any: ...

    def collect(self, users: Any, reports: int, rng: Generator) -> Reports: ...

    def combined_ratio(self, total: Floats, reports: int) -> Floats: ...

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None: ...

    def loss_law_over(self, pair: InputPair, reports: int) -> LossLaw | None: ...

    def worst_case_over(self, pair: InputPair, reports: int) -> float | None: ...

    def composed_epsilon(self, pair: InputPair, reports: int, delta: float) -> float | None: ...


@declared("scores", "`--reports` refuses the attack paper")
@runtime_checkable
class AddsScores(Protocol, metaclass=Offered):
    """The paper's attack on many reports: what they say, added to a user's row, and the guess."""

    def add_scores(self, reports: Reports, totals: Floats) -> None: ...

    def guess_by_totals(self, totals: Floats, reports: int, rng: Generator) -> Values: ...


@declared("law of sums", "reports are made one by one; `--composition law` refuses")
@runtime_checkable
class DrawsSums(Protocol, metaclass=Offered):
    """Sums of scores that are drawn at once."""

    def add_sums(self, users: Any, reports: int, rng: Generator, totals: Floats) -> None: ...


@declared("ratio of sums", "the ratios of the reports are added, which is right for fresh noise")
@runtime_checkable
class KnowsRatioOfSums(Protocol, metaclass=Offered):
    """The optimal attack on many reports by the sums of their scores."""

    def ratio_of_sums(self, totals: Floats, pair: InputPair, reports: int) -> Floats: ...


@declared("sum of ratios", "the ratios of the reports are added one by one")
@runtime_checkable
class AddsRatios(Protocol, metaclass=Offered):
    """The optimal attack on many reports by the sum of their ratios, known at once."""

    def add_ratios(self, users: Any, reports: int, pair: InputPair, totals: Floats) -> None: ...


@declared("evidence of its own", "the ratios of the reports are added, or follow from their scores")
@runtime_checkable
class AddsEvidence(Protocol, metaclass=Offered):
    """The optimal attack on many reports by what they say about the pair, a row for each user."""

    @property
    def evidence_columns(self) -> int: ...

    def add_evidence(self, reports: Reports, pair: InputPair, totals: Floats) -> None: ...

    def ratio_of_evidence(self, totals: Floats, pair: InputPair, reports: int) -> Floats: ...


@declared("estimator of a mean", "`estimate` and `mean_variance` are missing")
@runtime_checkable
class EstimatesMean(Protocol, metaclass=Offered):
    """The server's side for numbers: their mean from reports, and its exact variance."""

    def estimate(self, reports: Reports) -> Any: ...

    def mean_variance(self, users: int, value: Any, reports: int = 1) -> Any: ...


@declared("kind of inputs", "an input is one of `domain_size` values")
@runtime_checkable
class TakesInputs(Protocol, metaclass=Offered):
    """What an input is, a class of `inputs/`: categories, records, numbers, vectors, places."""

    @property
    def inputs(self) -> Inputs: ...


@declared("names of inputs", "an input is what its kind says, and no guess names a word")
@runtime_checkable
class NamesInputs(Protocol, metaclass=Offered):
    """Inputs in words: the same mechanism with the words of a pair among its values."""

    def naming(self, pair: InputPair) -> Any: ...


@declared("success of a guess", "`choose` shows no attack success and refuses a limit on it")
@runtime_checkable
class KnowsAttackSuccess(Protocol, metaclass=Offered):
    """How often the best guess of a value from one report is right; None where it is not known."""

    def attack_success(self, prior: Floats | None = None) -> float | None: ...


@declared("success of a guess over time", "`choose` shows no attack success of many reports")
@runtime_checkable
class KnowsAttackSuccessOver(Protocol, metaclass=Offered):
    """How often the best guess from many reports of a user is right; None where it is not known."""

    def attack_success_over(self, reports: int, prior: Floats | None = None) -> float | None: ...


@declared("size on the wire", "`choose` shows no bits and refuses a limit on them")
@runtime_checkable
class TellsWireBits(Protocol, metaclass=Offered):
    """Bits of a report as it is usually sent, and at least: the entropy, or None."""

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]: ...


@declared("score law", "`frequency_variance` refuses many reports of `Memo[P]`")
@runtime_checkable
class KnowsScoreLaw(Protocol, metaclass=Offered):
    """Mean and variance of a report's score of a value; of the mean over many reports."""

    @property
    def score_law(self) -> ScoreLaw: ...

    def score_law_over(self, reports: int) -> ScoreLaw: ...


@declared("estimator", "`estimate` and `frequency_variance` are missing; `choose` leaves it out")
@runtime_checkable
class Estimates(Protocol, metaclass=Offered):
    """The server's side: frequencies from reports, and their exact variance."""

    @property
    def tally_size(self) -> int: ...

    def tally(self, reports: Reports) -> Floats: ...

    def frequencies_from(self, tally: Floats, reports: int) -> Any: ...

    def estimate(self, reports: Reports) -> Any: ...

    def frequency_variance(self, users: int, frequency: Any, reports: int = 1) -> Any: ...


@declared("groups of values", "the frequency of every value is estimated on its own")
@runtime_checkable
class GroupsValues(Protocol, metaclass=Offered):
    """An estimator of groups: their frequencies, from those of the values."""

    def grouped(self, frequencies: Floats) -> Floats: ...


@declared("population of its own", "the variance of a frequency depends on that frequency alone")
@runtime_checkable
class MixesFrequencies(Protocol, metaclass=Offered):
    """A variance that depends on the frequencies of other values: those that make it largest."""

    @property
    def worst_population(self) -> Floats: ...


@declared("pair of its own", "inputs as far apart as can be; of values, 0 and 1")
@runtime_checkable
class PrefersPair(Protocol, metaclass=Offered):
    """The two inputs that are told apart if none are named."""

    @property
    def default_pair(self) -> InputPair: ...


@declared("records", "`--neighbours` refuses", base="RecordMechanism")
@runtime_checkable
class TakesRecords(Protocol, metaclass=Offered):
    """Records of several attributes."""

    def neighbours(self, relation: str, attribute: int) -> InputPair: ...

    def about(self, pair: InputPair) -> dict[str, Any]: ...


@declared("size of a report", "a report is taken to be as large as 8 bytes a value")
@runtime_checkable
class TellsSize(Protocol, metaclass=Offered):
    """Batches that fit the cache: bytes that the attack on one report needs."""

    @property
    def report_bytes(self) -> int: ...


@declared("options", "results show epsilon, delta and the domain size alone")
@runtime_checkable
class HasOptions(Protocol, metaclass=Offered):
    """Parameters of its own, shown in results."""

    @property
    def options(self) -> Mapping[str, Any]: ...


class TakesCategories(Protocol):
    """What tells the inputs of a mechanism that has no `inputs`."""

    @property
    def domain_size(self) -> int: ...


def inputs_of(mechanism: Any) -> Inputs:
    """What a mechanism takes; without a kind of its own, one of `domain_size` values."""
    if isinstance(mechanism, TakesInputs):
        return mechanism.inputs
    missing = lacking(mechanism, TakesCategories)
    require(not missing, f"a mechanism needs inputs or a domain_size, which {mechanism!r} lacks")
    return Categories(mechanism.domain_size)


def default_pair(mechanism: Mechanism) -> InputPair:
    """The two inputs that are told apart if none are named."""
    if isinstance(mechanism, PrefersPair):
        return mechanism.default_pair
    return inputs_of(mechanism).default_pair


def estimated_frequencies(mechanism: Any, frequencies: Floats) -> Floats:
    """What `estimate` estimates if values have these frequencies: they, or those of groups."""
    return mechanism.grouped(frequencies) if isinstance(mechanism, GroupsValues) else frequencies


def loss_law_of(mechanism: Any, pair: InputPair) -> LossLaw | None:
    """The exact law of the loss of a report, where it is known."""
    return mechanism.loss_law(pair) if isinstance(mechanism, KnowsLossLaw) else None


def bytes_of_report(mechanism: Mechanism) -> int:
    """Memory that a report needs; one of unknown size may be a float a value."""
    if isinstance(mechanism, TellsSize):
        return max(1, mechanism.report_bytes)
    return max(256, 8 * (inputs_of(mechanism).size or 1))
