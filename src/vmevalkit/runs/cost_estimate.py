"""An estimate of what a call of ``run`` would do: jobs, cost and time. It writes nothing and contacts no provider."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import median

from vmevalkit.core.records import Run
from vmevalkit.models.model import ModelSpec
from vmevalkit.runs.comparability import list_differences
from vmevalkit.runs.generation_params import GenerationParams
from vmevalkit.runs.job_specs import JobSpec, RetryPolicy, Shard, check_limit, find_existing_runs
from vmevalkit.runs.job_state import Step, next_step, select_entries
from vmevalkit.runs.plan import BudgetOptions, RateLimits, find_specs, iter_plan
from vmevalkit.store import layout
from vmevalkit.store.journal import read_entries


@dataclass(frozen=True, slots=True)
class ModelEstimate:
    """The estimate of one model."""

    model: str
    jobs: int
    keep: int
    """Jobs that are finished, or have failed and are not retried."""
    poll: int
    """Jobs that an earlier call ordered: they are polled, not paid again."""
    reconcile: int
    """Jobs that may have been ordered: they are looked up in the provider's list."""
    begin: int
    """Jobs that this call would start."""
    usd_each: float | None
    """The price of a video; None where it is unknown."""
    minutes: float | None
    """A lower bound; None where nothing is known."""
    missing: tuple[str, ...] = ()
    """What must be installed or configured first."""
    unsupported: tuple[str, ...] = ()
    """What the model does not support."""

    @property
    def usd(self) -> float | None:
        return None if self.usd_each is None else self.usd_each * self.begin


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The estimate of all models of a call."""

    models: tuple[ModelEstimate, ...]
    spent_usd: float
    """What the experiment has cost so far."""
    max_usd: float | None
    """The limit; None where there is none."""
    differences: tuple[str, ...] = ()
    """What is not the same for all models: resolution, length."""

    @property
    def usd(self) -> float:
        """The sum of all known prices."""
        return sum(estimate.usd or 0.0 for estimate in self.models)

    @property
    def affordable(self) -> int:
        """How many of the new videos the budget allows, in the order of the models."""
        left, count = inf if self.max_usd is None else self.max_usd - self.spent_usd, 0
        for estimate in self.models:
            price = estimate.usd_each or 0.0
            number = estimate.begin if not price or left == inf else min(estimate.begin, int(left / price + 1e-9))
            number = max(0, number)
            left -= number * price
            count += number
        return count


def estimate_cost(
    models: Sequence[str],
    questions: Path | str = layout.QUESTIONS,
    experiment: str = "first",
    outputs: Path | str = layout.OUTPUTS,
    *,
    domains: Sequence[str] | None = None,
    samples: int = 1,
    params: GenerationParams | None = None,
    retry: RetryPolicy | None = None,
    shard: Shard | None = None,
    limit: int | None = None,
    budget_options: BudgetOptions | None = None,
    rate_limits: RateLimits | None = None,
    catalogue: Mapping[str, ModelSpec] | None = None,
) -> CostEstimate:
    """Return the estimate of a call of ``run`` with the same arguments.

    Raises what ``run`` would raise, except for what is not installed or configured: the estimate lists that."""
    params, retry = params or GenerationParams(), retry or RetryPolicy()
    budget_options, rate_limits = budget_options or BudgetOptions(), rate_limits or RateLimits()
    specs = find_specs(models, catalogue)
    counts = {
        name: _ModelCount(layout.model_folder(Path(outputs), experiment, name), spec) for name, spec in specs.items()
    }
    for planned in iter_plan(
        specs, questions, experiment, outputs, domains=domains, samples=samples, params=params, shard=shard
    ):
        runs = find_existing_runs(planned.job_specs)
        for job_spec in planned.job_specs:
            counts[job_spec.job.model].add(job_spec, runs.get(job_spec.job), retry)
    estimates = tuple(_estimate_model(name, counts[name], params, limit, budget_options, rate_limits) for name in specs)
    budget = budget_options.load_budget(layout.experiment_folder(Path(outputs), experiment), shard)
    return CostEstimate(estimates, budget.spent_usd, budget.max_usd, tuple(list_differences(specs, params)))


class _ModelCount:
    """Counts the jobs of one model by their next steps. It keeps no job: there may be more than fit in memory."""

    def __init__(self, folder: Path, spec: ModelSpec | None) -> None:
        self.spec, self._folder = spec, folder
        self._entries = read_entries(layout.journals_of(folder))
        self.steps: Counter[Step] = Counter()
        self.seconds = array("d")
        """The times of earlier videos."""

    def add(self, job_spec: JobSpec, run: Run | None, retry: RetryPolicy) -> None:
        entry = select_entries(self._entries, self._folder, [job_spec])[job_spec.job]
        self.steps[next_step(entry, run, retry)] += 1
        if run is not None and run.status == "success" and run.seconds is not None:
            self.seconds.append(run.seconds)


def _estimate_model(
    name: str,
    count: _ModelCount,
    params: GenerationParams,
    limit: int | None,
    budget_options: BudgetOptions,
    rate_limits: RateLimits,
) -> ModelEstimate:
    from vmevalkit.models.catalogue import list_missing

    check_limit(limit)
    spec, steps = count.spec, count.steps
    begin = steps["order"] if limit is None else min(limit, steps["order"])
    return ModelEstimate(
        model=name,
        jobs=steps.total(),
        keep=steps["keep"],
        poll=steps["poll"],
        reconcile=steps["reconcile"],
        begin=begin,
        usd_each=0.0 if spec is None else budget_options.price_usd(spec, params),
        minutes=_estimate_minutes(spec, begin, count.seconds, rate_limits),
        missing=() if spec is None else tuple(list_missing(spec)),
        unsupported=() if spec is None else tuple(params.list_unsupported(spec)),
    )


def _estimate_minutes(
    spec: ModelSpec | None, begin: int, seconds: Sequence[float], rate_limits: RateLimits
) -> float | None:
    """Return the time from that of earlier videos, where there are any, and from the provider's rate limits."""
    if spec is None or not spec.charged:
        return begin * median(seconds) / 60 if seconds else None
    limits = rate_limits.limits_for(spec)
    at_rate = begin / limits.orders_per_minute
    return max(at_rate, begin * median(seconds) / 60 / limits.in_flight) if seconds else at_rate
