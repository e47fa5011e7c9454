# make demo: a fresh machine to the comparison of all protocols.  make test: every check.
# make test-environments: the checks of foreign packages, which it installs in .venv/environments.
# make test-cluster: the same for Ray.  make test-pythons: the quick tests with every Python found.
PYTHON ?= python3
BIN := .venv/bin
# What pytest runs when it has to be quick: doctests and unit tests.
QUICK := src tests/unit --quiet --numprocesses auto

.PHONY: demo test test-environments test-cluster test-pythons check benchmark clean

demo: .venv/demo.stamp
	$(BIN)/ldp-auditor compare --epsilon 1 --domain-size 25

test: check
	$(BIN)/pytest --numprocesses auto --dist worksteal

test-environments: .venv/dev.stamp
	$(BIN)/pytest -m environments --durations 12

test-cluster: .venv/dev.stamp
	$(BIN)/pytest -m cluster --durations 12

test-pythons:
	tests/pythons.sh $(QUICK)

check: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

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

clean:
	rm -rf src/ldp_auditor/__pycache__/ldp-auditor-kernels-*
	rm -rf .mypy_cache .pytest_cache .ruff_cache
