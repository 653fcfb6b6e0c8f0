PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup crawl test lint clean

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

# make crawl             the embedded demo web
# make crawl URL=https…  a real site
crawl: setup
	$(BIN)/scrapy crawl $(if $(URL),site -a "url=$(URL)",demo)

test: setup
	$(BIN)/python -m pytest

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
