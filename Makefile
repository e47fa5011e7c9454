# make demo: a fresh machine to the comparison of all protocols.
# make test-quick: before each commit.  make test: every check that needs no foreign package.
# make test-browser: those of the pages, in Chromium.
# make test-environments, make test-cluster: the checks of foreign packages and of Ray, which they
# install in .venv/environments.  make docs: the site, in site/; make test-docs: its checks.
# make package: wheel and sdist, in dist/, looked at as an index would.
# make test-pythons, make test-lowest: the quick tests with every Python found, and with the lowest
# version of every dependency.  make lock: the versions that CI installs, in .ci/lock.txt.
PYTHON ?= python3
BIN := .venv/bin
PARALLEL := --numprocesses auto --dist worksteal
# Tests that wait for processes leave a core free: more of them than cores run side by side.
MORE = --numprocesses $$(($$(getconf _NPROCESSORS_ONLN) * 3 / 2))
PYTEST := $(BIN)/pytest $(PARALLEL)
# What pytest runs when it has to be quick: doctests and unit tests.
QUICK := src tests/unit --quiet
# Packages are installed without bytecode; the tests start a thousand interpreters, which keep
# theirs even where the machine's variables say otherwise: else each would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test-quick test test-browser test-environments test-cluster test-pythons test-lowest
.PHONY: docs test-docs package lock check lint types quick-tests all-tests benchmark clean

demo: .venv/demo.stamp
	$(BIN)/ldp-auditor compare --epsilon 1 --domain-size 25

# Types are checked beside the tests, which leave a core free now and then.
test-quick: .venv/dev.stamp
	$(MAKE) --no-print-directory --jobs lint types quick-tests

test: .venv/dev.stamp
	$(MAKE) --no-print-directory --jobs lint types all-tests

test-browser: .venv/dev.stamp
	$(PYTEST) -m browser tests/end_to_end

test-environments: .venv/dev.stamp
	$(PYTEST) -m environments tests/end_to_end

test-cluster: .venv/dev.stamp
	$(PYTEST) -m cluster tests/end_to_end

test-pythons: .venv/demo.stamp
	tests/pythons.sh $(QUICK) $(PARALLEL)

test-lowest: .venv/demo.stamp
	tests/lowest.sh $(QUICK) $(PARALLEL)

# Warnings are errors (mkdocs.yml): a link that leads nowhere, a page that no menu has.
docs: .venv/docs.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs --quiet build
	@echo "open site/index.html"

test-docs: .venv/docs.stamp
	$(BIN)/pytest -m site tests/end_to_end

# What an index would take, from files that git knows.
package: .venv/package.stamp
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

# For every supported Python; `LOCKED=1 make ...` installs these versions.
lock: .venv/demo.stamp
	UV_SYSTEM_CERTS=true $(BIN)/uv pip compile pyproject.toml --upgrade --universal --python-version 3.11 \
		--extra all --extra dev --extra docs --extra package --no-header --no-annotate --quiet \
		--output-file .ci/lock.txt

check: lint types

lint: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: .venv/dev.stamp
	$(BIN)/mypy

quick-tests: .venv/dev.stamp
	$(PYTEST) $(QUICK)

all-tests: .venv/dev.stamp
	$(PYTEST) $(MORE)

benchmark: .venv/demo.stamp
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/against_peer.py

# Where the Python has a pip, that one brings pip and uv in half the time of Python's own way.
.venv/demo.stamp: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed. Name one: make $(firstword $(MAKECMDGOALS)) PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv --without-pip .venv
	@$(PYTHON) -m pip --python $(BIN)/python install --quiet --no-compile pip uv 2>/dev/null \
		|| $(PYTHON) -m venv .venv
	@echo "installing ldp-auditor and what it needs, about ten seconds"
	@.ci/install $(BIN)/python --editable '.[all]'
	touch $@

.venv/dev.stamp: .venv/demo.stamp
	@echo "installing what the tests need"
	@.ci/install $(BIN)/python --editable '.[dev]'
	touch $@

.venv/docs.stamp: .venv/dev.stamp
	@echo "installing what the site needs"
	@.ci/install $(BIN)/python --editable '.[docs]'
	touch $@

.venv/package.stamp: .venv/dev.stamp
	@echo "installing what looks at packages"
	@.ci/install $(BIN)/python --editable '.[package]'
	touch $@

clean:
	rm -rf src/ldp_auditor/__pycache__/ldp-auditor-kernels-*
	rm -rf .mypy_cache .pytest_cache .ruff_cache
