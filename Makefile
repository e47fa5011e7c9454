# make demo: a fresh machine to the comparison of all protocols.
# make test-quick: before each commit.  make test: every check that needs no foreign package.
# make test-environments, make test-cluster: the checks of foreign packages and of Ray, which they
# install in .venv/environments.
PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/pytest --numprocesses auto --dist worksteal
QUICK := src tests/unit

.PHONY: demo test-quick test test-environments test-cluster
.PHONY: check lint types quick-tests all-tests benchmark clean

demo: .venv/demo.stamp .venv/kernels.stamp
	$(BIN)/ldp-auditor compare --epsilon 1 --domain-size 25

# Types are checked beside the tests, which leave a core free now and then.
test-quick: .venv/dev.stamp .venv/kernels.stamp
	$(MAKE) --no-print-directory --jobs lint types quick-tests

test: .venv/dev.stamp .venv/kernels.stamp
	$(MAKE) --no-print-directory --jobs lint types all-tests

test-environments: .venv/dev.stamp .venv/kernels.stamp
	$(PYTEST) -m environments

test-cluster: .venv/dev.stamp .venv/kernels.stamp
	$(PYTEST) -m cluster

check: lint types

lint: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: .venv/dev.stamp
	$(BIN)/mypy

quick-tests: .venv/dev.stamp .venv/kernels.stamp
	$(PYTEST) --quiet $(QUICK)

all-tests: .venv/dev.stamp .venv/kernels.stamp
	$(PYTEST)

benchmark: .venv/demo.stamp
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/against_peer.py

.venv/demo.stamp: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable .
	touch $@

.venv/dev.stamp: .venv/demo.stamp
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

# numba does not see a change in a kernel that another file calls: drop compiled kernels older than
# the newest source.
.venv/kernels.stamp: $(shell find src/ldp_auditor/mechanisms -name '*.py') | .venv/demo.stamp
	find src -name '*.nb[ic]' -delete
	touch $@

clean:
	find src -name '*.nb[ic]' -delete
	rm -rf .mypy_cache .pytest_cache .ruff_cache
