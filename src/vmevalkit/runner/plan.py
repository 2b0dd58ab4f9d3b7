"""A call of ``run`` on paper: which models, which jobs, what a film costs. Nothing is written or ordered here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.jobs.budget import Budget, spent_before
from vmevalkit.jobs.limits import Limits, limits_of
from vmevalkit.models.model import ModelSpec
from vmevalkit.runner.errands import Errand, Shard, errands_of, questions_in
from vmevalkit.runner.local import applies
from vmevalkit.runner.wishes import SECONDS, Wishes
from vmevalkit.store import layout


@dataclass(frozen=True, slots=True)
class Pace:
    """How hard providers are asked, where neither the defaults of ``jobs.limits`` nor what a row says of itself in
    ``options["limits"]`` fits the account."""

    in_flight: int | None = None
    orders_per_minute: float | None = None

    def __post_init__(self) -> None:
        if self.in_flight is not None and self.in_flight < 1:
            raise UsageError(f"{self.in_flight} orders at once were asked for; ask for at least 1")
        if self.orders_per_minute is not None and self.orders_per_minute <= 0:
            raise UsageError(f"{self.orders_per_minute:g} orders a minute were asked for; ask for more than 0")

    def limits(self, spec: ModelSpec) -> Limits:
        """Of the row's provider."""
        usual = replace(limits_of(spec.provider), **spec.options.get("limits", {}))
        return replace(
            usual,
            in_flight=self.in_flight or usual.in_flight,
            orders_per_minute=self.orders_per_minute or usual.orders_per_minute,
        )


@dataclass(frozen=True, slots=True)
class Money:
    """What may be spent by an experiment."""

    most_usd: float | None = None
    """None: anything."""
    assumed_usd: float | None = None
    """The price of a film where nobody knows it."""

    def __post_init__(self) -> None:
        for option, usd in (("--max-usd", self.most_usd), ("--assume-usd", self.assumed_usd)):
            if usd is not None and not 0 <= usd < inf:
                raise UsageError(f"{option} is {usd:g}; it must be a number of dollars, 0 or more")

    def price(self, spec: ModelSpec, wishes: Wishes) -> float | None:
        """Of one film. Raises UsageError where there is a limit and no price to keep it by."""
        known = spec.cost_usd(spec.seconds_for(wishes.seconds, SECONDS))
        usd = self.assumed_usd if known is None else known
        if usd is None and self.most_usd is not None:
            raise UsageError(
                f"nobody knows the price of a film of {spec.name}, so --max-usd cannot be kept; "
                "say what to reckon with: --assume-usd"
            )
        return usd

    def budget(self, experiment: Path, shard: Shard | None) -> Budget:
        """For this call, or for this part of divided work, less what was spent before."""
        journals = sorted(experiment.glob("*/journal*.jsonl"))
        most = None if self.most_usd is None else self.most_usd / (shard[1] if shard else 1)
        return Budget(most, spent_before(journals, shard))


@dataclass(frozen=True, slots=True)
class Plan:
    """All jobs of a call."""

    specs: Mapping[str, ModelSpec | None]
    """None for a baseline."""
    errands: tuple[Errand, ...]
    idle: tuple[tuple[str, str], ...]
    """Model and question where a baseline has nothing to film."""
    experiment: str
    outputs: Path

    def folder(self, model: str) -> Path:
        return layout.model_folder(self.outputs, self.experiment, model)

    def of(self, model: str) -> list[Errand]:
        return [errand for errand in self.errands if errand.job.model == model]


def make_plan(
    models: Sequence[str],
    questions: Path | str,
    experiment: str,
    outputs: Path | str,
    *,
    domains: Sequence[str] | None = None,
    samples: int = 1,
    wishes: Wishes,
    shard: Shard | None = None,
    catalogue: Mapping[str, ModelSpec] | None = None,
) -> Plan:
    """Raises where a name is unknown, or where a model does not allow what is wished."""
    specs = {model: find_spec(model, catalogue) for model in dict.fromkeys(models)}
    refuse_retired(specs.values())
    asked = questions_in(questions, domains)
    for spec in specs.values():
        if spec is not None:
            spec.allow(wishes.request(spec, asked[0]))
    errands = errands_of(specs, asked, experiment, Path(outputs), samples, wishes, shard)
    idle = _idle(errands)
    if idle:
        errands = [errand for errand in errands if (errand.job.model, errand.question.id) not in idle]
    return Plan(specs, tuple(errands), tuple(idle), experiment, Path(outputs))


def find_spec(model: str, catalogue: Mapping[str, ModelSpec] | None = None) -> ModelSpec | None:
    """The row of a model; None for a baseline."""
    from vmevalkit.models.catalogue import MODELS

    rows = MODELS if catalogue is None else catalogue
    if model in rows:
        return rows[model]
    from vmevalkit.baselines import BASELINES

    if model not in BASELINES and "+" not in model:
        raise UnknownName("model", model, [*BASELINES, *rows])
    BASELINES[model]
    return None


def refuse_retired(specs: Iterable[ModelSpec | None]) -> None:
    """Raise UsageError where nobody serves some of them any more, with the replacement of each."""
    gone = [spec.retirement for spec in specs if spec is not None and spec.retirement]
    if gone:
        raise UsageError(". ".join(gone))


def _idle(errands: Sequence[Errand]) -> dict[tuple[str, str], None]:
    looked_at: dict[tuple[str, str], bool] = {}
    for errand in errands:
        pair = (errand.job.model, errand.question.id)
        if errand.spec is None and pair not in looked_at:
            looked_at[pair] = applies(errand)
    return dict.fromkeys(pair for pair, films in looked_at.items() if not films)
