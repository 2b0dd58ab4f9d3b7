# `make demo` runs the whole line on embedded baselines; `make test` passes the tests. Both install what they need.
PYTHON ?= python3
WORKERS ?= 2
BIN := .venv/bin
DEMO := demo

.PHONY: install install-local demo test test-browser test-local check bench audit certificate clean

install: .venv/installed

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[dev,bench,models]"
	touch $@

# Torch and diffusers, for models that run on this machine: large, and needed by nothing else.
install-local: .venv/installed-local

.venv/installed-local: .venv/installed
	$(BIN)/pip install --quiet --constraint constraints.txt torch
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[local]"
	touch $@

demo: install
	$(BIN)/vmevalkit generate --task maze rotation --n 4 --seed 42 --out $(DEMO)/questions --workers $(WORKERS)
	$(BIN)/vmevalkit run --model oracle static halfway cut_to_final through_wall mirrored oracle+zoom_75 \
		--questions $(DEMO)/questions --outputs $(DEMO)/outputs --experiment demo --workers $(WORKERS)
	$(BIN)/vmevalkit score --with rules --experiment demo --outputs $(DEMO)/outputs \
		--evaluations $(DEMO)/evaluations --workers $(WORKERS)
	$(BIN)/vmevalkit report --experiment demo --outputs $(DEMO)/outputs --evaluations $(DEMO)/evaluations \
		--out $(DEMO)/report

test: install
	$(BIN)/pytest -q -n $(WORKERS) -m "not browser and not local"

# Needs Chromium: `apt-get install chromium`, or CHROMIUM=/path/to/it.
test-browser: install
	$(BIN)/pytest -q -m browser

# Pipelines of diffusers with tiny random weights.
test-local: install-local
	$(BIN)/pytest -q -m local

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: install
	$(BIN)/python -m benchmarks

# A quick audit of every rule scorer; CI fails when one falls.
audit: install
	$(BIN)/vmevalkit audit --films 7 --workers $(WORKERS)

# The full audit of some tasks, on a seed on which nothing was tuned: an hour of CPU time for each. Called again after an
# interruption, it goes on. `make certificate TASKS="chess raven" SEED=31`
TASKS ?= maze rotation
SEED ?= 11
certificate: install
	for task in $(TASKS); do $(BIN)/vmevalkit audit --task $$task --films 150 --own-films 300 --seed $(SEED) \
		--workers $(WORKERS) --notebook data/audit/$$task.jsonl --out docs/certificates/$$task.md || exit 1; done

clean:
	rm -rf $(DEMO) .pytest_cache .mypy_cache .ruff_cache .hypothesis
