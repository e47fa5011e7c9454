"""The command `check`."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ldp_auditor.cli.arguments import (
    ALPHA,
    ENGINE,
    JSON,
    METRIC,
    SEED,
    Option,
    argument,
    command,
    flag_of,
    integer,
    number,
    path,
    word,
)
from ldp_auditor.cli.output import exit_code, is_verbose, progress, show
from ldp_auditor.cli.words import convert_options, split_words
from ldp_auditor.errors import AuditError, require, whole_number

if TYPE_CHECKING:
    from ldp_auditor.results.check_result import CheckResult

MOST_INPUTS = 10_000_000
"""Inputs that a domain size may stand for: they are listed before some of them are chosen."""

SCORE = "Your score, package.module:function of (report, first value, second value)."
COMMAND = "A program that reads a value from every line and answers with a report, in JSON."


def _choice(text: str, shown: str | bool = True) -> Option:
    """An option with an opposite, such as --learn and --no-learn."""
    return lambda name: click.Option(
        [f"{flag_of(name)}/{flag_of(f'no_{name}')}"], help=text, default=None, show_default=shown
    )


@command(
    own_options=True,
    told=True,
    target=argument(
        "[TARGET]",
        "package.module:function, package.module:Class(args), or an adapter such as pure-ldp:OUE "
        "(see list --adapters).",
        nargs=-1,
    ),
    epsilon=number("Claimed epsilon."),
    delta=number("Claimed delta.", 0.0),
    metric=METRIC,
    values=word('Inputs: 0,1,2, a range such as -1..1, or JSON such as \'["red", "green"]\'.'),
    domain_size=integer("Size k of the domain; without --values the inputs are 0 to k - 1."),
    command=word(COMMAND),
    recorded=path("A file of values and reports: .csv, .jsonl or .parquet."),
    score=word(SCORE),
    batch=_choice("Call the target with (value, n) for n reports at once, or for each report."),
    reports=integer(
        "Reports of one fresh object that are taken as one; without, one object makes all reports."
    ),
    learn=_choice(
        "Whether a classifier proposes events too (extra learn).", "if scikit-learn is installed"
    ),
    trials=integer("Number of reports in all at most, e.g. 1e6.", 200_000),
    stop=_choice("End as soon as it is sure, or go on to prove a larger epsilon.", "stop"),
    alpha=ALPHA,
    seed=SEED,
    **ENGINE,
    working_dir=path("With --address: a folder that is sent to the cluster's workers."),
    call_seconds=number("Most seconds for one report.", 10.0),
    total_seconds=number("Most seconds for the whole check.", 600.0),
    open_seconds=number(
        "Most seconds to import the target and make it ready, and for its first call.", 60.0
    ),
    out=path("Folder for the result, from which 'report' makes a page."),
    as_json=JSON,
)
def check(
    target: Sequence[str],
    *,
    working_dir: Path | None,
    out: Path | None,
    as_json: bool,
    **settings: Any,
) -> int:
    """Check anybody's mechanism against its claim, and show the evidence."""
    from ldp_auditor.checks.recorded_reports import check_recorded
    from ldp_auditor.checks.run import run_check
    from ldp_auditor.execution.engines import open_engine
    from ldp_auditor.page.saved_checks import can_keep, keep_check

    where = {name: settings.pop(name) for name in ENGINE}
    require(settings["epsilon"] is not None, "a check needs the claim: --epsilon")
    if settings["recorded"] is not None:
        _refuse("recorded reports need", *OF_SAMPLING)
    if settings["command"] is not None:
        _refuse("a program, which is asked line by line, needs", "batch")
    asked = parse_check(target, **settings)
    if out is not None:
        can_keep(out)
    plan = asked.pop("plan", None)
    require(plan is not None or where["engine"] is None, "recorded reports need no --engine")
    require(
        working_dir is None or where["address"] is not None,
        "--working-dir is for a cluster that exists: give its --address",
    )
    code = (*target[:1], settings["score"] or "")
    named = [name.partition(":")[0] for name in code if ":" in name]
    with (
        open_engine(**where, isolated=True, modules=named, working_dir=working_dir) as opened,
        progress("checking", 0 if plan is None else plan.trials) as bar,
    ):
        result = check_recorded(**asked) if plan is None else run_check(plan, opened, bar.advance)
    result = replace(result, repeat=_repeat(sys.argv[1:], result))
    if out is not None:
        keep_check(out, result, settings["trials"] if plan is None else plan.trials)
    show(result, as_json=as_json)
    if is_verbose():
        print("the last search:", *result.notes, sep="\n- ", file=sys.stderr)
    return exit_code(result.verdict == "violation")


OF_SAMPLING = (
    *("values", "domain_size", "batch", "reports", "trials"),
    *("call_seconds", "total_seconds", "open_seconds"),
)
"""What says which reports are made and how; recorded ones are there."""


