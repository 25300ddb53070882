# Everything a bare machine needs is Python 3.11 or later (with venv) and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test browser-test cluster-test smoke check lint types imports format bench faults clean

help:  ## Show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.runtime  ## Estimate and solve the example deals
	$(BIN)/trickcast estimate --exact examples/deals.pbn

test: $(VENV)/.dev  ## Run the tests
	$(BIN)/python -m pytest

browser-test: $(VENV)/.browser  ## The page in a real Chromium; installs it where it may
	$(BIN)/python -m pytest tests/browser --browser

cluster-test: $(VENV)/.dev  ## Two machines on Ray, killed while they work (minutes)
	$(BIN)/python -m pytest tests/cluster --cluster

smoke: $(VENV)/.dev  ## Repeat every experiment of the papers in miniature
	$(BIN)/trickcast reproduce all --scale smoke --out build/smoke

check: lint types imports test  ## Run all that CI runs

lint: $(VENV)/.dev  ## Style
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.dev  ## Types, strictly
	$(BIN)/mypy

imports: $(VENV)/.dev  ## Which room may import which
	$(BIN)/lint-imports

format: $(VENV)/.dev  ## Put the code into shape
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

faults: $(VENV)/.dev  ## Kill the makers of libraries at 200 random moments
	$(BIN)/python tests/faults.py --kills 200

bench: $(VENV)/.dev  ## Measure speeds (minutes; see docs/benchmarks.md)
	for script in benchmarks/*.py; do $(BIN)/python $$script; done

clean:  ## Remove the environment and all caches
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.browser: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable '.[browser]'
	command -v chromium chromium-browser >/dev/null || apt-get install -y -q chromium
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.runtime
