"""The entry point, apart from the command line so that Ctrl-C while it is imported is clean too."""

import gc
import sys

SELDOM = 100_000
"""New objects after which Python looks for garbage: imports make many, and none of it."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(SELDOM)
    try:
        from ldp_auditor.cli import main as run
    except KeyboardInterrupt:
        print("ldp-auditor: interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
