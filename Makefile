PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# a change of these needs a new installation, which compiles the core
SOURCES := pyproject.toml hatch_build.py $(wildcard dedup_middleware/data/*.txt) \
	$(shell find native -type f -not -path 'native/target/*')

# tests start many interpreters, and each would compile the package again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup rust crawl test test-all test-core torture test-browser test-spark test-oldest \
	test-wheel test-demo wheel chromium axe screenshots docs evaluation golden golden-freeze lint clean

setup: $(VENV)/.installed

$(VENV)/.installed: $(SOURCES)
	@echo "Setting up $(VENV), once and after a change of what it needs; about a minute in all:"
	@echo "  1 of 3: Rust, which compiles the core"
	@.ci/rust
	@echo "  2 of 3: a virtual environment with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@echo "  3 of 3: Scrapy, the development tools and the compiled core, most of the time"
	@$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

# make crawl             the embedded demo web
# make crawl URL=https…  a real site
crawl: setup
	@echo "Crawling $(or $(URL),the embedded demo web: about 500 pages in a few seconds)"
	@$(BIN)/scrapy crawl $(if $(URL),site -a "url=$(URL)",demo)

test: setup
	@echo "Running the tests that need nothing more, on all cores; at most 4 minutes on two"
	@$(BIN)/python -m pytest -n auto

# everything that must hold before a change lands, one after the other
test-all:
	@echo "Running all checks and tests; about 15 minutes on two cores"
	@set -e; for target in lint test-core test test-browser test-spark test-oldest test-wheel docs \
		test-demo; do echo "make $$target"; $(MAKE) --no-print-directory $$target; done

# the demo crawl: it ends with a summary, and agrees with its truth
test-demo: setup
	@summary=$$($(MAKE) --no-print-directory crawl) && echo "$$summary" && \
		echo "$$summary" | grep -q '^  dropped ' && \
		echo "$$summary" | grep -qE 'precision 1\.000, recall (1\.000|0\.9[89])'

# the core by itself
test-core: rust
	cargo test --offline --locked --manifest-path native/Cargo.toml

# faults, many of them: crawls and commands that are killed, a store against its model; hours
torture: MINUTES ?= 60
torture: setup
	$(BIN)/python -m benchmarks.torture all --minutes $(MINUTES)

# the report and the viewer, driven in Chromium
test-browser: $(VENV)/.more chromium axe
	$(BIN)/python -m pytest tests/viewer/browser

# what is published: built, and installed where nothing else is
test-wheel: $(VENV)/.more
	$(BIN)/python -m pytest tests/wheel

# the source and a wheel of this platform, in dist
wheel: $(VENV)/.more
	@.ci/wheel $(BIN)/python dist

# what only some targets need; all at once, as each installation takes its time
$(VENV)/.more: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[browser,dev,docs,release]'
	touch $@

# what compiles the core
rust:
	@.ci/rust

chromium:
	@.ci/chromium

# what tests the pages for accessibility
axe: $(VENV)/.installed
	@.ci/axe $(VENV)/axe

# batch jobs on Spark, which is large, and runs on Java
test-spark: $(VENV)/.spark
	$(BIN)/python -m pytest -rs tests/spark

$(VENV)/.spark: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[dev,spark]'
	touch $@

# the pictures of the README, from the demo crawl
screenshots: setup chromium
	$(BIN)/python -m benchmarks.report.screenshots

# the documentation as a site, in output/docs; it is built and read without a network
docs: $(VENV)/.more
	$(BIN)/sphinx-build -q -W --keep-going -c docs . output/docs
	@echo "output/docs/index.html"

# docs/evaluation.md and what it links, with all methods and peers: make evaluation DATA=sets
evaluation: setup
	@test -n "$(DATA)" || (echo "Name the folder of labelled sets: make evaluation DATA=…"; exit 2)
	@git diff --quiet HEAD || (echo "Commit first: figures name the commit they come from"; exit 2)
	$(BIN)/python -m pip install --quiet --editable '.[dev,peers]'
	$(BIN)/python -m lab.accuracy $(DATA) --methods all --peers all --shipped --variations --report docs/evaluation.md

# answers of the core and verdicts, against those in benchmarks/golden/frozen, on pages that the
# project makes and those of open sets: make golden DATA=sets ONLY=core; ONLY=verdicts
golden: setup
	$(BIN)/python -m benchmarks.golden $(DATA) $(if $(ONLY),--only $(ONLY))

# the same, written anew: for changes that are meant
golden-freeze: setup
	@test -n "$(DATA)" || (echo "Name the folder of open sets: make golden-freeze DATA=…"; exit 2)
	$(BIN)/python -m benchmarks.golden $(DATA) --freeze $(if $(ONLY),--only $(ONLY))

# the oldest Scrapy and other packages that are supported: what touches Scrapy must work there too
test-oldest: $(VENV)-oldest/.installed
	$(VENV)-oldest/bin/python -m pytest -n auto tests/plugin

$(VENV)-oldest/.installed: $(SOURCES)
	@.ci/rust
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/python -m pip install --quiet --upgrade pip
	sed -n '/^dependencies/,/^]/s/^ *"\([^>]*\)>=\([^"]*\)".*/\1==\2/p' pyproject.toml >$(VENV)-oldest/versions.txt
	$(VENV)-oldest/bin/python -m pip install --quiet --editable '.[dev]' --constraint $(VENV)-oldest/versions.txt
	touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) $(VENV)-oldest .mypy_cache .pytest_cache .ruff_cache .hypothesis native/target