def _refuse(who: str, *names: str) -> None:
    """Raise if one of these options was given, which would be ignored otherwise."""
    source = click.get_current_context().get_parameter_source
    for name in names:
        given = source(name) is ParameterSource.COMMANDLINE
        require(not given, f"{who} no {flag_of(name)}; drop it", argument=name)


def _repeat(arguments: list[str], result: CheckResult) -> str:
    """The command that repeats this one, whatever the defaults will be on another machine."""
    with_seed = any(word == "--seed" or word.startswith("--seed=") for word in arguments)
    with_learn = {"--learn", "--no-learn"} & set(arguments)
    more = [] if with_learn else ["--learn" if result.learned else "--no-learn"]
    more += [] if with_seed else ["--seed", str(result.seed)]
    return " ".join(["ldp-auditor", *map(shlex.quote, [*arguments, *more])])


def parse_values(values: str | None, domain_size: int | None) -> tuple[Any, ...]:
    """Read the inputs of a check: numbers with commas, a JSON list, ranges, or a domain's size."""
    import json

    if values is None:
        require(domain_size is not None, "a check needs inputs: --values 0,1,2 or --domain-size 3")
        return tuple(range(whole_number("domain_size", domain_size, 2, MOST_INPUTS)))
    text = values if values.lstrip().startswith("[") else f"[{values}]"
    if '"' not in text:
        text = RANGE.sub(r'{"low": \1, "high": \2}', text)
    try:
        parsed = json.loads(text)
        return tuple(map(_range_or_value, parsed)) if RANGE.search(values) else tuple(parsed)
    except AuditError:
        raise
    except (ValueError, TypeError, RecursionError):
        raise AuditError(
            "values must be numbers such as 0,1,2, a range such as -1..1 or JSON such as "
            f'["red", "green"], got {values[:200]!r}'
        ) from None


NUMBER = r"(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
RANGE = re.compile(rf"{NUMBER}\s*\.\.\s*{NUMBER}")
"""A range of numbers, such as -1..1 or 0.5..1e3."""


def _range_or_value(parsed: Any) -> Any:
    """A range of numbers, or of vectors if it is a list with ranges in it, or the value itself."""
    from ldp_auditor.checks.ranges import Range

    sides = parsed if isinstance(parsed, list) else [parsed]
    if not any(isinstance(side, dict) and side.keys() == {"low", "high"} for side in sides):
        return parsed
    pairs = [side if isinstance(side, dict) else {"low": side, "high": side} for side in sides]
    lows, highs = (tuple(float(pair[name]) for pair in pairs) for name in ("low", "high"))
    return Range(lows, highs, isinstance(parsed, list))


def parse_check(words: Sequence[str], **given: Any) -> dict[str, Any]:
    """Turn the words of the command into what a check needs."""
    from ldp_auditor import adapters
    from ldp_auditor.adapters.command import CommandTarget
    from ldp_auditor.adapters.report_files import read_recorded
    from ldp_auditor.checks.opened_functions import NamedScore
    from ldp_auditor.checks.plan import CheckPlan
    from ldp_auditor.core import Claim
    from ldp_auditor.execution.contract import Limits

    names, options = ([], {}) if not words else split_words(words)
    forms = [bool(names), given["command"] is not None, given["recorded"] is not None]
    require(
        sum(forms) == 1 and len(names) <= 1,
        "name one target to check: package.module:function, an adapter, --command or --recorded",
    )
    found = adapters.find(names[0]) if names else None
    types = {} if found is None else adapters.options_of(found[1])
    own = convert_options(names[0] if names else "this check", types, options)
    claim = Claim(given["epsilon"], given["delta"], given["metric"])
    settings: dict[str, Any] = {
        "claim": claim,
        "alpha": given["alpha"],
        "seed": given["seed"],
        "stop": given["stop"] is not False,
        "learn": given["learn"],
        "score": None if given["score"] is None else NamedScore(given["score"]),
    }
    if given["recorded"] is not None:
        reports = read_recorded(given["recorded"])
        return {"name": str(given["recorded"]), "reports": reports, **settings}
    settings["trials"] = given["trials"]
    settings["reports"] = given["reports"]
    settings["limits"] = Limits(
        given["call_seconds"], given["total_seconds"], given["open_seconds"]
    )
    values = parse_values(given["values"], given["domain_size"])
    if given["command"] is not None:
        target: Any = CommandTarget(given["command"])
        name = given["command"]
    else:
        (name,) = names
        size = given["domain_size"]
        size = len(values) if size is None else whole_number("domain_size", size, 2)
        target = adapters.named_target(name, claim, size, own, given["batch"])
    return {"plan": CheckPlan(target=target, name=name, values=values, **settings)}
