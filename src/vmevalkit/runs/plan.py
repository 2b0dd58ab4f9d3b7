"""The plan of a call of ``run``: models, jobs, prices and limits. Nothing is written or ordered here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain
from math import inf
from pathlib import Path

from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.jobs.budget import Budget, load_budget
from vmevalkit.jobs.limits import Limits, limits_of
from vmevalkit.models.model import ModelSpec
from vmevalkit.runs.generation_params import GenerationParams
from vmevalkit.runs.job_specs import JobSpec, Shard, make_job_specs, require_questions
from vmevalkit.runs.local import is_applicable
from vmevalkit.store import layout


@dataclass(frozen=True, slots=True)
class RateLimits:
    """Limits of the user's account, which replace the defaults of ``jobs.limits`` and a row's ``options["limits"]``."""

    in_flight: int | None = None
    """Orders at a provider at the same time."""
    orders_per_minute: float | None = None

    def __post_init__(self) -> None:
        if self.in_flight is not None and self.in_flight < 1:
            raise UsageError(f"--in-flight is {self.in_flight}; it must be at least 1")
        if self.orders_per_minute is not None and self.orders_per_minute <= 0:
            raise UsageError(f"--per-minute is {self.orders_per_minute:g}; it must be more than 0")

    def limits_for(self, spec: ModelSpec) -> Limits:
        """Return the limits of the row's provider."""
        defaults = replace(limits_of(spec.provider), **spec.options.get("limits", {}))
        return replace(
            defaults,
            in_flight=self.in_flight or defaults.in_flight,
            orders_per_minute=self.orders_per_minute or defaults.orders_per_minute,
        )


@dataclass(frozen=True, slots=True)
class BudgetOptions:
    """What an experiment may cost."""

    max_usd: float | None = None
    """None: no limit."""
    assumed_usd: float | None = None
    """The price of a video where the catalogue has none."""

    def __post_init__(self) -> None:
        for option, usd in (("--max-usd", self.max_usd), ("--assume-usd", self.assumed_usd)):
            if usd is not None and not 0 <= usd < inf:
                raise UsageError(f"{option} is {usd:g}; it must be a number of dollars, 0 or more")

    def price_usd(self, spec: ModelSpec, params: GenerationParams) -> float | None:
        """Return the price of one video. Raises UsageError where there is a limit and the price is unknown."""
        listed = params.price_usd(spec)
        usd = self.assumed_usd if listed is None else listed
        if usd is None and self.max_usd is not None:
            raise UsageError(
                f"the price of a video of {spec.name} is unknown, so --max-usd cannot be enforced; "
                "give a price with --assume-usd"
            )
        return usd

    def load_budget(self, experiment: Path, shard: Shard | None, own_journals: Collection[Path] = ()) -> Budget:
        """Return the budget of an experiment, or of one shard, with what was spent before.

        ``own_journals`` are those that this process writes."""
        return load_budget(experiment, self.max_usd, shard, own_journals)


@dataclass(frozen=True, slots=True)
class RunPlan:
    """All models and jobs of a call."""

    specs: Mapping[str, ModelSpec | None]
    """By the model's name; None for a baseline."""
    job_specs: tuple[JobSpec, ...]
    not_applicable: tuple[tuple[str, str], ...]
    """Model and question where a baseline does not apply to the puzzle."""
    experiment: str
    outputs: Path

    def model_folder(self, model: str) -> Path:
        return layout.model_folder(self.outputs, self.experiment, model)

    def job_specs_of(self, model: str) -> list[JobSpec]:
        return [job_spec for job_spec in self.job_specs if job_spec.job.model == model]


def make_plan(
    models: Sequence[str],
    questions: Path | str,
    experiment: str,
    outputs: Path | str,
    *,
    domains: Sequence[str] | None = None,
    samples: int = 1,
    params: GenerationParams,
    shard: Shard | None = None,
    catalogue: Mapping[str, ModelSpec] | None = None,
) -> RunPlan:
    """Return the plan of a call. Raises where a name is unknown, or where a model does not support the parameters."""
    specs = find_specs(models, catalogue)
    by_model: dict[str, list[JobSpec]] = {model: [] for model in specs}
    skipped: dict[tuple[str, str], None] = {}
    for planned in iter_plan(
        specs, questions, experiment, outputs, domains=domains, samples=samples, params=params, shard=shard
    ):
        skipped.update(dict.fromkeys(planned.not_applicable))
        for job_spec in planned.job_specs:
            by_model[job_spec.job.model].append(job_spec.without_metadata())
    job_specs = tuple(chain.from_iterable(by_model.values()))
    return RunPlan(specs, job_specs, tuple(sorted(skipped, key=_by_model(specs))), experiment, Path(outputs))


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """The jobs of one question."""

    job_specs: list[JobSpec]
    not_applicable: list[tuple[str, str]]
    """Model and question where a baseline does not apply to the puzzle."""


