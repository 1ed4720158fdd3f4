# Every target makes its own .venv where it is missing or older than what it was made from.
# Installing reads no standard input, so answers may be piped: printf '2\n…' | make demo

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test lint rules types suite format cases bench chaos fuzz pressure pin clean

help:
	@echo 'make demo              an agent asks, you answer, in this terminal'
	@echo 'make test              every check: format, lint, types, import rules, tests'
	@echo 'make lint              the same without the tests'
	@echo 'make format            rewrites what the formatter and the linter can mend'
	@echo 'make cases FILE=…      plays a file of scenarios against the real broker and Redis'
	@echo 'make bench             measures: one figure a line'
	@echo 'make chaos             10,000 asks while gateway and engine are killed'
	@echo 'make fuzz              1,000,000 random replies, and as many events of the platforms'
	@echo 'make pressure          50 presses a second while Redis and the platforms are slow'
	@echo 'make pin               writes constraints.txt anew'

demo: $(VENV)/core
	@$(BIN)/oz0 demo

# The types beside the tests, which wait for servers a third of their time.
test: rules
	@$(MAKE) --no-print-directory -j2 types suite

lint: rules types

rules: $(VENV)/dev
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/lint-imports --no-logo

types: $(VENV)/dev
	@$(BIN)/mypy

# One more than there are processors: tests wait for servers a third of their time.
WORKERS = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

suite: $(VENV)/dev
	@PYTEST_XDIST_AUTO_NUM_WORKERS=$(WORKERS) $(BIN)/python -m pytest -q -n auto --maxprocesses 4

format: $(VENV)/dev
	@$(BIN)/ruff check --fix --quiet
	@$(BIN)/ruff format --quiet

cases: $(VENV)/dev
	@test -n '$(FILE)' || { echo 'make cases FILE=path.json: say which file' >&2; exit 2; }
	@$(BIN)/python -m tests.cases.runner '$(FILE)'

bench: $(VENV)/dev
	@$(BIN)/python -m bench

chaos: $(VENV)/dev
	@$(BIN)/python -m tests.chaos --asks 10000

fuzz: $(VENV)/dev
	@$(BIN)/python -m tests.fuzz.reply_fuzz --count 1000000
	@$(BIN)/python -m tests.fuzz.event_fuzz --count 1000000

pressure: $(VENV)/dev
	@PRESSURE=whole $(BIN)/python -m pytest -q -s -p no:randomly tests/channels/test_pressure.py

pin:
	@.ci/pin $(PYTHON)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' </dev/null || { \
	    echo 'OZ gateway needs Python 3.11 or newer; this is $(PYTHON). Name another: make PYTHON=python3.12' >&2; \
	    exit 1; }
	@echo 'making $(VENV), once …' >&2
	@$(PYTHON) -m venv $(VENV) </dev/null || { rm -rf $(VENV); exit 1; }
	@# The pip that Python brings takes twice as long for what follows.
	@$(INSTALL) --upgrade pip </dev/null

CHATS := slack,teams,discord,telegram

# The gateway, its engine and the chats, without what the checks need, so that the demo starts soon.
$(VENV)/core: pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(INSTALL) -e '.[embedded,$(CHATS)]' </dev/null
	@touch $@

$(VENV)/dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo 'installing what the checks need …' >&2
	@$(INSTALL) -e '.[embedded,$(CHATS),dev]' </dev/null
	@touch $(VENV)/core $@
