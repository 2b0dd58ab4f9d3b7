# `make demo` runs the main job on the embedded baselines; `make test` passes the tests. Both install what they need.
PYTHON ?= python3
WORKERS ?= 2
BIN := .venv/bin
DEMO := demo
SPECIAL := browser or local or docs or nightly or scale or lmms

.PHONY: install install-local install-scale demo demo-vqa test test-fast test-docs test-browser test-local test-scale \
	test-lmms test-lowest check bench audit attack certificate pages nightly selftest-data selftest-scores mutants wheel docs clean

install: .venv/installed

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[dev,bench,chess,models,stats,annotate,docs,serve]"
	touch $@ .venv/installed-demo

# The package and what it imports, without the tools of developers: a new clone has its demo sooner.
.venv/installed-demo: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[chess]"
	touch $@

# Torch and diffusers, for models that run on this machine: large, and needed by nothing else.
install-local: .venv/installed-local

.venv/installed-local: .venv/installed
	$(BIN)/pip install --quiet --constraint constraints.txt torch
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[local]" trl
	touch $@

# Ray, s3fs with an S3 server for tests, datasets and webdataset.
install-scale: .venv/installed-scale

.venv/installed-scale: .venv/installed
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[scale-tests]"
	touch $@

# All tasks, one question each: the reference solution and four trick baselines.
demo: .venv/installed-demo
	$(BIN)/vmevalkit generate --n 1 --seed 42 --out $(DEMO)/questions --workers $(WORKERS)
	$(BIN)/vmevalkit run --model oracle cut_to_final solved_then_destroyed halfway static \
		--questions $(DEMO)/questions --outputs $(DEMO)/outputs --experiment demo --workers $(WORKERS)
	$(BIN)/vmevalkit score --with rules --experiment demo --outputs $(DEMO)/outputs \
		--evaluations $(DEMO)/evaluations --workers $(WORKERS)
	$(BIN)/vmevalkit report --experiment demo --outputs $(DEMO)/outputs --evaluations $(DEMO)/evaluations \
		--out $(DEMO)/report --workers $(WORKERS)

test: install
	$(BIN)/pytest -q -n $(WORKERS) -m "not ($(SPECIAL))"

# For the inner loop, about two minutes: at least one test of every task, reader and command.
test-fast: install
	$(BIN)/pytest -q -n $(WORKERS) -m "not (slow or $(SPECIAL))"

# Runs every code block of the README, the documents and the task pages.
test-docs: install
	$(BIN)/pytest -q -n $(WORKERS) -m docs

# Needs Chromium: `apt-get install chromium`, or CHROMIUM=/path/to/it.
test-browser: install
	$(BIN)/pytest -q -m browser

# Pipelines of diffusers with tiny random weights, and a step of TRL's trainer.
test-local: install-local
	$(BIN)/pytest -q -m local

# A Ray cluster of two nodes on this machine, an S3 server with faults, and the libraries that read our formats.
test-scale: install-scale
	$(BIN)/pytest -q -m scale

# The task files of MMSI-Bench under the real lmms_eval, in an environment of its own: 1.9 GB, some minutes the first time.
LMMS := .venv-lmms
test-lmms: install $(LMMS)/installed
	VMEVALKIT_LMMS_PYTHON=$(CURDIR)/$(LMMS)/bin/python $(BIN)/pytest -q -m lmms

$(LMMS)/installed: pyproject.toml tools/lmms/constraints.txt
	$(PYTHON) -m venv $(LMMS)
	$(LMMS)/bin/pip install --quiet torch==2.13.0
	$(LMMS)/bin/pip install --quiet --no-deps lmms_eval==0.7.3
	$(LMMS)/bin/pip install --quiet --constraint tools/lmms/constraints.txt --editable ".[openai,google]" \
		accelerate datasets evaluate transformers loguru pillow sacrebleu scikit-learn pytablewriter tenacity \
		python-dotenv PyYAML jinja2 nltk aiohttp
	touch $@

# The image-question track on its synthetic set, without keys: demo/vqa/logs/index.html.
demo-vqa: install
	$(BIN)/vmevalkit vqa-dataset --n 12 --seed 42 --out $(DEMO)/vqa/questions
	$(BIN)/vmevalkit vqa --model random --tasks mmsi,mmsi_visual_cot --dataset $(DEMO)/vqa/questions --output_path $(DEMO)/vqa/logs
	$(BIN)/vmevalkit vqa --model blind --model_args of=random --tasks mmsi --dataset $(DEMO)/vqa/questions \
		--output_path $(DEMO)/vqa/logs