def iter_plan(
    specs: Mapping[str, ModelSpec | None],
    questions: Path | str,
    experiment: str,
    outputs: Path | str,
    *,
    domains: Sequence[str] | None,
    samples: int,
    params: GenerationParams,
    shard: Shard | None,
) -> Iterator[PlannedQuestion]:
    """Yield the jobs of each question. Raises where a model does not support the parameters."""
    for number, question in enumerate(require_questions(questions, domains)):
        if number == 0:
            for spec in specs.values():
                if spec is not None:
                    spec.validate(params.request(spec, question))
        job_specs = make_job_specs(specs, [question], experiment, Path(outputs), samples, params, shard, number)
        skipped = _find_not_applicable(job_specs)
        kept = [job_spec for job_spec in job_specs if (job_spec.job.model, job_spec.question.id) not in skipped]
        yield PlannedQuestion(kept, list(skipped))


def find_specs(models: Sequence[str], catalogue: Mapping[str, ModelSpec] | None = None) -> dict[str, ModelSpec | None]:
    """Return the rows of the models of a call, each once. Raises where one is unknown or retired."""
    specs = dict(resolve_model(model, catalogue) for model in dict.fromkeys(models))
    refuse_retired(specs.values())
    return specs


def resolve_model(model: str, catalogue: Mapping[str, ModelSpec] | None = None) -> tuple[str, ModelSpec | None]:
    """Return the name of a model and its row. They are made from ``http:URL`` and ``cmd:COMMAND``, which have none."""
    from vmevalkit.models.model_reference import parse_model_reference

    reference = parse_model_reference(model)
    if reference is None:
        return model, find_spec(model, catalogue)
    if _is_taken(reference.name, catalogue):
        raise UsageError(f"{reference.name!r} is the name of a listed model; give yours another one: NAME=...")
    return reference.name, reference


def _is_taken(name: str, catalogue: Mapping[str, ModelSpec] | None) -> bool:
    from vmevalkit.baselines import BASELINES
    from vmevalkit.models.catalogue import MODELS

    return name in (MODELS if catalogue is None else catalogue) or name in BASELINES


def _by_model(specs: Mapping[str, ModelSpec | None]) -> Callable[[tuple[str, str]], int]:
    order = {model: number for number, model in enumerate(specs)}
    return lambda pair: order[pair[0]]


def find_spec(model: str, catalogue: Mapping[str, ModelSpec] | None = None) -> ModelSpec | None:
    """Return the row of a model; None for a baseline. Raises UnknownName where there is neither."""
    from vmevalkit.models.catalogue import MODELS

    rows = MODELS if catalogue is None else catalogue
    if model in rows:
        return rows[model]
    from vmevalkit.baselines import BASELINES

    if model not in BASELINES and "+" not in model:
        # A baseline is meant only where it is nearly spelled out: it is not a suggestion for the name of a model.
        raise UnknownName("model", model, [*get_close_matches(model, BASELINES, n=1, cutoff=0.75), *rows])
    BASELINES[model]  # raises UnknownName where a part of the name is unknown
    return None


def refuse_retired(specs: Iterable[ModelSpec | None]) -> None:
    """Raise UsageError where models are retired, with the replacement of each."""
    notices = [spec.retirement_notice for spec in specs if spec is not None and spec.retirement_notice]
    if notices:
        raise UsageError(". ".join(notices))


def _find_not_applicable(job_specs: Sequence[JobSpec]) -> dict[tuple[str, str], None]:
    """Return the pairs of baseline and question that do not apply to each other, as the keys of a dict."""
    applicable: dict[tuple[str, str], bool] = {}
    for job_spec in job_specs:
        pair = (job_spec.job.model, job_spec.question.id)
        if job_spec.spec is None and pair not in applicable:
            applicable[pair] = is_applicable(job_spec)
    return dict.fromkeys(pair for pair, applies in applicable.items() if not applies)
