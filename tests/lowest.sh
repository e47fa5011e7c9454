#!/usr/bin/env bash
# Runs pytest with the given arguments with the lowest version of every dependency that pyproject.toml
# allows, in an environment in .venv/lowest. What the tests need beside them is as new as it can be.
set -euo pipefail
cd "$(dirname "$0")/.."
home=.venv/lowest
if [ pyproject.toml -nt $home/stamp ]; then
    python=$home/bin/python
    .venv/bin/python -m venv --clear --without-pip $home
    # pip has no such resolution: this needs uv.
    .ci/install $python --resolution lowest-direct --editable '.[all]'
    .ci/install $python mpmath 'pandas<3' pytest pytest-xdist
    touch $home/stamp
fi
# Old packages use what newer ones call old: that is not for us to mend.
$home/bin/python -m pytest -W default::DeprecationWarning -W default::PendingDeprecationWarning "$@"
