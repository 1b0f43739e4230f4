# The two commands a newcomer needs:
#   make demo    install everything and show the main job on built-in data
#   make test    install everything and run all checks
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PRODUCT := $(VENV)/.product
REPORT := build/test-report

.PHONY: demo test test-matrix test-torch-only test-all test-slow test-extras test-browser extras browser lint types imports unit coverage doctest docs fuzz bench clean

# Needs the product alone.
demo: $(PRODUCT)
	$(BIN)/softsym discover --out-dir softsym-demo --force

test: lint types imports unit doctest

# Reinstalls only when what is to be installed has changed.
$(PRODUCT): pyproject.toml constraints.txt
	test -x $(BIN)/python || test -x $(BIN)/python.exe || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $(PRODUCT)

$(READY): $(PRODUCT) lab/pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]" -e lab
	touch $(READY)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

unit: $(READY)
	$(BIN)/pytest -n 2 -m "not slow and not browser and not nightly" --durations=50 --junitxml=$(REPORT)/junit.xml
	$(BIN)/pytest -q tests/test_budget.py -k last_run

# Which lines the tests run, as a page and as XML.
coverage: $(READY)
	$(BIN)/pytest -n 2 -m "not slow and not browser and not nightly" --cov --cov-report=term:skip-covered --cov-report=xml --cov-report=html

doctest: $(READY)
	$(BIN)/pytest -n 2 --doctest-modules --doctest-glob="*.md" src/softsym lab/src/softsym_lab README.md $(wildcard docs/*.md docs/concepts/*.md docs/maintain/*.md)

# The pages, into docs/_build; a warning is an error.
docs: $(READY)
	$(BIN)/python -c "import furo, myst_parser" 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[docs]"
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build
	@echo "open docs/_build/index.html"

# What systems without a C compiler get: the subpackages whose results come from compiled code, once more without it.
test-torch-only: $(READY)
	$(BIN)/pytest -n 2 -m "not slow and not browser and not nightly" --torch-only tests/native tests/nn tests/regularize tests/training

# The wheel in empty environments without a compiler, on every supported Python that is here, with the oldest and newest torch and NumPy to be had.
test-matrix:
	@bash .ci/matrix

# Everything: properties of all groups of the catalogue, and what trains for minutes. For every night.
test-all: lint types imports doctest
	$(BIN)/pytest -n 2 -m "not browser"

test-slow: $(READY)
	$(BIN)/pytest -m slow

# A browser and what drives it; fails, in one line, where there is none and none can be installed.
browser: $(READY)
	@bash .ci/chromium
	$(BIN)/python -c "import playwright" 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[browser]"

test-browser: browser
	$(BIN)/pytest -m browser tests/browser

# What optional parts need: Ray, and the formats of recorded tracks.
extras: $(READY)
	$(BIN)/python -c "import ray, crc32c, google.protobuf" 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[ray]" -e "lab[waymo]"

test-extras: extras
	$(BIN)/pytest tests/test_cluster.py tests/discovery/test_on_ray.py lab/tests/experiments/engines/test_ray.py lab/tests/tasks/motion

# Damaged files, texts and models, a hundred thousand of them, from seeds: used or refused in one line.
fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --cases 100000

bench: $(READY)
	$(BIN)/softsym bench

clean:
	rm -rf $(VENV) docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis $(REPORT)
