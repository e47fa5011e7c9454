#!/usr/bin/env bash
# Runs pytest with the given arguments under every Python from 3.11 on that starts on this machine,
# each in an environment of its own in .venv/pythons. Looks on the path, then among pyenv's.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=
for version in 3.11 3.12 3.13 3.14; do
    python=
    for found in $(type -aP "python$version") "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python; do
        if "$found" -c 'import sys, venv, ensurepip' 2>/dev/null; then  # pyenv's shims may not
            python=$found
            break
        fi
    done
    if [ -z "$python" ]; then
        echo "== Python $version: not found on this machine, left out"
        continue
    fi
    home=.venv/pythons/$version
    if [ pyproject.toml -nt "$home/stamp" ]; then
        "$python" -m venv --clear --without-pip "$home" &&
            .ci/install "$home/bin/python" --editable '.[dev]' && touch "$home/stamp" ||
            { echo "== Python $version: the environment cannot be made"; failed+=" $version"; continue; }
    fi
    echo "== $("$home/bin/python" -V): pytest $*"
    "$home/bin/pytest" "$@" || failed+=" $version"
done
[ -z "$failed" ] || { echo "== failed:$failed"; exit 1; }
