"""The command `check`."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ldp_auditor.cli.arguments import (
    NUMBER,
    WHOLE,
    Address,
    Alpha,
    AsJson,
    Bound,
    EngineName,
    Epsilon,
    Seed,
    Workers,
    convert_options,
    split_words,
)
from ldp_auditor.cli.output import exit_code, show
from ldp_auditor.errors import AuditError, require, whole_number


def check(
    target: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TARGET]",
            help="package.module:function, package.module:Class(args), or an adapter such as "
            "pure-ldp:OUE (see list --adapters).",
            show_default=False,
        ),
    ] = None,
    epsilon: Epsilon = None,
    delta: Annotated[float, typer.Option(help="Claimed delta.", **NUMBER)] = 0.0,
    values: Annotated[
        str | None, typer.Option(help='Inputs: 0,1,2 or JSON such as \'["red", "green"]\'.')
    ] = None,
    domain_size: Annotated[
        int | None,
        typer.Option(
            help="Size k of the domain; without --values the inputs are 0 to k - 1.", **WHOLE
        ),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option(
            help="A program that reads a value from every line and answers with a report, in JSON."
        ),
    ] = None,
    recorded: Annotated[
        Path | None, typer.Option(help="A file of values and reports: .csv, .jsonl or .parquet.")
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            help="Your score, package.module:function of (report, first value, second value)."
        ),
    ] = None,
    batch: Annotated[
        bool | None,
        typer.Option(
            help="Call the target with (value, n) for n reports at once, or for each report."
        ),
    ] = None,
    learn: Annotated[
        bool | None,
        typer.Option(
            help="Whether a classifier proposes events too (extra learn).",
            show_default="if scikit-learn is installed",
        ),
    ] = None,
    trials: Annotated[
        int, typer.Option(help="Number of reports in all, e.g. 1e6.", **WHOLE)
    ] = 200_000,
    alpha: Alpha = 0.01,
    bound: Bound = "clopper-pearson-one-sided",
    seed: Seed = 42,
    workers: Workers = None,
    engine: EngineName = None,
    address: Address = None,
    working_dir: Annotated[
        Path | None,
        typer.Option(help="With --address: a folder that is sent to the cluster's workers."),
    ] = None,
    call_seconds: Annotated[
        float, typer.Option(help="Most seconds for one report.", **NUMBER)
    ] = 10.0,
    total_seconds: Annotated[
        float, typer.Option(help="Most seconds for the whole check.", **NUMBER)
    ] = 600.0,
    open_seconds: Annotated[
        float, typer.Option(help="Most seconds to import the target and make it ready.", **NUMBER)
    ] = 60.0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the result, from which 'report' makes a page.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Check anybody's mechanism against its claim, and show the evidence."""
    from ldp_auditor.checks.recorded_reports import check_recorded
    from ldp_auditor.checks.run import run_check
    from ldp_auditor.execution.engines import open_engine
    from ldp_auditor.page.saved_checks import can_keep, keep_check
    from ldp_auditor.report.progress import progress_bar

    require(epsilon is not None, "a check needs the claim: --epsilon")
    asked = parse_check(
        target or [],
        epsilon=epsilon,
        delta=delta,
        values=values,
        domain_size=domain_size,
        command=command,
        recorded=recorded,
        score=score,
        batch=batch,
        learn=learn,
        trials=trials,
        alpha=alpha,
        bound=bound,
        seed=seed,
        call_seconds=call_seconds,
        total_seconds=total_seconds,
        open_seconds=open_seconds,
    )
    if out is not None:
        can_keep(out)
    plan = asked.pop("plan", None)
    require(plan is not None or engine is None, "recorded reports need no --engine")
    require(
        working_dir is None or address is not None,
        "--working-dir is for a cluster that exists: give its --address",
    )
    named = [name.partition(":")[0] for name in (*(target or [])[:1], score or "") if ":" in name]
    with (
        open_engine(
            engine, workers, address, isolated=True, modules=named, working_dir=working_dir
        ) as opened,
        progress_bar("checking", 0 if plan is None else plan.trials) as bar,
    ):
        result = check_recorded(**asked) if plan is None else run_check(plan, opened, bar.advance)
    result = replace(result, repeat=_repeat(sys.argv[1:], seed, bool(result.learned)))
    if out is not None:
        keep_check(out, result, trials if plan is None else plan.trials)
    show(result, as_json=as_json)
    return exit_code(result.verdict == "violation")


def _repeat(arguments: list[str], seed: int, learned: bool) -> str:
    """The command that repeats this one, whatever the defaults will be on another machine."""
    with_seed = any(word == "--seed" or word.startswith("--seed=") for word in arguments)
    with_learn = {"--learn", "--no-learn"} & set(arguments)
    more = [] if with_learn else ["--learn" if learned else "--no-learn"]
    more += [] if with_seed else ["--seed", str(seed)]
    return " ".join(["ldp-auditor", *map(shlex.quote, [*arguments, *more])])


def parse_values(values: str | None, domain_size: int | None) -> tuple[Any, ...]:
    """Read the inputs of a check: numbers with commas, a JSON list, or the size of a domain."""
    import json

    if values is None:
        require(domain_size is not None, "a check needs inputs: --values 0,1,2 or --domain-size 3")
        return tuple(range(whole_number("domain_size", domain_size, 2)))
    text = values if values.lstrip().startswith("[") else f"[{values}]"
    try:
        parsed = json.loads(text)
    except json.JSONDecodeError:
        raise AuditError(
            f'values must be numbers such as 0,1,2 or JSON such as ["red", "green"], got {values!r}'
        ) from None
    return tuple(parsed)


def parse_check(words: list[str], **given: Any) -> dict[str, Any]:
    """Turn the words of the command into what a check needs."""
    from ldp_auditor import adapters
    from ldp_auditor.adapters.command import CommandTarget
    from ldp_auditor.adapters.report_files import read_recorded
    from ldp_auditor.checks.plan import CheckPlan
    from ldp_auditor.checks.sampling import NamedScore
    from ldp_auditor.core import Claim
    from ldp_auditor.execution.contract import Limits

    names, options = ([], {}) if not words else split_words(words)
    forms = [bool(names), given["command"] is not None, given["recorded"] is not None]
    require(
        sum(forms) == 1 and len(names) <= 1,
        "name one target to check: package.module:function, an adapter, --command or --recorded",
    )
    found = adapters.find(names[0]) if names else None
    types = {} if found is None else found[1].options
    own = convert_options(names[0] if names else "this check", types, options)
    claim = Claim(given["epsilon"], given["delta"])
    settings: dict[str, Any] = {
        "claim": claim,
        "alpha": given["alpha"],
        "bound": given["bound"],
        "seed": given["seed"],
        "learn": given["learn"],
        "score": None if given["score"] is None else NamedScore(given["score"]),
    }
    if given["recorded"] is not None:
        reports = read_recorded(given["recorded"])
        return {"name": str(given["recorded"]), "reports": reports, **settings}
    settings["trials"] = given["trials"]
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
