# Everything here works on a machine that has only Python 3.11 to 3.13 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN_STAMP := $(VENV)/.installed-run
DEV_STAMP := $(VENV)/.installed-dev
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help league test soak soak-chaos soak-readers soak-clock check proto lock clean bench js browser

help:
	@echo "make league   play the demo league and write its site"
	@echo "make test     the whole test suite"
	@echo "make soak     one league, killed at 200 random moments (KILLS=50 SEED=7 for others)"
	@echo "make soak-chaos  2,000 matches with bots that go wrong in four ways: memory, files, threads (MATCHES=200 SEED=7)"
	@echo "make soak-clock  ten minutes of bots that are in time, on a tight clock (MINUTES=1 TABLES=128 for others)"
	@echo "make soak-readers  an hour of 64 tables beside status, standings and reports (MINUTES=10 SEED=7 for others)"
	@echo "make check    style, types"
	@echo "make bench    speed, beside a raw gRPC ping-pong"
	@echo "make proto    generate arena/v1 from proto/"
	@echo "make browser  Chromium, for the tests of the site in a real browser"
	@echo "make lock     resolve the lock files anew"
	@echo "make js       the packages of the bot in JavaScript (needs npm)"

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(None if (3, 11) <= sys.version_info[:2] <= (3, 13) else "the arena needs Python 3.11 to 3.13, and this is " + sys.version.split()[0] + "; name one with make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(RUN_STAMP): requirements.lock pyproject.toml | $(BIN)/python
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(DEV_STAMP): requirements-dev.lock $(RUN_STAMP)
	$(INSTALL) --require-hashes -r requirements-dev.lock
	@touch $@

league: $(RUN_STAMP)
	@$(BIN)/arena demo

test: $(DEV_STAMP)
	@$(BIN)/python -m pytest -n auto

KILLS ?= 200
SEED ?= 1

soak: $(DEV_STAMP)
	@ARENA_KILLS=$(KILLS) ARENA_SEED=$(SEED) $(BIN)/python -m pytest --timeout 0 tests/test_end_to_end.py -k killed

MATCHES ?= 2000

soak-chaos: $(DEV_STAMP)
	@$(BIN)/python -m tests.chaos.soak --matches $(MATCHES) --seed $(SEED)

soak-readers: MINUTES ?= 60
soak-readers: $(DEV_STAMP)
	@$(BIN)/python -m tests.chaos.readers --minutes $(MINUTES) --seed $(SEED)

TABLES ?= 64

soak-clock: MINUTES ?= 10
soak-clock: $(DEV_STAMP)
	@$(BIN)/python -m tests.chaos.clock --minutes $(MINUTES) --tables $(TABLES)

check: $(DEV_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(RUN_STAMP)
	$(BIN)/arena bench

proto: $(DEV_STAMP)
	$(BIN)/python -m grpc_tools.protoc -Iproto --python_out=. --mypy_out=. --plugin=protoc-gen-mypy=$(BIN)/protoc-gen-mypy proto/arena/v1/*.proto

# npm's own record of what it has installed is the stamp. Nothing else depends on it: without Node its tests are skipped.
JS := reference_bots/js
js: $(JS)/node_modules/.package-lock.json

$(JS)/node_modules/.package-lock.json: $(JS)/package.json $(JS)/package-lock.json
	npm ci --prefix $(JS) --omit=dev --ignore-scripts --no-audit --no-fund
	@touch $@

# Debian's Chromium; without it the browser tests are skipped.
browser:
	@if command -v chromium >/dev/null; then echo "Chromium is installed"; \
	elif command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null; \
	else echo "make browser: needs root and apt-get; elsewhere install Chromium so that 'chromium' is on the PATH" >&2; exit 1; fi

# uv resolves for every platform and Python at once; it is needed only to renew the locks.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-emit-find-links pyproject.toml --group build -o requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-emit-find-links pyproject.toml --group build --group dev --extra metrics --extra oracle --extra postgres -o requirements-dev.lock

clean:
	rm -rf $(VENV) demo site
