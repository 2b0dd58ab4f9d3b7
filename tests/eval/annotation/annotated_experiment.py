"""A small experiment to annotate."""

from __future__ import annotations

from pathlib import Path

from vmevalkit.datasets.generate import generate
from vmevalkit.eval.annotation.plan import PlanOptions, open_plan
from vmevalkit.eval.annotation.service import AnnotationService, Joined, Screen
from vmevalkit.runs.run import run


def make_experiment(root: Path, models: tuple[str, ...] = ("oracle", "static"), questions: int = 3) -> None:
    generate(["maze"], questions, out=root / "questions")
    run(list(models), root / "questions", "first", root / "outputs", seconds=1.0)


def make_service(root: Path, options: PlanOptions | None = None, **kwargs: object) -> AnnotationService:
    plan, items = open_plan("first", root / "outputs", root / "evaluations", options or PlanOptions(gold_share=0.0))
    return AnnotationService("first", root / "evaluations", plan, items, **kwargs)  # type: ignore[arg-type]


def rate_all(service: AnnotationService, joined: Joined, value: int = 3) -> Screen:
    """Rate everything that the annotator gets."""
    screen = joined.screen
    while screen.item is not None:
        screen = service.rate(joined.session, screen.item.token, value, "because", is_legal=True)
    return screen
