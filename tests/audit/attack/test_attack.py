"""The attack as a whole: pixels from the symbolic run, verdicts, rates, the search, and programs of earlier finds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from audit.attack_programs import REST, SOLVE, THING, make
from vmevalkit.audit.attack import Program, load_programs
from vmevalkit.audit.attack.drawing import draw_run
from vmevalkit.audit.attack.evidence import save_trial
from vmevalkit.audit.attack.oracle import Label, label_program
from vmevalkit.audit.attack.rates import format_report, measure_rates, summarise
from vmevalkit.audit.attack.sampling import make_random_program
from vmevalkit.audit.attack.search import search
from vmevalkit.audit.attack.symbolic import run_program
from vmevalkit.audit.attack.trials import Trial, TrialWorker, run_programs
from vmevalkit.core.records import Placement, Question, Score
from vmevalkit.eval.scorers import SCORERS, RuleScorer

PROGRAMS = sorted((Path(__file__).parents[2] / "data" / "attack").glob("*.json"))
FINDS = [(path.stem, number, program) for path in PROGRAMS for number, program in enumerate(load_programs(path))]


@pytest.mark.parametrize(("name", "number", "program"), FINDS, ids=[f"{name}-{number}" for name, number, _ in FINDS])
def test_what_an_attack_found_is_scored_right(name: str, number: int, program: Program) -> None:
    label = label_program(program)
    assert label.verdict == program.expected, label.reason
    trial = TrialWorker(RuleScorer())(program)
    assert not trial.is_wrong, trial.explanation


@pytest.mark.parametrize("task", ["sokoban", "n_queens", "mirrors", "maze"])
def test_random_programs_of_a_task_are_drawn_and_scored(task: str) -> None:
    trials = run_programs([make_random_program([task], 3, index) for index in range(5)], RuleScorer())
    assert any(trial.is_scored for trial in trials)
    assert all(trial.error is None for trial in trials)


def test_equal_programs_make_equal_pixels() -> None:
    program = make("sokoban", REST, SOLVE, REST, THING, {"op": "grain", "sigma": 3.0})
    one, other = (np.stack(draw_run(run_program(program))) for _ in range(2))
    assert np.array_equal(one, other)
    assert len(one) == len(run_program(program).moments)


class PassesAll:
    """A scorer that lets everything pass."""

    evaluator = "PassesAll"

    def version(self, question: Question) -> str:
        return "1"

    def score(self, question: Question, video: Path, placement: Placement | None, own_run: bool) -> Score:
        assert video.is_file()
        return Score(scorer=self.evaluator, version="1", value=5, solved=True, passed=True, outcome=1.0, explanation="")


def test_a_scorer_of_files_is_attacked_and_searched(tmp_path: Path) -> None:
    """The search finds what this scorer falls for, and leaves out what a find does not need."""
    result = search("n_queens", lambda programs: run_programs(programs, PassesAll()), 20, seed=1)
    assert result.wrong_passes > 0
    assert result.wrong_fails == 0
    assert result.highest_cheat is not None
    shortest = min(result.finds, key=lambda find: len(find.trial.program.operations))
    assert len(shortest.trial.program.operations) <= 2
    place = save_trial(shortest.trial, shortest.sentence, tmp_path)
    assert {path.name for path in place.iterdir()} == {
        "finding.txt", "program.json", "score.json", "strip.png", "video.mp4",
    }  # fmt: skip
    (stored,) = load_programs(place / "program.json")
    assert stored.expected == "fail"
    assert replace(stored, expected="", note="") == shortest.trial.program


def test_rates_count_errors_by_task_track_and_operation() -> None:
    def trial(task: str, verdict: str, passed: bool) -> Trial:
        program = make(task, REST, SOLVE, THING)
        score = Score(scorer="x", version="1", value=5 if passed else 1, passed=passed, explanation="because")
        return Trial(program, Label(verdict, "why"), score if verdict != "close" else None)  # type: ignore[arg-type]

    trials = [trial("sokoban", "fail", True), trial("sokoban", "fail", False), trial("maze", "pass", True),
              trial("maze", "close", False)]  # fmt: skip
    report = measure_rates(trials, "x", 1)
    assert (report.total.wrong_passes, report.total.cheats, report.total.wrong_fails, report.total.honest) == (
        1,
        2,
        0,
        1,
    )
    assert report.total.dropped == 1
    assert not report.is_within
    assert {rates.name for rates in report.operations} == {"rest", "solve", "thing"}
    assert "1 of 2 cheats passed" in summarise(report)
    assert "thing" in format_report(report)


def test_frames_in_memory_get_the_verdict_of_the_file() -> None:
    """The rules take frames; a scorer that does not gets a file of the same video."""
    assert hasattr(SCORERS["rules"], "score_frames")
    program = make("sokoban", REST, SOLVE, REST)
    trial = TrialWorker(RuleScorer())(program)
    assert trial.passed
    assert not trial.is_wrong
