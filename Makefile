# Two commands are enough: `make run` keeps the score, `make test` proves that it still can.

PYTHON ?= python3
PORT ?= 8000
# Not taken from the environment: some shells export a HOST that is this computer's name.
HOST = 0.0.0.0

export FLASK_APP := app.py

bin := .venv/bin
# One more than there are processors, because a test in a browser waits now and then.
workers = $$(( $$(nproc 2>/dev/null || echo 2) + 1 ))
pip := $(bin)/python -m pip --quiet --disable-pip-version-check install
catalogues := $(patsubst %.po,%.mo,$(wildcard translations/*/LC_MESSAGES/*.po))
templates := $(wildcard templates)
# Every branch of these is taken by a test: the rules, and whatever says who may look and who may write.
wholly := rules/*,app.py,codes.py,sitting.py,kept.py,log.py,views/__init__.py,views/keepers.py,views/keys.py,views/limits.py

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run setup demo test soak bench check cover mutate audit system messages lock upgrade clean

help: ## Show these lines
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: setup ## Keep the score at http://127.0.0.1:8000 and on the phones nearby (PORT=8001, HOST=127.0.0.1)
	@$(bin)/flask migrate
	@$(bin)/flask serve --host "$(HOST)" --port "$(PORT)"

setup: .venv/runtime $(catalogues) ## Install what it needs into .venv; no administrator's rights needed

demo: setup ## Fill the book with finished and running games to look at
	@$(bin)/flask migrate
	@$(bin)/flask demo tests/data/games/*.json

test: setup .venv/dev system ## Run every test: rules, screens in a real browser, SQLite and PostgreSQL
	@$(bin)/pytest --numprocesses $(workers) --dist worksteal -m "not long"

soak: setup .venv/dev system ## What takes long, its figures printed: kills, power cuts, faults, load, fuzzing, long evenings; an hour
	@$(bin)/pytest -m long
	@STATEFUL_RUNS=2000 STATEFUL_STEPS=50 $(bin)/pytest --timeout 0 tests/app/test_stateful.py

bench: setup .venv/dev system ## Measure: what answers cost, long books (GAMES=10000 is quicker), a slow phone, 220 phones at once for a minute (SECONDS=10)
	@missed=""; for each in speed books pages phone load; do \
	    $(bin)/python -m bench.$$each || missed="$$missed $$each"; done; \
	test -z "$$missed" || { echo "A figure was missed by:$$missed" >&2; exit 1; }

check: setup .venv/dev ## Lint, formatting and types, then every test
	@$(bin)/ruff check
	@$(bin)/ruff format --check
	@$(bin)/mypy --strict rules
	@$(bin)/mypy
	@$(if $(templates),$(bin)/djlint --quiet --lint $(templates))
	@$(MAKE) --no-print-directory test

cover: setup .venv/dev system ## Which branches the tests take, without a browser: 95 % of all, every one in the rules and of who may write
	@$(bin)/coverage erase
	@$(bin)/pytest --numprocesses $(workers) --dist worksteal -m "not long" --ignore tests/browser --cov --cov-report=
	@$(bin)/coverage report --fail-under 95
	@$(bin)/coverage report --fail-under 100 --include "$(wholly)"

mutate: setup .venv/dev ## Make every small slip in the rules of plan, bids and points, and see that a test notices; two minutes
	@$(bin)/python -m bench.mutants

audit: .venv/runtime ## Ask whether a known weakness is in any package that requirements*.txt pin
	@test -x $(bin)/uv || $(pip) uv
	@if said=$$($(bin)/uv tool run --quiet --from "pip-audit>=2.10,<3" pip-audit --strict --disable-pip --require-hashes \
	    --progress-spinner off $(patsubst %,-r %,$(wildcard requirements*.txt)) 2>&1); then echo "$$said"; else \
	    case "$$said" in *"Found "*) echo "$$said";; *) echo "$$said" | tail -n 1; \
	        echo "NOT AUDITED: PyPI could not be asked what it knows of these packages. Ask again from elsewhere.";; \
	    esac >&2; exit 1; fi

system: ## Look for the browsers, PostgreSQL and all else the tests need; root gets it installed from Debian
	@missing=""; \
	for program in chromium WebKitWebDriver Xvfb strace; do \
	    command -v $$program >/dev/null || missing="$$missing $$program"; done; \
	command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$$missing PostgreSQL"; \
	fc-list :lang=hi 2>/dev/null | grep -q . || missing="$$missing Hindi-font"; \
	test "$$missing" || exit 0; \
	install="apt-get update && apt-get install -y --no-install-recommends"; \
	install="$$install chromium webkit2gtk-driver xvfb postgresql strace fonts-lohit-deva fonts-dejavu-core"; \
	echo "The tests need what is not here:$$missing." >&2; \
	if [ "$$(id -u)" = 0 ]; then export DEBIAN_FRONTEND=noninteractive; eval "$$install"; else \
	    echo "Once: sudo sh -c '$$install'" >&2; exit 1; fi

messages: .venv/runtime ## Bring the catalogues in translations/ up to what the code says now
	@$(bin)/pybabel --quiet extract --mapping-file babel.cfg --no-location --sort-output --omit-header \
	    --keywords "_ ngettext:1,2 problem:1 counted_problem:1,2 _wrong:1" --output-file messages.pot .
	@$(bin)/pybabel --quiet update --input-file messages.pot --output-dir translations --no-fuzzy-matching \
	    --ignore-obsolete --no-wrap

lock: .venv/runtime ## Pin requirements*.in again in requirements*.txt, keeping today's versions where they fit
	@test -x $(bin)/uv || $(pip) uv
	@for name in requirements requirements-dev; do \
	    $(bin)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	        --no-emit-index-url $(newer) $$name.in --output-file $$name.txt || exit 1; done

upgrade: newer := --upgrade
upgrade: lock ## The same with the newest versions that requirements*.in allow

clean: ## Remove what these commands made; never anybody's games
	@rm -rf .venv .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache htmlcov test-results $(catalogues)
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/runtime: requirements.txt
	@command -v "$(PYTHON)" >/dev/null || { \
	    echo "Python 3.11 or newer is needed, and there is no $(PYTHON). Name yours: make run PYTHON=..." >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed, and $(PYTHON)" \
	    " is " + sys.version.split()[0] + ". Name a newer one: make run PYTHON=python3.11")'
	@echo "Installing into .venv; the first time takes about 15 seconds."
	@$(bin)/python -m pip --version >/dev/null 2>&1 || "$(PYTHON)" -m venv --clear .venv
	@$(pip) --require-hashes -r requirements.txt
	@touch $@

.venv/dev: .venv/runtime requirements-dev.txt
	@echo "Installing the tools of the tests into .venv."
	@$(pip) --require-hashes -r requirements-dev.txt
	@touch $@

%.mo: %.po .venv/runtime
	@$(bin)/pybabel --quiet compile --input-file $< --output-file $@
