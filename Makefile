# make demo: a fresh machine to the comparison of all protocols.
# make test-quick: before each commit.  make test: every check that needs no foreign package.
# make test-browser: those of the pages, in Chromium.
# make test-environments, make test-cluster: the checks of foreign packages and of Ray, which they
# install in .venv/environments.  make docs: the site, in site/; make test-docs: its checks.
# make package: wheel and sdist, in dist/, looked at as an index would.
# make test-pythons: the quick tests with every Python found.
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

.PHONY: demo test-quick test test-browser test-environments test-cluster test-pythons
.PHONY: docs test-docs package check lint types quick-tests all-tests benchmark clean

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
