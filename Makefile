# Two commands do everything: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
MODEL := packages/taishi-model
WORKERS ?= 2

.PHONY: setup pages demo test check bench docs eval fuzz kills attack screenshots clean

setup: $(READY)
	@$(BIN)/python web/build_pages.py

# The web pages; needs Node.js 20 or later and npm.
pages: $(READY)
	@$(BIN)/python web/build_pages.py --strict

# The model is installed in place: its files are read where they lie in the tree.
$(READY): pyproject.toml $(MODEL)/pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing packages into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[local,server,documents,dev]' -e ./$(MODEL)
	@touch $@

demo: setup
	@rm -rf demo-data
	@$(BIN)/taishi demo --data demo-data

test: setup check
	@$(BIN)/python -m pytest -n $(WORKERS)
	@$(BIN)/python -m pytest tests/browser

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: setup
	@$(BIN)/python -m benchmarks
	@$(BIN)/python -m benchmarks peers

# Writes the generated pages anew, then runs every example and checks every link.
docs: setup
	@$(BIN)/python -m taishi.settings
	@$(BIN)/python -m taishi.server
	@$(BIN)/python -m pytest tests/docs

# Many more requests than the tests make, against the server's own description; a million inputs
# through everything that reads text from outside (FUZZ_INPUTS, FUZZ_SEED); many more kills of every
# verb that writes.
FUZZ_EXAMPLES ?= 400
FUZZ_INPUTS ?= 1000000
FUZZ_SEED ?= 20261116
KILLS ?= 100
fuzz: setup kills
	@FUZZ_INPUTS=$(FUZZ_INPUTS) FUZZ_SEED=$(FUZZ_SEED) $(BIN)/python -m benchmarks fuzz
	@FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) $(BIN)/python -m pytest tests/server/test_fuzz.py --timeout 0

kills: setup
	@KILLS=$(KILLS) $(BIN)/python -m pytest tests/fault/test_kill_matrix.py -n 0 -s

# Many more rows of the attack table than the tests try; 0: all of it, which takes days.
ATTACK_ROWS ?= 100000
attack: setup
	@ATTACK_ROWS=$(ATTACK_ROWS) $(BIN)/python -m pytest tests/server/test_attacks.py -n 0 -s --timeout 0

# The pictures of the pages in docs/images, taken anew.
screenshots: pages
	@$(BIN)/python tests/browser/screenshots.py

# make eval FILES="case1.json case2.json"
eval: setup
	@for file in $(FILES); do $(BIN)/taishi eval $$file; done

clean:
	rm -rf $(VENV) web/node_modules src/taishi/server/pages/static .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
