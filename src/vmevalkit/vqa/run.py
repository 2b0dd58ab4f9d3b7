"""Running tasks: every question is asked once, and its result is on the disk before the next one counts as done."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from vmevalkit.core.chat import CUT_OFF, ChatModel, ChatParams
from vmevalkit.core.errors import ConflictError, StoreError, UsageError
from vmevalkit.core.jsonable import digest, dumps, to_json
from vmevalkit.jobs.chat_calls import run_chat_items
from vmevalkit.jobs.interrupts import run_coroutine
from vmevalkit.store import vqa_layout
from vmevalkit.store.answer_log import AnswerLog, LoggedAnswer
from vmevalkit.store.atomic import lock, write_file
from vmevalkit.vqa.dataset import ImageQuestion, load_questions
from vmevalkit.vqa.extractor import Extractor
from vmevalkit.vqa.generation import GenerationOptions
from vmevalkit.vqa.intermediate import write_intermediate
from vmevalkit.vqa.models import VqaModel, hide_addresses
from vmevalkit.vqa.options import arrange_options
from vmevalkit.vqa.samples import RunRecord, SampleResult, SampleStatus, TaskRecord, read_run
from vmevalkit.vqa.staged_caller import CallOptions, StagedAnswer, StagedCaller, make_chat_request
from vmevalkit.vqa.task_file import DEFAULT_WORDING, VqaTask, name_category


@dataclass(frozen=True, slots=True)
class VqaOptions:
    """What to ask, and within which limits."""

    output: Path
    dataset: str | None = None
    """A path or a name; None means the dataset of the task files."""
    question_type: str | None = None
    """Replaces the question type of the task files."""
    wording: str = DEFAULT_WORDING
    limit: int | None = None
    """Most questions of a task."""
    calls: CallOptions = field(default_factory=CallOptions)
    generation: GenerationOptions = field(default_factory=GenerationOptions)
    """Parameters in place of those of the task files."""
    arrangement: str = "original"
    """Order of the options: see ``options``."""
    extractor: ChatModel | None = None
    """Reads answers that the rules cannot read."""
    model_name: str = ""
    model_args: str = ""


@dataclass(frozen=True, slots=True)
class PlannedSample:
    """One question of a task as it will be asked."""

    task: VqaTask
    question: ImageQuestion
    generation_prompt: str | None
    """What stage 1 is asked; None for a direct task. It contains nothing of the question."""
    prompt: str
    config: str
    """Digest of everything but the question that the result depends on."""
    params: ChatParams
    rotation: int = 0
    """Number of the rotation of the options, in circular evaluation."""

    @property
    def key(self) -> str:
        """Digest of everything that the result depends on."""
        pixels = [image.pixel_digest for image in self.question.images]
        content = [self.config, self.question.id, self.generation_prompt, self.prompt, pixels, self.question.answer]
        return sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


@dataclass(slots=True)
class RunSummary:
    """What a run did."""

    label: str
    asked: int = 0
    """Questions that got a result now."""
    kept: int = 0
    """Questions that had a result already."""
    failed: list[str] = field(default_factory=list)
    """One line for each question without a result."""
    unaffordable: int = 0
    """Questions that the budget did not allow."""
    spent_usd: float = 0.0

    @property
    def total(self) -> int:
        return self.asked + self.kept + len(self.failed) + self.unaffordable


def plan_samples(model: VqaModel, task: VqaTask, options: VqaOptions) -> Iterator[PlannedSample]:
    """Yield the questions of a task as they will be asked. They are read one at a time."""
    if task.is_two_stage and model.editor is None:
        direct = task.name.removesuffix("_visual_cot")
        raise UsageError(
            f"{model.label} answers directly and draws no visualization; ask it {direct}, or use a two-stage model "
            "such as azure_trapi_visual_cot"
        )
    prompts = task.choose_prompts(options.wording, options.model_name)
    params = options.generation.apply(ChatParams(temperature=task.temperature, max_tokens=task.max_tokens))
    config = compute_config(model, task, prompts, params, options)
    source, question_type = options.dataset or task.dataset, options.question_type or task.question_type
    may_be_absent = task.is_optional and options.question_type is None
    for found in load_questions(source, question_type, task.split, options.limit, may_be_absent=may_be_absent):
        for rotation, question in _arrange(found, options.arrangement):
            generation_prompt, prompt = task.write_prompt(question.doc, prompts)
            task.read_response(question.doc, "")  # a function that fails does so before anything is paid
            yield PlannedSample(task, question, generation_prompt, prompt, config, params, rotation)


def _arrange(question: ImageQuestion, arrangement: str) -> list[tuple[int, ImageQuestion]]:
    """Return the forms in which a question is asked. One that cannot be rearranged is a problem of that question."""
    try:
        return list(arrange_options(question, arrangement))
    except StoreError as error:
        return [(0, replace(question, problem=str(error)))]


def compute_config(
    model: VqaModel, task: VqaTask, prompts: dict[str, str], params: ChatParams, options: VqaOptions
) -> str:
    """Return the digest of everything but the question that a result depends on."""
    drawer = model.drawer_identity if task.is_two_stage else None
    extractor = None if options.extractor is None else options.extractor.identity
    return digest([model.answerer.identity, drawer, prompts, params, options.arrangement, extractor])


def name_task(task: VqaTask, options: VqaOptions) -> str:
    """Return the name of a task in results: with the question type, where that is not its own."""
    kind = options.question_type
    return task.name if kind is None or kind == task.question_type else f"{task.name}-{name_category(kind)}"


def run_tasks(
    model: VqaModel,
    tasks: list[VqaTask],
    options: VqaOptions,
    on_done: Callable[[int, int], None] | None = None,
) -> RunSummary:
    """Ask all questions that have no result yet. Returns what was done; results are in the output folder.

    ``on_done`` gets the numbers of finished and of all questions so far."""
    if options.calls.max_usd is not None:
        _require_prices(model, tasks)
    with lock(vqa_layout.run_folder(options.output, model.label)):
        _refuse_other_run(model, options, tasks)
        return run_coroutine(_run(model, tasks, options, on_done))


async def _run(
    model: VqaModel, tasks: list[VqaTask], options: VqaOptions, on_done: Callable[[int, int], None] | None
) -> RunSummary:
    caller = StagedCaller(model, options.output, options.calls, has_stage1=any(task.is_two_stage for task in tasks))
    logs = {
        task.name: AnswerLog(vqa_layout.sample_log(options.output, model.label, name_task(task, options)))
        for task in tasks
    }
    extractor = None
    if options.extractor is not None:
        answers = vqa_layout.answers_folder(options.output)
        extractor = Extractor(options.extractor, answers, caller.budget, model.label)
    runner = _TaskRunner(model, options, caller, extractor, logs, on_done)
    callers = [*caller.callers, *([] if extractor is None else [extractor.caller])]
    try:
        at_once = options.calls.choose_at_once(model)
        await run_chat_items(callers, runner.pick_samples(tasks), runner.run_sample, at_once)
    finally:
        for log in logs.values():
            await log.close()
        runner.write_run_record(tasks)
    if not runner.summary.total:
        source = options.dataset or tasks[0].dataset
        raise StoreError(f"{source} has no question of the types of {', '.join(task.name for task in tasks)}")
    runner.summary.spent_usd = caller.budget.spent_usd
    return runner.summary


class _TaskRunner:
    """Asks questions and writes their results."""

    def __init__(
        self, model: VqaModel, options: VqaOptions, caller: StagedCaller, extractor: Extractor | None,
        logs: dict[str, AnswerLog], on_done: Callable[[int, int], None] | None,
    ) -> None:  # fmt: skip
        self._model, self._options, self._caller, self._logs, self._on_done = model, options, caller, logs, on_done
        self._extractor = extractor
        self._counts: dict[str, int] = {}
        self._questions: dict[str, dict[str, str]] = {}
        """By task: the digest of each question."""
        self._configs: dict[str, str] = {}
        self.summary = RunSummary(model.label)

    def pick_samples(self, tasks: list[VqaTask]) -> Iterator[PlannedSample]:
        """Yield the samples without a result, and count the others."""
        for task in tasks:
            self._counts[task.name] = 0
            for sample in plan_samples(self._model, task, self._options):
                self._counts[task.name] += 1
                if sample.rotation == 0:
                    self._questions.setdefault(task.name, {})[sample.question.id] = digest(sample.question.doc)
                self._configs[task.name] = sample.config
                if self._logs[task.name].find(sample.key) is not None:
                    self.summary.kept += 1
                    self._report()
                    continue
                yield sample

    async def run_sample(self, sample: PlannedSample) -> None:
        question = sample.question
        if question.problem is not None:
            answer = StagedAnswer("failed", error=question.problem, is_final=False)
        else:
            answer = await self._caller.ask(question.images, sample.generation_prompt, sample.prompt, sample.params)
        if answer.status == "unaffordable":
            self.summary.unaffordable += 1
            return
        result = score_answer(sample, answer)
        if result.status == "unparsed" and self._extractor is not None:
            result = _use_letter(result, await self._extractor.read(question.question, result.response))
        fault = None if answer.is_final else answer.error
        record = LoggedAnswer(sample.key, sample.task.name, to_json(result), result.usd, fault)
        await self._logs[sample.task.name].add(record)
        if fault is None:
            self.summary.asked += 1
        else:
            self.summary.failed.append(f"{sample.task.name} {question.id}: {fault}")
        if self._model.save_intermediate and sample.generation_prompt is not None:
            write_intermediate(self._options.output, self._model.label, sample.task.name, sample.prompt, result)
        self._report()

    def write_run_record(self, tasks: list[VqaTask]) -> None:
        """Write what was asked for, with the tasks of earlier calls."""
        options, label = self._options, self._model.label
        before = read_run(options.output, label)
        records = dict(before.tasks) if before else {}
        for task in tasks:
            if task.name in self._configs:
                name, kind = name_task(task, options), options.question_type or task.question_type
                asked = self._questions.get(task.name, {})
                record = TaskRecord(
                    self._configs[task.name], kind, task.is_two_stage, len(asked), digest(sorted(asked.values()))
                )
                if name in records and records[name].config == record.config:
                    record = max(record, records[name], key=lambda r: r.questions)  # an interrupted call counts not all
                records[name] = record
        write_file(
            vqa_layout.run_record(options.output, label),
            dumps(replace(describe_run(self._model, tasks, options), tasks=records)), durable=True,
        )  # fmt: skip

    def _report(self) -> None:
        if self._on_done is not None:
            finished = self.summary.total
            self._on_done(finished, max(finished, sum(self._counts.values())))


def score_answer(sample: PlannedSample, answer: StagedAnswer) -> SampleResult:
    """Return the result of a question from what the model answered."""
    row = sample.task.read_response(sample.question.doc, answer.text)
    result = make_result(row, answer, sample.generation_prompt)
    return replace(result, config=sample.config, rotation=sample.rotation)


def make_result(row: Mapping[str, Any], answer: StagedAnswer, generation_prompt: str | None) -> SampleResult:
    """Return a result from an answer and the row that the task's ``process_results`` made of it."""
    is_answered = answer.status == "answered"
    status = row["status"] if is_answered else answer.status
    if status == "unparsed" and answer.finish_reason in CUT_OFF:
        status = "cut_off"
    return SampleResult(
        question_id=row["question_id"],
        category=row["category"],
        status=cast(SampleStatus, status),
        expected=row["expected"],
        predicted=row["predicted"] if is_answered else None,
        response=answer.text,
        error=answer.error,
        generation_prompt=generation_prompt,
        visualization=answer.visualization,
        visualization_text=answer.visualization_text,
        model=answer.model,
        answered_at=answer.answered_at,
        usd=answer.usd,
        finish_reason=answer.finish_reason,
    )


