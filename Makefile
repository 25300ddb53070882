# Everything a bare machine needs is Python 3.11 or later (with venv) and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

# What runs in processes of its own, as many tests do, is compiled once.
unexport PYTHONDONTWRITEBYTECODE

PYTHONS := $(wildcard $(HOME)/.pyenv/versions/3.1[1-9]*/bin/python) \
	$(foreach minor,11 12 13 14,$(shell command -v python3.$(minor)))

WITH_WHEEL = "$$(echo dist/*.whl)[data,plots,web]" pytest pytest-timeout httpx hypothesis pandas polars

.PHONY: help demo test slow-test coverage browser-test cluster-test docs blocks models-pages docs-all test-pythons wheel smoke check lint types imports format bench faults endurance wasm \
	million fuzz clean

help:  ## Show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.runtime  ## Estimate and solve the example deals
	$(BIN)/trickcast estimate --exact examples/deals.pbn

test: $(VENV)/.dev  ## Run the tests but for the slow ones, on all cores
	$(BIN)/python -m pytest -n auto --dist loadfile -m 'not slow'

slow-test: $(VENV)/.dev  ## Run the slow tests, on all cores
	$(BIN)/python -m pytest -n auto --dist loadfile -m slow

coverage: $(VENV)/.dev  ## Which lines the tests run
	$(BIN)/python -m pytest -n auto --dist loadfile --cov --cov-report=
	$(BIN)/python -m coverage report

browser-test: $(VENV)/.browser  ## The page in a real Chromium; installs it where it may
	if command -v em++ >/dev/null; then $(MAKE) wasm || echo 'without the solver of the page: its tests are skipped'; fi
	$(BIN)/python -m pytest tests/browser --browser

cluster-test: $(VENV)/.dev  ## Two machines on Ray, killed while they work (minutes)
	$(BIN)/python -m pytest tests/cluster --cluster

docs: $(VENV)/.dev  ## The site, into build/docs: notebooks are run
	$(BIN)/python -m sphinx -q -W --keep-going docs build/docs

blocks: $(VENV)/.dev  ## Run the short blocks of the pages
	$(BIN)/python -m pytest -p docs.blocks docs README.md CONTRIBUTING.md

GIB := ../shared/data/gib/gib-10000.txt
models-pages: $(VENV)/.browser  ## After a new model: measure it, and write anew all pages that show its answers
	$(BIN)/python docs/make_figures.py --measure $(GIB)
	$(BIN)/python docs/make_evaluation.py $(GIB)
	$(BIN)/python docs/make_unusual.py
	$(BIN)/python docs/make_leaderboard.py --measure $(GIB)
	$(BIN)/python docs/make_pictures.py
	$(BIN)/python docs/make_page.py
	$(BIN)/python docs/make_practice.py
	$(BIN)/python -m pytest -q -p docs.blocks docs README.md CONTRIBUTING.md --rewrite

docs-all: docs  ## Run every block that can run here, and follow links out of the site
	$(BIN)/python -m pytest -p docs.blocks docs README.md CONTRIBUTING.md --slow
	rm -rf build/links
	-$(BIN)/python -m sphinx -Q -b linkcheck -D nb_execution_mode=off docs build/links
	$(BIN)/python docs/links.py build/links/output.json

wheel: $(VENV)/.dev  ## Build wheel and sdist; try the wheel in an empty environment
	rm -rf dist build/empty && mkdir -p build
	$(BIN)/python -m build >build/build.log || { cat build/build.log; false; }
	$(BIN)/twine check --strict dist/*
	$(PYTHON) -m venv build/empty
	build/empty/bin/python -m pip install --quiet dist/*.whl
	mkdir build/empty/folder
	cd build/empty/folder && ../bin/python $(CURDIR)/tests/installed.py $(CURDIR)/README.md

test-pythons: wheel  ## Pass the tests from the wheel on every Python that is found, and without the solver
	set -e; for python in $(PYTHONS); do \
	  folder=build/$$($$python -c 'import sys; print("python%d.%d" % sys.version_info[:2])'); \
	  test -f $$folder/passed && continue; \
	  $$python -m venv --clear $$folder; \
	  $$folder/bin/python -m pip install --quiet $(WITH_WHEEL); \
	  echo $$folder; $$folder/bin/python -m pytest $(TESTS); touch $$folder/passed; \
	done
	$(PYTHON) -m venv --clear build/unsolved
	build/unsolved/bin/python -m pip install --quiet $(WITH_WHEEL)
	build/unsolved/bin/python -m pip uninstall --quiet --yes endplay
	build/unsolved/bin/python -m pytest $(TESTS)

smoke: $(VENV)/.dev  ## Repeat every experiment of the papers in miniature
	$(BIN)/trickcast reproduce all --scale smoke --out build/smoke

check: lint types imports test  ## Style, types, import rules, most tests; CI runs all of .ci/run

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

faults: $(VENV)/.dev  ## Kill what makes libraries and trains at 200 random moments
	$(BIN)/python tests/faults.py --kills 200

endurance: $(VENV)/.dev  ## A million deals, ten thousand calls, 64 threads: nothing grows
	$(BIN)/python tests/endurance.py

million: $(VENV)/.dev  ## A million changed inputs over all readers; goes on where it stopped
	PYTHONPATH=tests $(BIN)/python -m fuzz.run --inputs 1000000 --out build/fuzz

SECONDS ?= 3600
fuzz: $(VENV)/.fuzz  ## Fuzzing guided by coverage, for SECONDS=3600 over all targets
	PYTHONPATH=tests $(BIN)/python -m fuzz.guided --seconds $(SECONDS)

SOLVER := src/trickcast/web/wasm
wasm: $(SOLVER)/dds.wasm  ## Build DDS as WebAssembly, for the static page (needs Debian's emscripten and node-acorn)

$(SOLVER)/dds.wasm: wasm/dds.cpp wasm/build.sh
	wasm/build.sh $(SOLVER)

bench: $(VENV)/.dev  ## Measure speeds (more than an hour; see docs/benchmarks.md)
	set -e; for script in benchmarks/*.py; do $(BIN)/python $$script; done

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

$(VENV)/.fuzz: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable '.[fuzz]'
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.runtime
