"""The command `explore`."""

import json
import os
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ldp_auditor.cli.arguments import (
    DRAWN,
    JSON,
    argument,
    command,
    integer,
    number,
    path,
    switch,
    word,
)
from ldp_auditor.cli.output import EXIT_NO_VIOLATION, say
from ldp_auditor.cli.words import drawing_of

STARTS = "as on the page"


@command(
    DRAWN,
    told=False,
    protocols=argument("[PROTOCOL]...", "GRR, OUE and THE, if none is named.", nargs=-1),
    over=word("What the curves go over: epsilon, domain_size or reports.", "epsilon"),
    epsilon=number("Claimed epsilon, of one report.", shown=STARTS),
    epsilon_infinity=number("Guarantee of memoized protocols for all reports.", shown=STARTS),
    domain_size=integer("Number k of values in the domain.", shown=STARTS),
    delta=number("Claimed delta of approximate protocols.", shown=STARTS),
    reports=integer("Reports that each user sends of the same value.", shown=STARTS),
    attributes=integer("Number of attributes of records.", shown=STARTS),
    dimension=integer("Dimension of vectors.", shown=STARTS),
    users=integer("Users whose reports make the estimate whose error is told.", shown=STARTS),
    attack=word("Attack on the reports: paper, optimal.", shown=STARTS),
    trials=integer("Trials for which the optimal attack is the best.", shown=STARTS),
    alpha=number("Alpha for which the optimal attack is the best.", shown=STARTS),
    figure=path("Draw the curves into this file instead of opening a page.", shown="none"),
    as_json=JSON,
    port=integer("Port on this machine.", 0, shown="a free one"),
    no_browser=switch("--no-browser", "Open no browser; print the address only."),
)
def explore(
    protocols: Sequence[str],
    *,
    over: str,
    figure: Path | None,
    as_json: bool,
    port: int,
    no_browser: bool,
    **settings: Any,
) -> None:
    """Open a page of this machine: exact curves by sliders, measured audits. Ctrl-C ends it.

    With --figure or --json it opens none, and draws or prints the exact numbers of the view.
    """
    from ldp_auditor.errors import whole_number
    from ldp_auditor.exploring.view import view
    from ldp_auditor.figures.files import figure_path

    drawn = drawing_of(settings)
    given = {name: value for name, value in settings.items() if value is not None}
    shown = view(protocols, over=over, **given)
    place = figure_path(figure, None, **drawn)
    if place is not None:
        shown.plot(place, style=drawn["style"] or "screen", columns=drawn["columns"])
    if as_json:
        say(json.dumps(shown.to_dict()))
    if not as_json and place is None:
        is_first = not (given or protocols or over != "epsilon")
        serve(whole_number("port", port, 0, 65535), no_browser, "" if is_first else shown.fragment)


def serve(port: int, no_browser: bool, fragment: str) -> None:
    """Serve the page, at a view if one is asked for, until Ctrl-C."""
    from ldp_auditor.exploring.server import ExploreServer

    with ExploreServer(port) as server:
        address = server.address + (f"#{fragment}" if fragment else "")
        try:
            print(f"exploring at {address} (Ctrl-C ends it)", file=sys.stderr, flush=True)
            server.warm_up()
            if not no_browser:
                threading.Thread(target=_browse, args=[address], daemon=True).start()
            server.serve_forever(poll_interval=0.1)
        except KeyboardInterrupt:
            print("ldp-auditor: explore has ended", file=sys.stderr, flush=True)
            # An ordinary exit would wait for the threads of a measurement.
            os._exit(EXIT_NO_VIOLATION)


def _browse(address: str) -> None:
    if not webbrowser.open(address):
        print("ldp-auditor: no browser was found; open the address by hand", file=sys.stderr)
