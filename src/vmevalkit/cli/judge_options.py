"""Options of commands that ask judges: which judge, what it may cost, and how fast it is asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.command import inform
from vmevalkit.core.errors import UsageError

if TYPE_CHECKING:
    from vmevalkit.core.async_scorer import AnyScorer, CallOptions

_JUDGE, _MONEY = "Judges", "Judges: money and rates"

JudgeModel = Annotated[
    str | None,
    typer.Option(
        help="Chat model of the judge, as its server names it; A,B is a panel, azure/DEPLOYMENT is at Azure.",
        show_default="gpt-4o",
        rich_help_panel=_JUDGE,
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        help="Address of a server with OpenAI's API (vLLM, LMDeploy, Ollama): http://localhost:8000/v1.",
        show_default="OPENAI_BASE_URL, or OpenAI",
        rich_help_panel=_JUDGE,
    ),
]
Variant = Annotated[
    str | None,
    typer.Option(
        help="What the judge sees: final_frame, uniform_frames, change_frames, reason_first, joined by +; or "
        "specification: the published prompt.",
        show_default="final_frame; of gpt-4o alone, specification",
        rich_help_panel=_JUDGE,
    ),
]
Votes = Annotated[
    int | None,
    typer.Option(help="How often each model is asked about a video.", show_default="1", rich_help_panel=_JUDGE),
]
MaxUsd = Annotated[
    float | None,
    typer.Option(help="Budget in dollars, earlier calls included.", show_default="no limit", rich_help_panel=_MONEY),
]
AssumeUsd = Annotated[
    float | None,
    typer.Option(
        help="Price of an answer where none is known, as on a server of one's own.",
        show_default=False,
        rich_help_panel=_MONEY,
    ),
]
InFlight = Annotated[int | None, typer.Option(help="Most calls at once.", show_default="8", rich_help_panel=_MONEY)]
PerMinute = Annotated[
    float | None,
    typer.Option(
        help="Most calls per minute.", show_default="60; no limit for a server of one's own", rich_help_panel=_MONEY
    ),
]
RetryRefused = Annotated[
    bool, typer.Option("--retry-refused", help="Ask again what the judge refused.", rich_help_panel=_MONEY)
]
Answers = Annotated[
    Path | None,
    typer.Option(help="Folder of the answers that were paid for.", show_default="data/answers", rich_help_panel=_MONEY),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print what the judge would cost; ask nothing.", rich_help_panel=_MONEY)
]


def select_scorer(
    name: str, judge_model: str | None, base_url: str | None, variant: str | None, votes: int | None
) -> AnyScorer:
    """Return the scorer of a name; the options of judges replace those of the name."""
    from vmevalkit.eval.judge_config import make_config
    from vmevalkit.eval.scorers import find_scorer

    options = (judge_model, base_url, variant, votes)
    scorer = find_scorer(name, None if options == (None,) * 4 else make_config(judge_model, variant, votes, base_url))
    _warn_of_retirement(scorer)
    return scorer


def make_call_options(
    max_usd: float | None,
    assume_usd: float | None,
    in_flight: int | None,
    per_minute: float | None,
    retry_refused: bool,
    answers: Path | None,
) -> CallOptions:
    """Return how the scorer may call. Raises UsageError where a number is impossible."""
    from vmevalkit.core.async_scorer import CallOptions

    for option, value, least in (
        ("--max-usd", max_usd, 0.0), ("--assume-usd", assume_usd, 0.0), ("--in-flight", in_flight, 1.0),
    ):  # fmt: skip
        if value is not None and not least <= value < float("inf"):
            raise UsageError(f"{option} is {value:g}; it must be a number, {least:g} or more")
    if per_minute is not None and not 0 < per_minute < float("inf"):
        raise UsageError(f"--per-minute is {per_minute:g}; it must be more than 0")
    return CallOptions(
        max_usd=max_usd, assumed_usd=assume_usd, in_flight=in_flight, per_minute=per_minute,
        retry_refused=retry_refused, answers=answers,
    )  # fmt: skip


def format_estimate(calls: int, usd: float | None) -> str:
    """Return the cost of calls in words."""
    price = "at an unknown price" if usd is None else f"for at most ${usd:.2f}"
    return f"{calls} {'call' if calls == 1 else 'calls'} {price}"


def _warn_of_retirement(scorer: AnyScorer) -> None:
    from vmevalkit.eval.judge import JudgeScorer
    from vmevalkit.models.chat import find_chat_spec

    if not isinstance(scorer, JudgeScorer):
        return
    for name in scorer.config.models:
        spec = find_chat_spec(name, scorer.config.base_url)
        if spec.retired_on is not None:
            inform(f"{name} ends on {spec.retired_on}; --judge-model names another judge")
