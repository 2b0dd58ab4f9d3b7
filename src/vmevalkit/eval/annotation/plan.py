"""The plan of an annotation: which videos are rated. It is drawn once, written, and the same ever after."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from vmevalkit.core.errors import ConflictError, StoreError, UsageError
from vmevalkit.core.jsonable import from_json, to_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.eval.annotation.items import AnnotationItem, find_items
from vmevalkit.store import layout
from vmevalkit.store.atomic import lock, write_file
from vmevalkit.store.records import read_record, record_bytes

Queue = Literal["all", "sample", "disagreement"]
"""all: every video. sample: a random part of them. disagreement: the videos on which scorers differ most, whose labels
serve no estimate."""
QUEUES: tuple[Queue, ...] = ("all", "sample", "disagreement")


@dataclass(frozen=True, slots=True)
class AnnotationPlan:
    """Which videos are rated, and by how many people."""

    queue: Queue
    seed: int
    people: int
    """Number of people who rate each video."""
    gold_share: float
    """Gold items among the items of each annotator, as a share."""
    probability: float | None
    """Chance of each video to be in the plan; None where the videos were not drawn at random."""
    salt: str
    """Makes the tokens of the items unguessable."""
    tokens: tuple[str, ...]
    """The items of the plan."""


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What a user asks for."""

    queue: Queue = "all"
    share: float | None = None
    """Share of the videos, for the queue ``sample``."""
    seed: int = 1
    people: int = 1
    gold_share: float = 0.1
    most: int = 50
    """Videos of the queue ``disagreement``."""

    def __post_init__(self) -> None:
        if self.queue not in QUEUES:
            raise UsageError(f"there is no queue {self.queue!r}; use one of {', '.join(QUEUES)}")
        if self.queue == "sample" and (self.share is None or not 0 < self.share <= 1):
            raise UsageError(f"the share of a sample is {self.share}; give a number above 0, at most 1: --sample 0.2")
        if self.people < 1:
            raise UsageError(f"{self.people} people cannot rate a video; use 1 or more")
        if not 0 <= self.gold_share <= 0.5:
            raise UsageError(f"the share of gold items is {self.gold_share}; use a number from 0 to 0.5")
        if self.most < 1:
            raise UsageError(f"a queue of {self.most} videos is empty; use 1 or more")


def open_plan(
    experiment: str,
    outputs: Path,
    evaluations: Path,
    options: PlanOptions,
    disagreement: Mapping[tuple[str, str, str, int], float] | None = None,
) -> tuple[AnnotationPlan, list[AnnotationItem]]:
    """Return the plan of a queue and its items. The first call draws it; later calls find it.

    ``disagreement`` has, by model, domain, question and sample, how much scorers differ: it is needed for that queue.
    Raises ConflictError where the plan was drawn with other options."""
    path = layout.annotation_plan(evaluations, experiment, options.queue)
    with lock(path.parent, wait=True):
        plan = _load(path)
        if plan is None:
            salt = secrets.token_hex(16)
            items = find_items(experiment, outputs, salt)
            plan = _draw(options, salt, items, disagreement or {})
            write_file(path, record_bytes(to_json(plan)), durable=True)
        else:
            _require_same(plan, options, path)
            items = find_items(experiment, outputs, plan.salt)
    chosen = set(plan.tokens)
    return plan, [item for item in items if item.token in chosen]


def _draw(
    options: PlanOptions,
    salt: str,
    items: Sequence[AnnotationItem],
    disagreement: Mapping[tuple[str, str, str, int], float],
) -> AnnotationPlan:
    plan = AnnotationPlan(options.queue, options.seed, options.people, options.gold_share, 1.0, salt, ())
    if options.queue == "all":
        return replace(plan, tokens=tuple(item.token for item in items))
    if options.queue == "sample":
        assert options.share is not None
        number = max(1, round(options.share * len(items)))
        # The order of the runs does not depend on the salt, so that a seed draws the same videos everywhere.
        drawn = rng_for("annotation", options.seed).sample(list(items), number)
        return replace(plan, probability=number / len(items), tokens=tuple(item.token for item in drawn))
    differing = [(disagreement.get(_job(item), 0.0), item) for item in items]
    worst = sorted((pair for pair in differing if pair[0] > 0), key=lambda pair: -pair[0])[: options.most]
    if not worst:
        raise UsageError(
            "no two scorers differ on a video of this experiment; score it with a second scorer first, such as "
            "vmevalkit score --with gpt-4o, or open another queue: --queue all"
        )
    return replace(plan, probability=None, tokens=tuple(item.token for _, item in worst))


def _job(item: AnnotationItem) -> tuple[str, str, str, int]:
    return item.model, item.question.domain, item.question.id, item.sample


def _load(path: Path) -> AnnotationPlan | None:
    record = read_record(path)
    if record is None:
        return None
    try:
        return from_json(AnnotationPlan, record)
    except (TypeError, ValueError, KeyError) as error:
        raise StoreError(f"{path} is not the plan of an annotation ({error!r}); remove it to draw another") from error


def _require_same(plan: AnnotationPlan, options: PlanOptions, path: Path) -> None:
    given = {"people": options.people, "gold share": options.gold_share, "seed": options.seed}
    drawn = {"people": plan.people, "gold share": plan.gold_share, "seed": plan.seed}
    for name, value in given.items():
        if value != drawn[name]:
            raise ConflictError(
                f"{path} was drawn with {name} {drawn[name]}, and not {value}; use the same options, or remove the "
                "file to draw another plan"
            )
