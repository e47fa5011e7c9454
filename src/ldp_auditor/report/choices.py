"""A choice and a simulated collection in words: tables and sentences."""

from collections.abc import Sequence

from ldp_auditor.choosing.candidate import Candidate
from ldp_auditor.choosing.choice import Choice
from ldp_auditor.choosing.reasons import points
from ldp_auditor.choosing.simulation import Simulation
from ldp_auditor.choosing.verification import Verification
from ldp_auditor.figures.words import value_in_words
from ldp_auditor.report.text_table import Column, TextTable

MOST_FITTING, MOST_OTHERS = 8, 4
"""Rows of protocols that keep the limits, and of those that do not."""

MOST_VALUES = 10
"""Rows of a simulated collection."""


def choice_content(found: Choice, *, every: bool = False) -> list[TextTable | str]:
    """Return the choice, its table with the best protocols or with `every` one, and the proof."""
    parts: list[TextTable | str] = [*found.sentences]
    shown = list(found.candidates) if every else _shown(found.candidates)
    if shown:
        parts.append(candidate_table(found, shown))
    left = len(found.candidates) - len(shown)
    more = [f"The other {left} protocols are shown by --json."] if left else []
    by_reason: dict[str, list[str]] = {}
    for name, reason in found.left_out.items():
        by_reason.setdefault(reason, []).append(name)
    reasons = [f"Left out, {reason}: {', '.join(names)}." for reason, names in by_reason.items()]
    if found.verification is not None and found.choice is not None:
        parts.append(verification_table(found.verification, found.choice))
    return [*parts, *more, *reasons[:MOST_OTHERS]]


def _shown(candidates: Sequence[Candidate]) -> list[Candidate]:
    fitting = [candidate for candidate in candidates if candidate.fits]
    others = [candidate for candidate in candidates if not candidate.fits]
    return fitting[:MOST_FITTING] + others[:MOST_OTHERS]


def candidate_table(found: Choice, candidates: Sequence[Candidate]) -> TextTable:
    """Return one row per protocol at its best setting."""
    many = found.reports > 1
    title = (
        f"k = {value_in_words(found.domain_size)}, {found.users:,} users, "
        f"{found.reports:,} report{'s' * many} each; exact losses, errors in percentage points; a "
        f"blind guess is right in {_share(found.candidates[0].blind_success)}"
        + (f"; losses at delta = {value_in_words(found.delta)}" if found.delta else "")
    )
    over_time = [Column(f"{found.reports:,} reports"), Column("mean error", 2)] if many else []
    columns = [
        Column("protocol"),
        Column("setting", 3, wraps=True),
        Column("one report"),
        *over_time,
        Column("guess", 4),
        *([Column("guess, all", 1)] if many else []),
        Column("error"),
        Column("largest", 1),
        Column("bits", 5),
        *([Column("client"), Column("server")] if found.candidates[0].client_seconds else []),
        Column("limits"),
    ]
    return TextTable(title, columns, [_row(candidate, many) for candidate in candidates])


def _row(candidate: Candidate, many: bool) -> list[str]:
    over_time = [
        f"{candidate.worst_case_epsilon:.4f}",
        points(candidate.standard_error_of_mean),
    ]
    times = [candidate.client_seconds, candidate.server_seconds]
    return [
        candidate.mechanism,
        _setting(candidate),
        f"{candidate.worst_case_epsilon_1:.4f}",
        *(over_time if many else []),
        _share(candidate.attack_success),
        *([_share(candidate.attack_success_all)] if many else []),
        points(candidate.standard_error),
        points(candidate.worst_standard_error),
        "-" if candidate.bits is None else f"{candidate.bits:.4g}",
        *(f"{1e6 * seconds:.2g}µs" for seconds in times if seconds is not None),
        "kept" if candidate.fits else "not kept",
    ]


def _share(success: float | None) -> str:
    return "-" if success is None else f"{100 * success:.3g}%"


NAMES = {"epsilon_infinity": "all", "epsilon_1": "one", "hash_range": "g", "subset_size": "omega"}
"""Short names of parameters."""


def _setting(candidate: Candidate) -> str:
    options = {n: v for n, v in candidate.options.items() if n not in ("domain_sizes", "buckets")}
    given = options if "epsilon_1" in options else {"epsilon": candidate.epsilon, **options}
    return ", ".join(
        f"{NAMES.get(name, name)} {value:.4g}"
        if isinstance(value, float)
        else f"{NAMES.get(name, name)} {value}"
        for name, value in given.items()
    )


def verification_table(checked: Verification, chosen: Candidate) -> TextTable:
    """Return exact numbers beside measured ones."""
    audit, collected = checked.audit, checked.collection
    rows = [
        (
            "epsilon of all reports",
            f"{chosen.worst_case_epsilon:.4f}",
            f"{audit.empirical_epsilon:.4f} proven by the optimal attack, {audit.trials:,} trials",
        )
    ]
    if collected is not None:
        rows.append(
            (
                "standard error (points)",
                points(collected.standard_error),
                f"{points(collected.measured_error)} in a simulated collection of "
                f"{collected.users:,} users",
            )
        )
    columns = (Column("of the choice"), Column("exact"), Column("measured", wraps=True))
    return TextTable(f"Verified, seed {audit.seed}", columns, rows)


def simulation_content(found: Simulation) -> list[TextTable | str]:
    """Return the most frequent values, and how far all estimates are off."""
    order = sorted(range(len(found.true)), key=lambda v: -found.true[v])[:MOST_VALUES]
    rows = []
    for value in order:
        estimate, width = found.estimated[value], found.half_width[value]
        rows.append(
            [
                found.names[value] if found.names else str(value),
                f"{100 * found.true[value]:.3f}",
                f"{100 * estimate:.3f}",
                f"{100 * (estimate - width):.3f} to {100 * (estimate + width):.3f}",
            ]
        )
    title = (
        f"{found.mechanism} (k = {len(found.true)}), {found.users:,} users, seed {found.seed}: "
        "shares in percent"
    )
    heads = ("value", "true", "estimated", f"{1 - found.alpha:.0%} interval")
    table = TextTable(title, list(map(Column, heads)), rows)
    return [
        table,
        f"The estimates are off by {points(found.measured_error)} points (root mean square over "
        f"{len(found.true):,} values); exactly {points(found.standard_error)} are expected.",
        f"{found.covered:,} of {len(found.true):,} intervals contain the true share.",
    ]
