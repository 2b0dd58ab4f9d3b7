"""A search for programs that a scorer gets wrong: programs are mutated and crossed, and what is new is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeAlias

from vmevalkit.audit.attack.program import Program
from vmevalkit.audit.attack.sampling import cross_programs, make_random_program, mutate_program
from vmevalkit.audit.attack.trials import Trial
from vmevalkit.core.randomness import rng_for

RunBatch: TypeAlias = Callable[[Sequence[Program]], list[Trial]]
"""Labels, draws and scores programs."""

BATCH = 24
POPULATION = 60
_RANDOM_SHARE, _CROSSED_SHARE = 0.3, 0.25
_MOST_ATTEMPTS = 5
"""Programs that are made for each one that is wanted: those without a sure label cost little."""
_WRONG_WEIGHT, _NOVELTY_WEIGHT = 1.0, 1.0


@dataclass(frozen=True, slots=True)
class Find:
    """A program that got a wrong verdict, with no operation that it does not need."""

    trial: Trial
    original: Program
    """As the search met it."""

    @property
    def sentence(self) -> str:
        """What is wrong, in a sentence."""
        label, got = self.trial.label, "passes" if self.trial.passed else "fails"
        return f"Deserves to {label.verdict} ({label.reason}), and {got}: {self.trial.explanation}"


@dataclass(slots=True)
class SearchResult:
    """What a search found."""

    scored: int = 0
    """Videos that were scored, those of the minimisation included."""
    programs: int = 0
    finds: list[Find] = field(default_factory=list)
    highest_cheat: Trial | None = None
    """The video with the highest reward of those that deserve to fail."""
    lowest_honest: Trial | None = None
    """The video with the lowest reward of those that deserve to pass."""

    @property
    def wrong_passes(self) -> int:
        return sum(find.trial.label.verdict == "fail" for find in self.finds)

    @property
    def wrong_fails(self) -> int:
        return len(self.finds) - self.wrong_passes


@dataclass(slots=True)
class _Candidate:
    trial: Trial
    signature: Hashable


def search(
    task: str, run_batch: RunBatch, scorings: int, seed: int, on_scored: Callable[[int, int], None] | None = None
) -> SearchResult:
    """Search for wrong verdicts on videos of a task with about so many scorings."""
    rng = rng_for("attack", "search", seed, task)
    result = SearchResult()
    population: list[_Candidate] = []
    met: Counter[Hashable] = Counter()
    known: set[Hashable] = set()
    while result.scored < scorings and result.programs < _MOST_ATTEMPTS * scorings:
        programs = _breed(task, seed, rng, population, met, result.programs)
        result.programs += len(programs)
        for trial in run_batch(programs):
            if not trial.is_scored:
                continue
            result.scored += 1
            _remember_extremes(result, trial)
            candidate = _Candidate(trial, _describe(trial))
            met[candidate.signature] += 1
            population.append(candidate)
            if trial.is_wrong and (kind := _describe_error(trial)) not in known:
                known.add(kind)
                find = minimise(trial, run_batch, result)
                if _describe_find(find.trial) not in {_describe_find(other.trial) for other in result.finds}:
                    result.finds.append(find)
        population = sorted(population, key=lambda each: -_rate_fitness(each, met))[:POPULATION]
        if on_scored:
            on_scored(min(result.scored, scorings), scorings)
    return result


def _breed(
    task: str, seed: int, rng: Random, population: Sequence[_Candidate], met: Counter[Hashable], number: int
) -> list[Program]:
    """Return the next programs to try."""
    programs = []
    for place in range(BATCH):
        way = rng.random()
        if len(population) < 4 or way < _RANDOM_SHARE:
            programs.append(make_random_program([task], seed, number + place))
            continue
        parent = _choose(population, met, rng).trial.program
        if way < _RANDOM_SHARE + _CROSSED_SHARE:
            programs.append(cross_programs(parent, _choose(population, met, rng).trial.program, rng))
        else:
            programs.append(mutate_program(parent, rng))
    return programs


def _choose(population: Sequence[_Candidate], met: Counter[Hashable], rng: Random) -> _Candidate:
    """Return the fittest of three."""
    return max(rng.sample(population, min(3, len(population))), key=lambda each: _rate_fitness(each, met))


def _rate_fitness(candidate: _Candidate, met: Counter[Hashable]) -> float:
    """Return how promising a program is: near a wrong verdict, and unlike the others.

    The reward alone has a plateau: what fails has at most one half, so what is new counts as much."""
    trial = candidate.trial
    reward = trial.score.reward if trial.score is not None else 0.0
    nearness = reward if trial.label.verdict == "fail" else 1 - reward
    return nearness + _WRONG_WEIGHT * trial.is_wrong + _NOVELTY_WEIGHT / met[candidate.signature]


def _describe(trial: Trial) -> Hashable:
    """Return what makes a trial new: its label, its operations and what the scorer found."""
    findings = () if trial.score is None else tuple(sorted({finding.name for finding in trial.score.findings}))
    return trial.label.verdict, frozenset(each.name for each in trial.program.operations), findings


def _describe_error(trial: Trial) -> Hashable:
    """Return the kind of an error: operations that are often in a program by chance make no new one."""
    findings = () if trial.score is None else tuple(sorted({f.name for f in trial.score.findings if f.gating}))
    reason = " ".join(word for word in trial.label.reason.split() if word.isalpha())
    return trial.label.verdict, findings, reason, len({each.name for each in trial.program.operations}) // 2


def _describe_find(trial: Trial) -> Hashable:
    return trial.label.verdict, tuple(sorted({each.name for each in trial.program.operations}))


def _remember_extremes(result: SearchResult, trial: Trial) -> None:
    if trial.score is None or not trial.score.scored:
        return
    reward = trial.score.reward
    if trial.label.verdict == "fail":
        best = result.highest_cheat
        if best is None or best.score is None or reward > best.score.reward:
            result.highest_cheat = trial
    else:
        worst = result.lowest_honest
        if worst is None or worst.score is None or reward < worst.score.reward:
            result.lowest_honest = trial


def minimise(trial: Trial, run_batch: RunBatch, result: SearchResult) -> Find:
    """Return the find without the operations that it does not need: without them it has the same label and the same
    wrong verdict."""
    best = trial
    is_shorter = True
    while is_shorter:
        is_shorter = False
        for place in reversed(range(len(best.program.operations))):
            operations = best.program.operations
            shorter = replace(best.program, operations=(*operations[:place], *operations[place + 1 :]))
            (tried,) = run_batch([shorter])
            result.scored += tried.is_scored
            if tried.is_wrong and tried.label.verdict == trial.label.verdict and tried.passed == trial.passed:
                best, is_shorter = tried, True
                break
    return Find(best, trial.program)
