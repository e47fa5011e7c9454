"""The command `explore`."""

import os
import sys
import threading
import webbrowser

from ldp_auditor.cli.arguments import command, integer, switch
from ldp_auditor.cli.output import EXIT_NO_VIOLATION


@command(
    port=integer("Port on this machine.", 0, shown="a free one"),
    no_browser=switch("--no-browser", "Open no browser; print the address only."),
)
def explore(*, port: int, no_browser: bool) -> None:
    """Open a page of this machine: exact curves by sliders, measured audits. Ctrl-C ends it."""
    from ldp_auditor.errors import whole_number
    from ldp_auditor.exploring.server import ExploreServer

    port = whole_number("port", port, 0, 65535)
    with ExploreServer(port) as server:
        try:
            print(f"exploring at {server.address} (Ctrl-C ends it)", file=sys.stderr, flush=True)
            server.warm_up()
            if not no_browser:
                threading.Thread(target=_browse, args=[server.address], daemon=True).start()
            server.serve_forever(poll_interval=0.1)
        except KeyboardInterrupt:
            print("ldp-auditor: explore has ended", file=sys.stderr, flush=True)
            # An ordinary exit would wait for the threads of a measurement.
            os._exit(EXIT_NO_VIOLATION)


def _browse(address: str) -> None:
    if not webbrowser.open(address):
        print("ldp-auditor: no browser was found; open the address by hand", file=sys.stderr)
