"""Run the command line as `python -m ldp_auditor`."""

from ldp_auditor.cli import main

main()
