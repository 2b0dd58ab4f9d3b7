"""A check of an installation: videos that are part of the package, and the scores that they must get.

A library of another version may decode, resize or compare images otherwise. These videos show it in
seconds, where an audit takes an hour.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vmevalkit.audit.audit import find_trial, render_video, write_trial_question
from vmevalkit.audit.design import TrialId
from vmevalkit.core.errors import StoreError
from vmevalkit.core.jsonable import from_json, to_json
from vmevalkit.core.records import Placement, Score
from vmevalkit.core.scorer import Scorer
from vmevalkit.store.atomic import file_digest, write_file
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.puzzle_loading import load_puzzle
from vmevalkit.tasks.task import AnyTask

DATA = Path(__file__).parent / "selftest_data"
SEED = 0
TRIALS = (
    "maze/oracle/plain/0", "maze/through_wall/plain/1",
    "rotation/oracle/plain/0", "rotation/static/plain/0",
    "rotation_puzzle/oracle/plain/0", "rotation_puzzle/cut_to_final/plain/0",
    "chess/oracle/plain/0", "chess/static/plain/0",
    "raven/oracle/plain/0", "raven/halfway/plain/0",
    "sudoku/oracle/plain/0", "sudoku/halfway/plain/0",
    "object_subtraction/oracle/plain/0", "object_subtraction/static/plain/0",
)  # fmt: skip
"""Of each task a video that is right and one that is not."""
_EXACT = ("value", "solved", "passed", "failure_mode", "findings")
_TOLERANCE = 0.02
"""Of shares: another decoder may shift a finding by a frame."""


@dataclass(frozen=True, slots=True)
class Case:
    """One video of the package and what its score must say."""

    name: str
    task: str
    difficulty: str
    puzzle: Any
    """The puzzle as JSON."""
    video: str
    video_digest: str
    placement: Placement | None
    expected: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What became of one case."""

    name: str
    score: Score | None
    problem: str | None = None
    """None where the score is the expected one."""


def load_cases(folder: Path = DATA) -> list[Case]:
    """Return the cases that are part of the package."""
    path = folder / "expected.json"
    try:
        return [from_json(Case, record) for record in json.loads(path.read_text("utf-8"))]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise StoreError(f"cannot read {path} ({error}); install vmevalkit again") from error


def run_selftest(scorer: Scorer, folder: Path = DATA) -> Iterator[CaseResult]:
    """Yield the result of each case as it is scored."""
    for case in load_cases(folder):
        video = folder / case.video
        if file_digest(video) != case.video_digest:
            yield CaseResult(case.name, None, f"{video} is damaged; install vmevalkit again")
            continue
        score = _score(case, scorer, video)
        yield CaseResult(case.name, score, "; ".join(_compare(summarise(score), case.expected)) or None)


def _score(case: Case, scorer: Scorer, video: Path) -> Score:
    task: AnyTask = TASKS[case.task]
    with TemporaryDirectory(prefix="vmevalkit-selftest-") as root:
        puzzle: Any = load_puzzle(task, case.puzzle, case.name)
        question = write_trial_question(task, puzzle, f"{case.task}_0000", case.difficulty, SEED, Path(root))
        return scorer.score(question, video, case.placement, own_run=True)


def summarise(score: Score) -> dict[str, Any]:
    """Return the part of a score that must be the same on every machine."""
    return {
        "value": score.value,
        "solved": score.solved,
        "passed": score.passed,
        "outcome": None if score.outcome is None else round(score.outcome, 3),
        "process": None if score.process is None else round(score.process, 3),
        "failure_mode": score.failure_mode,
        "findings": sorted({finding.name for finding in score.findings}),
    }


def _compare(got: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterable[str]:
    for name, value in expected.items():
        same = got[name] == value
        if not same and name not in _EXACT and None not in (got[name], value):
            same = abs(got[name] - value) <= _TOLERANCE
        if not same:
            yield f"{name} is {got[name]!r}, expected {value!r}"


def write_cases(
    scorer: Scorer, folder: Path = DATA, on_case: Callable[[str], None] = lambda _: None, *, scores_only: bool = False
) -> None:
    """Make the videos and record their scores, or record the scores of existing videos again."""
    cases = load_cases(folder) if scores_only else [_render(name, folder) for name in TRIALS]
    records = []
    for case in cases:
        score = _score(case, scorer, folder / case.video)
        records.append({**to_json(case), "expected": summarise(score)})
        on_case(f"{case.name}: {score!r}")
    write_file(folder / "expected.json", json.dumps(records, indent=1, ensure_ascii=False) + "\n")


def _render(name: str, folder: Path) -> Case:
    spec = find_trial(TrialId.parse(name), SEED)
    video = f"{spec.task.name}-{spec.trial_id.trick}.mp4"
    placement = render_video(spec, folder / video)
    return Case(
        name, spec.task.name, spec.difficulty, to_json(spec.puzzle), video, file_digest(folder / video), placement, {}
    )
