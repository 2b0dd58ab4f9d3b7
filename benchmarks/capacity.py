"""The capacity page: time and cost of a million questions and a million scores, computed from measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.cluster import Figures

MILLION = 1_000_000
USD_PER_CORE_HOUR = 0.05
"""An assumption: about what providers ask for a virtual core on demand. Other prices scale the costs."""
CORES = (2, 64)


def make_page(figures: Figures) -> str:
    """Return the page as Markdown."""
    questions, scores = figures.core_question, figures.core_score
    rows = "\n".join(_task_row(task, questions[task], scores[task]) for task in questions)
    question, score = _mean(questions), _mean(scores)
    plan = "\n".join(f"| {cores} | {_hours_on(question, cores)} | {_hours_on(score, cores)} |" for cores in CORES)
    local_question, ray_question = figures.local_question * 1000, figures.ray_question * 1000
    return f"""# Capacity: a million questions, a million scored videos

`python -m benchmarks.cluster --capacity` wrote this page from what it measured, on a machine with two
cores. One that is busy with other things is slower. Videos are those of the oracle at each task's own size and
length. Scoring includes decoding, the trace and the evidence strip.

| task | CPU ms a question | core hours a million | CPU s a score | core hours a million |
|---|---|---|---|---|
{rows}

Over all tasks a million questions take {_hours(question)} core hours, ${_usd(question)} at an assumed
${USD_PER_CORE_HOUR:.2f} for a core hour. A million scores take {_hours(score)} core hours, ${_usd(score)}. What a
model costs comes on top: `vmevalkit run --dry-run` prints it.

| cores | hours, a million questions | hours, a million scores |
|---|---|---|
{plan}

These are core hours divided by cores, as if the driver did nothing. What was measured with the driver, while other
work had several times the two cores' capacity (compare the columns, not the times with those above):

| with two processes | this machine's processes | Ray |
|---|---|---|
| wall ms a question | {local_question:.2f} | {ray_question:.2f} |
| wall ms a score | {figures.local_score * 1000:.0f} | {figures.ray_score * 1000:.0f} |

One empty job by Ray takes {figures.many_jobs * 1000:.3f} ms in a call with 100,000 jobs and
{figures.few_jobs * 1000:.3f} ms in a call with 1,000; the driver's memory grew by {figures.grown_mb:.0f} MB in
between. Questions are planned by the driver alone, and unless `--shared` is set it writes them too, so more machines
help `generate` little beyond a few cores. A million videos of 2 MB are 2 TB: with `--shared` they do not pass
through one machine.
"""


def _task_row(task: str, question: float, score: float) -> str:
    return f"| {task} | {question * 1000:.2f} | {_hours(question)} | {score:.2f} | {_hours(score)} |"


def _hours_on(seconds: float, cores: int) -> str:
    return _hours(seconds / cores)


def _mean(values: dict[str, float]) -> float:
    return sum(values.values()) / len(values)


def _hours(seconds: float) -> str:
    hours = seconds * MILLION / 3600
    return f"{hours:.2f}" if hours < 10 else f"{hours:,.0f}"


def _usd(seconds: float) -> str:
    return f"{seconds * MILLION / 3600 * USD_PER_CORE_HOUR:,.2f}"
