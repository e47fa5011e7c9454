"""What a start costs: packages that are not needed are not imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

NEVER = {
    "matplotlib",
    "pandas",
    "plotly",
    "pyarrow",
    "ray",
    "scipy.special",
    "scipy.stats",
    "sklearn",
}
"""What no small audit needs: numba asks scipy for its version, which is all of scipy."""

RUN = """
import sys
sys.argv = ["ldp-auditor", *{arguments!r}]
from ldp_auditor.__main__ import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
AUDIT = "audit GRR --epsilon 1 --domain-size 25 --trials 10"
CALL = """
import sys, ldp_auditor
ldp_auditor.audit("GRR", epsilon=1.0, domain_size=25, trials=10)
print(*sys.modules, file=sys.stderr)
"""


def imported_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("arguments", "also"),
    [
        ("--version", {"numba", "numpy", "rich", "scipy"}),
        ("--help", {"numba", "numpy", "rich", "scipy"}),
        ("list", {"numba", "rich", "scipy", "ldp_auditor.bounds"}),
        ("list --json", {"numba", "rich", "scipy", "ldp_auditor.bounds"}),
        (f"{AUDIT} --json", {"rich", "ldp_auditor.mechanisms.local_hashing"}),
        ("compare SHE AGM --epsilon 1 --domain-size 5 --trials 10 --json", {"rich"}),
        ("profile OUE --epsilon 1 --domain-size 25 --json", {"numba", "rich"}),
    ],
)
def test_a_command_imports_what_it_needs(arguments: str, also: set[str]) -> None:
    imported = imported_by(RUN.format(arguments=arguments.split()))
    assert "ldp_auditor.cli" in imported
    assert not imported & (NEVER | also)


def test_the_library_imports_what_it_needs() -> None:
    assert not imported_by("import sys, ldp_auditor; print(*sys.modules, file=sys.stderr)") & {
        *("click", "numba", "numpy", "rich", "scipy"),
        *NEVER,
    }
    assert not imported_by(CALL) & {"click", "rich", *NEVER}


def test_a_kernel_on_the_disk_is_read_without_the_compiler() -> None:
    imported_by(CALL)  # it is there now
    assert not imported_by(CALL) & {"numba.np.linalg", "numba.np.random.generator_methods"}
