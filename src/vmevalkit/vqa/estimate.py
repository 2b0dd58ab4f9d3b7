"""What a run would ask and cost, without asking anything."""

from __future__ import annotations

from collections.abc import Iterator

from vmevalkit.core.chat import ChatRequest
from vmevalkit.jobs.budget import choose_price
from vmevalkit.store import vqa_layout
from vmevalkit.vqa.models import VqaModel
from vmevalkit.vqa.run import VqaOptions, name_task, plan_samples
from vmevalkit.vqa.samples import SampleResult, read_samples
from vmevalkit.vqa.staged_caller import make_chat_request
from vmevalkit.vqa.task_file import VqaTask


def estimate_tasks(model: VqaModel, tasks: list[VqaTask], options: VqaOptions) -> Iterator[str]:
    """Yield a line for each task, and one for all: questions, what is kept, calls and their highest price."""
    usd: float | None = 0.0
    calls = 0
    for task in tasks:
        new = kept = 0
        task_usd: float | None = 0.0
        done: dict[str, SampleResult] = {}
        for sample in plan_samples(model, task, options):
            if new + kept == 0:
                rows = read_samples(options.output, model.label, name_task(task, options), sample.config)
                done = {row.question_id: row for row in rows if row.status != "failed"}
            if sample.question.id in done:
                kept += 1
                continue
            new += 1
            request = make_chat_request(sample.question.images, sample.prompt, sample.params)
            task_usd = _add(task_usd, _estimate_sample(model, request, task))
        if new + kept == 0:
            continue  # an optional type that the dataset does not have
        task_calls = new * (2 if task.is_two_stage else 1)
        stages = "two stages" if task.is_two_stage else "direct"
        name, price = name_task(task, options), _price(task_usd)
        yield f"{name} ({stages}): {new} of {new + kept} questions, {task_calls} calls {price}"
        usd, calls = _add(usd, task_usd), calls + task_calls
    limit = "" if options.calls.max_usd is None else f", ${options.calls.max_usd:.2f} allowed"
    place = vqa_layout.run_folder(options.output, model.label)
    yield f"total: {calls} calls {_price(usd)}{limit}; results in {place}; nothing was asked"


def _estimate_sample(model: VqaModel, request: ChatRequest, task: VqaTask) -> float | None:
    answer = choose_price(model.answerer.estimate_usd(request), model.answer_usd)
    if not task.is_two_stage:
        return answer
    is_free = model.editor is not None and model.editor.provider == "local"
    return _add(answer, choose_price(0.0 if is_free else None, model.image_usd))


def _add(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def _price(usd: float | None) -> str:
    return "at an unknown price" if usd is None else f"for at most ${usd:.2f}"
