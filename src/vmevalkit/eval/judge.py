"""The VLM judge: one or several chat models rate a video from 1 to 5, once or several times.

A verdict needs every vote. A vote that is missing, unreadable or out of range leaves the video unscored, with the
reason, and is asked for again next time; it never counts as 0.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median_low
from typing import Any

from vmevalkit.core.async_scorer import CallOptions, Judgement
from vmevalkit.core.chat import ChatAnswer, ChatModel, ChatRequest
from vmevalkit.core.errors import MediaError, UsageError
from vmevalkit.core.records import SUCCESS, Finding, Question, Score
from vmevalkit.eval.criteria import cap_value, find_hint
from vmevalkit.eval.judge_config import SPECIFICATION, TIMEOUT_S, JudgeConfig
from vmevalkit.eval.judge_requests import EXPLANATION, SCORE, asks_process, make_request
from vmevalkit.eval.PROMPTS import PROCESS
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.calls import CallResult
from vmevalkit.jobs.chat_calls import ChatCaller
from vmevalkit.jobs.limits import CHAT_LIMITS, choose_chat_limits
from vmevalkit.models.chat import find_chat_spec, is_same_vendor, load_chat_spec
from vmevalkit.store import layout

SAME_VENDOR = "judge_of_same_vendor"
"""Finding: the judge and the model come from one vendor."""
_QUOTED = 80
"""Characters of an unreadable answer that a reason quotes."""


@dataclass(frozen=True, slots=True)
class Vote:
    """One answer of one chat model."""

    model: str
    """The name that was asked for."""
    result: CallResult[ChatAnswer]

    @property
    def value(self) -> int | None:
        answer = self.result.answer
        return None if answer is None or self.result.status != "answered" else read_value(answer)

    @property
    def is_legal(self) -> bool | None:
        """Whether every move is legal and shown; None where the judge does not say."""
        answer = self.result.answer
        said = (answer.parsed or {}).get(PROCESS) if answer is not None else None
        return said if isinstance(said, bool) else None

    @property
    def problem(self) -> str | None:
        """Why there is no value; None where there is one."""
        answer = self.result.answer
        if answer is not None and answer.refusal is not None:
            return f"the judge refused: {answer.refusal}"
        return self.result.error


class JudgeScorer:
    """A judge as a scorer: ``score_experiment`` opens a session and asks about many videos at once."""

    def __init__(self, config: JudgeConfig | None = None) -> None:
        self.config = config or JudgeConfig()
        self.evaluator = self.config.evaluator

    @property
    def final_state_only(self) -> bool:
        return not self.config.sees_process

    def check_setup(self) -> None:
        """Raise SetupError where a package or a key is missing, before videos are paid for."""
        for name in self.config.models:
            load_chat_spec(find_chat_spec(name, self.config.base_url))

    def version(self, question: Question) -> str:
        hint = "" if SPECIFICATION in self.config.variant else find_hint(question.domain)
        return self.config.compute_version(f"{question.domain}_task", hint)

    def open_session(self, options: CallOptions) -> JudgeSession:
        """Return a session. It must be opened in a running event loop, and raises SetupError where a key is missing."""
        return JudgeSession(self, options)


class JudgeSession:
    """The calls of one judge: limits, budget and log of answers are shared by all videos."""

    def __init__(self, judge: JudgeScorer, options: CallOptions) -> None:
        self._judge, self._config = judge, judge.config
        limits = replace(CHAT_LIMITS, **options.limits)
        limits = replace(limits, in_flight=options.in_flight or limits.in_flight)
        self.at_once = 2 * limits.in_flight
        """Videos that are worked on at the same time: one is read while the answer on another arrives."""
        self.budget = Budget(options.max_usd)
        self._specs = [find_chat_spec(name, self._config.base_url) for name in self._config.models]
        timeout_s = min(TIMEOUT_S, limits.call_limit_s)
        self.callers = [
            ChatCaller(
                load_chat_spec(spec, timeout_s=timeout_s, needs_key=not options.is_estimate),
                find_fault=find_fault, budget=self.budget,
                limits=choose_chat_limits(limits, is_own=not spec.charged, per_minute=options.per_minute),
                answers=layout.ANSWERS if options.answers is None else options.answers, progress=options.progress,
                purpose=options.purpose, retry_refused=options.retry_refused, assumed_usd=options.assumed_usd,
            )
            for spec in self._specs
        ]  # fmt: skip
        if options.max_usd is not None and options.assumed_usd is None:
            for caller in self.callers:
                _require_price(caller.model)

    @property
    def spent_usd(self) -> float:
        return self.budget.spent_usd

    def stop(self) -> None:
        for caller in self.callers:
            caller.stop()

    async def close(self) -> None:
        await asyncio.gather(*(caller.close() for caller in self.callers))

    async def score(self, question: Question, video: Path, model_name: str | None = None) -> Judgement:
        """Return the verdict on a video. ``model_name`` is only compared with the judge's vendor: the judge never sees
        it."""
        version = self._judge.version(question)
        try:
            request = await asyncio.to_thread(make_request, self._config, question, video)
        except (MediaError, UsageError) as error:
            return Judgement(Score.unscored(self._judge.evaluator, version, str(error)))
        votes = await self._collect_votes(request)
        vendors = [spec.vendor for spec in self._specs if model_name and is_same_vendor(spec.vendor, model_name)]
        score = combine_votes(self._judge, version, votes, vendors, asks_process(self._config, question.domain))
        return Judgement(score, make_details(self._config, votes, vendors))

    async def estimate_usd(self, question: Question, video: Path) -> tuple[int, float | None]:
        """Return how many requests about a video are not answered yet, and the most that they cost (None: unknown)."""
        try:
            request = await asyncio.to_thread(make_request, self._config, question, video)
        except (MediaError, UsageError):
            return 0, 0.0
        count, usd = 0, 0.0
        for caller in self.callers:
            open_votes = sum(not caller.is_known(replace(request, vote=vote)) for vote in range(self._config.votes))
            price = caller.estimate_usd(request)
            if open_votes and price is None:
                return count + open_votes, None
            count, usd = count + open_votes, usd + open_votes * (price or 0.0)
        return count, usd

    async def _collect_votes(self, request: ChatRequest) -> list[Vote]:
        asked = [(caller, vote) for caller in self.callers for vote in range(self._config.votes)]
        tasks = [asyncio.create_task(caller.ask(replace(request, vote=vote))) for caller, vote in asked]
        try:
            results = await asyncio.gather(*tasks)
        finally:
            await asyncio.gather(*tasks, return_exceptions=True)  # a vote that was sent is kept, though another failed
        return [Vote(caller.model.name, result) for (caller, _), result in zip(asked, results, strict=True)]


def _require_price(model: ChatModel) -> None:
    if model.estimate_usd(ChatRequest(())) is None:
        raise UsageError(
            f"the price of {model.name} is unknown, so --max-usd cannot be enforced; "
            "give the price of an answer with --assume-usd"
        )


def read_value(answer: ChatAnswer) -> int | None:
    """Return the score of an answer; None where it has none from 1 to 5. The texts "4" and "4.0" are 4."""
    value = (answer.parsed or {}).get(SCORE)
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value not in (1, 2, 3, 4, 5):
        return None
    return int(value)


def find_fault(answer: ChatAnswer) -> str | None:
    """Return why an answer is not a verdict; None where it is one."""
    if answer.parsed is None:
        quoted = " ".join(answer.text.split())[:_QUOTED]
        cut = "; it was cut off at the token limit" if answer.finish_reason == "length" else ""
        return f"the answer contains no JSON object: {quoted!r}{cut}" if quoted else "the answer is empty"
    if SCORE not in answer.parsed:
        return f"the answer has no {SCORE}: {sorted(answer.parsed)}"
    if read_value(answer) is None:
        return f"{SCORE} is {answer.parsed[SCORE]!r}, not a whole number from 1 to 5"
    return None


def combine_votes(
    judge: JudgeScorer, version: str, votes: Sequence[Vote], same_vendors: Sequence[str], asks: bool = False
) -> Score:
    """Return the verdict: the median of the votes of each model, then of the models; of two middle ones the lower.

    Where the judge was asked about the moves as well (``asks``), they are legal if most votes say so."""
    problems = [vote for vote in votes if vote.value is None]
    if problems:
        counted = f" ({len(votes) - len(problems)} of {len(votes)} votes are there)" if len(votes) > 1 else ""
        return Score.unscored(judge.evaluator, version, f"{problems[0].problem}{counted}")
    if asks and any(vote.is_legal is None for vote in votes):
        return Score.unscored(judge.evaluator, version, f"the answer does not say {PROCESS}")
    is_legal = 2 * sum(vote.is_legal is True for vote in votes) > len(votes) if asks else None
    by_model: dict[str, list[int]] = {}
    for vote in votes:
        by_model.setdefault(vote.model, []).append(vote.value or 0)
    value = median_low([median_low(values) for values in by_model.values()])
    answers = [vote.result.answer for vote in votes if vote.result.answer is not None]
    values = [each for values in by_model.values() for each in values]
    is_success = value >= SUCCESS
    findings = tuple(
        Finding(SAME_VENDOR, False, f"the judge and the model are both of {vendor}") for vendor in same_vendors
    )
    nearest = next(vote for vote in votes if vote.value == value)
    return Score(
        scorer=judge.evaluator,
        version=version,
        value=cap_value(value, is_legal),
        solved=is_success,
        passed=None if judge.final_state_only else is_success and is_legal is not False,
        process=None if is_legal is None else float(is_legal),
        findings=findings,
        metrics={
            "votes": float(len(values)),
            "votes_lowest": float(min(values)),
            "votes_highest": float(max(values)),
            "input_tokens": float(sum(answer.input_tokens or 0 for answer in answers)),
            "output_tokens": float(sum(answer.output_tokens or 0 for answer in answers)),
        },
        explanation=_read_explanation(nearest.result.answer),
    )


def _read_explanation(answer: ChatAnswer | None) -> str:
    text = (answer.parsed or {}).get(EXPLANATION) if answer is not None else None
    return text if isinstance(text, str) else ""


def make_details(config: JudgeConfig, votes: Sequence[Vote], same_vendors: Sequence[str]) -> dict[str, Any]:
    """Return the record of a judgement: who was asked, what each answered, when, and at what price."""
    answers = [vote.result.answer for vote in votes if vote.result.answer is not None]
    prices = [answer.usd for answer in answers]
    return {
        "models": list(config.models),
        "variant": config.variant_name,
        "temperature": config.temperature,
        "max_tokens": config.max_tokens,
        "usd": None if None in prices else round(sum(price or 0.0 for price in prices), 6),
        "is_same_vendor": bool(same_vendors),
        "votes": [_make_vote_record(vote) for vote in votes],
    }


def _make_vote_record(vote: Vote) -> dict[str, Any]:
    answer = vote.result.answer
    record: dict[str, Any] = {"model": vote.model, "value": vote.value}
    if vote.value is None:
        record["reason"] = vote.problem
    if answer is not None:
        record |= {
            "server_model": answer.model,
            "answered_at": answer.answered_at,
            "input_tokens": answer.input_tokens,
            "output_tokens": answer.output_tokens,
            "finish_reason": answer.finish_reason,
            "explanation": _read_explanation(answer),
            "refusal": answer.refusal,
            "is_structured": answer.sent.get("structured"),
        }
    return record
