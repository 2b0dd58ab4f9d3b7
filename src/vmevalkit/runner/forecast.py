"""What a call of ``run`` would do: jobs, money and time. Nothing is written, and nobody is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from vmevalkit.core.records import Run
from vmevalkit.models.model import ModelSpec
from vmevalkit.runner.errands import Again, Errand, Shard, limited, runs_there
from vmevalkit.runner.plan import Money, Pace, Plan, make_plan
from vmevalkit.runner.remote import entries_of, steps_of
from vmevalkit.runner.wishes import Wishes
from vmevalkit.store import layout
from vmevalkit.store.runs import Job


@dataclass(frozen=True, slots=True)
class Prospect:
    """Of one model."""

    model: str
    jobs: int
    keep: int
    """Finished, or failed, and not done again."""
    poll: int
    """Ordered in an earlier call: asked for, not paid again."""
    reconcile: int
    """Perhaps ordered: looked up in the provider's list."""
    begin: int
    """Begun by this call."""
    usd_each: float | None
    """None where nobody knows."""
    minutes: float | None
    """None where nothing is known; otherwise at least this long."""
    lacking: tuple[str, ...] = ()
    """What must be installed or set first."""
    unmet: tuple[str, ...] = ()
    """What cannot be had of this model."""

    @property
    def usd(self) -> float | None:
        return None if self.usd_each is None else self.usd_each * self.begin


@dataclass(frozen=True, slots=True)
class Forecast:
    """Of all models of a call."""

    prospects: tuple[Prospect, ...]
    spent_usd: float
    """By the experiment so far."""
    most_usd: float | None

    @property
    def usd(self) -> float:
        """As far as prices are known."""
        return sum(prospect.usd or 0.0 for prospect in self.prospects)


def forecast(
    models: Sequence[str],
    questions: Path | str = layout.QUESTIONS,
    experiment: str = "first",
    outputs: Path | str = layout.OUTPUTS,
    *,
    domains: Sequence[str] | None = None,
    samples: int = 1,
    wishes: Wishes | None = None,
    again: Again | None = None,
    shard: Shard | None = None,
    limit: int | None = None,
    money: Money | None = None,
    pace: Pace | None = None,
    catalogue: Mapping[str, ModelSpec] | None = None,
) -> Forecast:
    """Raises what ``run`` would raise for the same call, but for what is not installed or set: that is told."""
    wishes, again, money, pace = wishes or Wishes(), again or Again(), money or Money(), pace or Pace()
    plan = make_plan(
        models, questions, experiment, outputs,
        domains=domains, samples=samples, wishes=wishes, shard=shard, catalogue=catalogue,
    )  # fmt: skip
    runs = runs_there(plan.errands)
    prospects = tuple(_prospect(plan, name, runs, wishes, again, limit, money, pace) for name in plan.specs)
    budget = money.budget(layout.experiment_folder(Path(outputs), experiment), shard)
    return Forecast(prospects, budget.spent_usd, budget.most_usd)


def _prospect(
    plan: Plan,
    name: str,
    runs: dict[Job, Run],
    wishes: Wishes,
    again: Again,
    limit: int | None,
    money: Money,
    pace: Pace,
) -> Prospect:
    from vmevalkit.models.catalogue import missing

    errands, spec = plan.of(name), plan.specs[name]
    steps = steps_of(errands, entries_of(plan.folder(name), errands), runs, again)
    begin = limited(steps["order"], limit)
    return Prospect(
        model=name,
        jobs=len(errands),
        keep=len(steps["keep"]),
        poll=len(steps["poll"]),
        reconcile=len(steps["reconcile"]),
        begin=len(begin),
        usd_each=0.0 if spec is None else money.price(spec, wishes),
        minutes=_minutes(spec, len(begin), errands, runs, pace),
        lacking=() if spec is None else tuple(missing(spec)),
        unmet=() if spec is None else tuple(wishes.unmet(spec)),
    )


def _minutes(
    spec: ModelSpec | None, begin: int, errands: Sequence[Errand], runs: Mapping[Job, Run], pace: Pace
) -> float | None:
    """From the time that earlier films took, where there are any, and from the provider's rate."""
    there = [runs[errand.job] for errand in errands if errand.job in runs]
    took = [run.seconds for run in there if run.status == "success" and run.seconds is not None]
    if spec is None or not spec.charged:
        return begin * median(took) / 60 if took else None
    limits = pace.limits(spec)
    at_rate = begin / limits.orders_per_minute
    return max(at_rate, begin * median(took) / 60 / limits.in_flight) if took else at_rate
