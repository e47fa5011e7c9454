"""The entry point, apart from the command line so that Ctrl-C while it is imported is clean too."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from ldp_auditor.cli import main as run
    except KeyboardInterrupt:
        print("ldp-auditor: interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