# A smoke test with the lowest versions of the dependencies that pyproject.toml allows.
test-lowest:
	$(PYTHON) tools/lowest_versions.py

# Long simulations and campaigns.
nightly: install
	$(BIN)/pytest -q -n $(WORKERS) -m nightly --timeout 3600
	$(BIN)/vmevalkit audit --videos 2 --workers $(WORKERS)
	$(BIN)/vmevalkit audit --kinds all --videos 1 --workers $(WORKERS)
	FUZZ_EXAMPLES=250 $(BIN)/pytest -q --timeout 3600 -n $(WORKERS) tests/runs -k fuzzed --hypothesis-seed=$(FRESH)
	$(MAKE) mutants
	$(MAKE) attack
	$(BIN)/vmevalkit attack --search 3000 --task $(SEARCHED) --seed $(FRESH) --workers $(WORKERS) --finds data/attack/search
	$(BIN)/vmevalkit attack --search 300 --seed $(FRESH) --workers $(WORKERS) --finds data/attack/search

# Changes the verdict logic in one place at a time; at most a tenth of the changes may pass all its tests.
mutants: install
	$(BIN)/python tools/mutation_run.py

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: install
	$(BIN)/python -m benchmarks

# A quick audit of rule scorers: the tasks whose turn it is, by tricks and, fewer of them, by kinds of videos. A digest of the
# package's sources chooses others with every change. CI fails on more than about 1% of wrong passes or 3% of wrong fails.
# `make nightly` audits all tasks.
audit: install
	$(BIN)/vmevalkit audit --videos 1 --task $$($(BIN)/python tools/choose_tasks.py 12) --allow-passes 3 --allow-fails 9 \
		--workers $(WORKERS)
	$(BIN)/vmevalkit audit --kinds all --videos 1 --task $$($(BIN)/python tools/choose_tasks.py 3) --allow-passes 6 --allow-fails 24 \
		--workers $(WORKERS)

# Random programs of all tasks on a fresh seed, about ten minutes on two cores: both error rates by task and track.
# `make attack FRESH=7` repeats those of seed 7.
FRESH ?= $(shell date +%s)
PROGRAMS ?= 2000
SEARCHED ?= maze rotation rotation_puzzle chess raven sudoku object_subtraction sokoban n_queens mirrors
attack: install
	$(BIN)/vmevalkit attack --random $(PROGRAMS) --seed $(FRESH) --workers $(WORKERS) --finds data/attack/random \
		--out data/attack/random.md --json data/attack/random.json

# The full audit of some tasks, on a seed on which nothing was tuned: an hour of CPU time for each. It resumes.
# `make certificate TASKS="chess raven" SEED=31`
TASKS ?= maze rotation
SEED ?= 11
certificate: install
	for task in $(TASKS); do $(BIN)/vmevalkit audit --task $$task --videos 150 --own-videos 300 --seed $(SEED) \
		--workers $(WORKERS) --trial-cache data/audit/$$task.jsonl \
		--out docs/certificates/$$task.md --json docs/certificates/$$task.json || exit 1; done

# The gallery, the overview, the table of tasks and the pages of puzzles, after a puzzle was added or changed. Tasks that
# docs/tasks.json does not have yet are measured.
pages: install
	$(BIN)/vmevalkit gallery --out docs/GALLERY.md
	$(BIN)/vmevalkit gallery --overview docs/images/overview.png
	$(BIN)/python tools/task_pages.py --measure

# The videos of `vmevalkit selftest` and their scores; `make selftest-scores` after a change of the rules alone.
selftest-data: install
	$(BIN)/python tools/make_selftest.py

selftest-scores: install
	$(BIN)/python tools/make_selftest.py --scores-only

# The package as a wheel in dist/.
wheel: install
	$(BIN)/hatchling build -t wheel

# The documentation site in site/. Warnings are errors; nothing is fetched.
docs: install
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

clean:
	rm -rf $(DEMO) .pytest_cache .mypy_cache .ruff_cache .hypothesis