def _use_letter(result: SampleResult, letter: str | None) -> SampleResult:
    """Return an unparsed result with the letter that the extractor read."""
    if letter is None:
        return result
    status: SampleStatus = "correct" if letter == result.expected else "wrong"
    return replace(result, status=status, predicted=letter, is_extracted=True)


def _require_prices(model: VqaModel, tasks: list[VqaTask]) -> None:
    """Raise UsageError where a budget is set and a price is unknown: the budget could not be kept."""
    probe = make_chat_request((), "?", ChatParams(max_tokens=1))
    if model.answerer.estimate_usd(probe) is None and model.answer_usd is None:
        raise UsageError(
            f"the price of an answer of {model.answerer.name} is unknown, so --max-usd cannot be kept; add "
            "--model_args answer_usd=0.01 with your estimate"
        )
    is_drawn = any(task.is_two_stage for task in tasks)
    if is_drawn and model.editor is not None and model.editor.provider != "local" and model.image_usd is None:
        raise UsageError(
            f"the price of an image of {model.editor.name} is unknown, so --max-usd cannot be kept; add "
            "--model_args image_usd=0.05 with your estimate"
        )


def describe_run(model: VqaModel, tasks: list[VqaTask], options: VqaOptions) -> RunRecord:
    """Return the record of a run, without its tasks. Addresses of servers are digests in it."""
    return RunRecord(
        label=model.label,
        model=options.model_name,
        model_args=hide_addresses(options.model_args),
        dataset=options.dataset or tasks[0].dataset,
        wording=options.wording,
        answerer=model.answerer.identity,
        drawer=model.drawer_identity,
        generation=options.generation.text,
        arrangement=options.arrangement,
        extractor="" if options.extractor is None else options.extractor.identity,
    )


def _refuse_other_run(model: VqaModel, options: VqaOptions, tasks: list[VqaTask]) -> None:
    """Raise ConflictError where the label's folder has results of another model, dataset or way of asking."""
    before, now = read_run(options.output, model.label), describe_run(model, tasks, options)
    if before is None or before.identity == now.identity or (not before.answerer and not before.tasks):
        return
    names = ("model", "dataset", "wording", "answerer", "drawer", "generation", "arrangement", "extractor")
    others = [
        f"{name} {old!r} instead of {new!r}"
        for name, old, new in zip(names, before.identity, now.identity, strict=True)
        if old != new
    ]
    raise ConflictError(
        f"{vqa_layout.run_folder(options.output, model.label)} has results with another {'; '.join(others)}. A label "
        "names one model, asked in one way: give this run another --label or --output_path"
    )
