"""Every limit of a verdict, from both sides, on hand-made traces of a mark that goes from 0 to 4."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from random import Random
from typing import Any

import pytest

from vmevalkit.core.records import Finding, Score
from vmevalkit.eval.verdict import judge, read_ending
from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Blob, Box
from vmevalkit.tasks.evidence import MotionLimits
from vmevalkit.tasks.task import CheckResult, FrameReading, Reader, StateTrajectory, Task, Trace

GOAL = 4.0


class Outcome(Task[None, float, None]):
    """A state is the place of the mark. It is solved at 4, or close to it; a negative place is unseen."""

    name = "line"
    version = "1"
    findings: tuple[Finding, ...] = ()

    def sample(self, rng: Random, params: None) -> None: ...

    def key(self, puzzle: None) -> Hashable:
        return None

    def certify(self, puzzle: None) -> None: ...

    def prompt(self, puzzle: None) -> str:
        return ""

    def metadata(self, puzzle: None) -> dict[str, Any]:
        return {}

    def size(self, puzzle: None) -> tuple[int, int]:
        return 8, 8

    def solution(self, puzzle: None, t: float) -> float:
        return GOAL * t

    def draw(self, puzzle: None, state: float) -> Frame:
        raise AssertionError("a verdict needs no pixels")

    def reader(self, puzzle: None) -> Reader[float]:
        raise AssertionError("a verdict needs no pixels")

    def accepted(self, puzzle: None, state: float) -> bool:
        return abs(state) == GOAL

    def progress(self, puzzle: None, state: float) -> float:
        return state / GOAL

    def check(self, puzzle: None, trace: Trace[float]) -> CheckResult:
        return CheckResult(self.findings)

    def deciding_boxes(self, puzzle: None, state: float) -> Sequence[Box]:
        return [(0.4, 0.4, 0.6, 0.6)]

    def unseen_boxes(self, puzzle: None, state: float) -> Mapping[Hashable, Box]:
        return {"mark": (0.4, 0.4, 0.6, 0.6)} if state < 0 else {}

    def cheats(self, puzzle: None, rng: Random) -> dict[str, StateTrajectory[float]]:
        return {}


class Process(Outcome):
    """Every move of the mark must be visible."""

    motion = MotionLimits(free_steps=1.0, max_steps=2.0, what="the mark", unit="places")

    def moving_parts(self, puzzle: None, state: float) -> dict[Hashable, Any]:
        return {"mark": state}

    def count_steps(self, puzzle: None, part: Hashable, before: float, after: float) -> float:
        return abs(before - after)


def verdict(
    *states: float | None, fps: float = 16, task: Outcome | None = None, is_card: bool = True, from_s: float = 0.0
) -> Score:
    trace = [FrameReading(from_s + index / fps, state, is_card=is_card) for index, state in enumerate(states)]
    return judge(task or Outcome(), None, trace, "rules")


def with_findings(task: Outcome, *findings: Finding) -> Outcome:
    task.findings = findings
    return task


WAY = [0.0, 1.0, 2.0, 3.0]
END = [GOAL] * 16


@pytest.mark.parametrize(("card", "is_solved"), [(16, True), (17, False)])
def test_a_card_of_a_second_is_skipped(card: int, is_solved: bool) -> None:
    score = verdict(*WAY, *END, *[None] * card)
    assert score.solved == is_solved
    assert (score.failure_mode == "scene_broken") != is_solved


@pytest.mark.parametrize(("wild", "is_solved"), [(1, True), (2, False)])
def test_one_frame_in_sixteen_of_a_card_may_look_otherwise(wild: int, is_solved: bool) -> None:
    states = [*WAY, *END]
    trace = [FrameReading(index / 16, state) for index, state in enumerate(states)]
    trace += [FrameReading((20 + index) / 16, None, is_card=index >= wild) for index in range(16)]
    assert judge(Outcome(), None, trace, "rules").solved == is_solved


def test_the_end_is_the_last_half_second() -> None:
    half = [FrameReading(index / 16, 3.0 if index < 5 else 2.0) for index in range(12)]
    assert read_ending(Outcome(), None, half).state == 2.0
    late = [FrameReading(index / 16, 3.0 if index < 24 else 2.0) for index in range(30)]
    assert read_ending(Outcome(), None, late).state == 2.0, "six readings of eight, and ten before them"
    earlier = [FrameReading(index / 16, 3.0 if index < 26 else 2.0) for index in range(30)]
    assert read_ending(Outcome(), None, earlier).state == 2.0, "four of eight, the later ones"
    few = [FrameReading(index / 16, 3.0 if index < 27 else 2.0) for index in range(30)]
    assert read_ending(Outcome(), None, few).state == 3.0


@pytest.mark.parametrize(("held", "is_solved"), [(3, False), (4, True)])
def test_an_answer_that_is_reached_at_the_end_is_held_for_a_quarter_of_a_second(held: int, is_solved: bool) -> None:
    """The last reading holds for a frame."""
    changing = [0.0, 1.0, 2.0, 3.0] * 4
    assert verdict(*changing, *[GOAL] * held).solved == is_solved


@pytest.mark.parametrize(("wrong", "is_solved"), [(2, True), (3, False)])
def test_four_of_five_readings_show_the_answer(wrong: int, is_solved: bool) -> None:
    assert verdict(*WAY, *[GOAL] * 30, *[2.0] * wrong, *[GOAL] * 6, fps=20).solved == is_solved


def test_an_answer_in_a_short_video_is_not_held() -> None:
    assert not verdict(GOAL, GOAL).solved and not verdict(GOAL, GOAL, from_s=10).solved


def test_four_of_five_readings_since_it_was_reached_show_the_answer() -> None:
    changing = [0.0, 1.0, 2.0, 3.0] * 3
    assert verdict(*changing, 0.0, 1.0, 2.0, GOAL, GOAL, 3.0, GOAL, GOAL).solved


def test_the_last_reading_holds_for_a_frame() -> None:
    assert verdict(0.0, GOAL, fps=2).solved
    assert not verdict(0.0, 2.0, GOAL, fps=6).solved
    assert not verdict(*WAY, GOAL, from_s=10).solved
    assert not verdict(0.0).solved, "a single frame"


def test_what_most_readings_show_is_the_end() -> None:
    """The answer is held well enough, and the other state was there for longer."""
    assert not verdict(*[3.0] * 12, GOAL, GOAL, 3.0, GOAL, GOAL, GOAL, fps=24).solved
    assert verdict(*[0.0, 1.0, 2.0, 3.0] * 3, GOAL, GOAL, 3.0, GOAL, GOAL, GOAL, fps=24).solved


def test_a_process_needs_no_hold() -> None:
    way = [index * 0.5 for index in range(9)]
    assert verdict(*way, task=Process()).passed and verdict(*way, task=Process()).ever_solved
    assert not verdict(*way, task=Outcome()).solved
    assert not verdict(*way[:-1], 3.75, task=Process()).solved


# -- start -------------------------------------------------------------------------------------------------------


def starts_wrong(state: float, late: int = 0, task: Outcome | None = None) -> bool:
    """Return whether a video whose first readable state is this one, so many frames late, has the wrong start."""
    score = verdict(*[None] * late, *[state] * 8, task=task)
    return "wrong_start" in [finding.name for finding in score.findings]


@pytest.mark.parametrize(
    ("state", "late", "is_wrong"),
    [
        (0.8, 0, False), (0.85, 0, True),  # 0.2 of the progress
        (1.55, 8, False), (1.65, 8, True),  # 0.4 more in a second
        (2.35, 16, False), (2.45, 16, True),
        (2.35, 32, False), (2.45, 32, True),  # but for a second at most
        (4.0, 32, True),
    ],
)  # fmt: skip
def test_a_video_that_comes_late_may_have_begun(state: float, late: int, is_wrong: bool) -> None:
    assert starts_wrong(state, late) == is_wrong


@pytest.mark.parametrize(
    ("state", "late", "is_wrong"), [(0.65, 0, False), (0.7, 0, False), (0.75, 0, True), (0.9, 1, False), (1.0, 1, True)]
)
def test_a_part_may_be_a_part_of_a_step_on_its_way(state: float, late: int, is_wrong: bool) -> None:
    """0.7 of a free step, and four steps a second."""

    class Slow(Process):
        def progress(self, puzzle: None, state: float) -> float:
            return state / 100

    assert starts_wrong(state, late, Slow()) == is_wrong


def test_the_limits_of_the_start_are_those_of_any_part() -> None:
    class Fast(Process):
        motion = MotionLimits(free_steps=2.0, max_steps=4.0, what="the mark", unit="places")

        def progress(self, puzzle: None, state: float) -> float:
            return state / 100

    class Two(Fast):
        def moving_parts(self, puzzle: None, state: float) -> dict[Hashable, Any]:
            return {"still": 0.0, "mark": state}

    assert not starts_wrong(1.3, task=Fast()) and not starts_wrong(1.3, task=Two())
    assert starts_wrong(1.5, task=Fast()) and starts_wrong(1.5, task=Two())


def test_an_answer_is_no_start() -> None:
    class Slow(Outcome):
        def progress(self, puzzle: None, state: float) -> float:
            return 0.0

    class Near(Process):
        def count_steps(self, puzzle: None, part: Hashable, before: float, after: float) -> float:
            return 0.0

    assert starts_wrong(GOAL, task=Slow()) and starts_wrong(GOAL, task=Near())


def test_a_video_whose_times_begin_late_has_no_more_time() -> None:
    assert "wrong_start" in [finding.name for finding in verdict(*[1.55] * 8, from_s=10).findings]


def test_the_start_is_wrong_at_the_first_reading() -> None:
    [finding] = [each for each in verdict(None, None, *[3.0] * 8).findings if each.name == "wrong_start"]
    assert finding.gating and finding.seconds == 2 / 16


# -- value, outcome, process and modes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "value", "outcome", "mode"),
    [(0.0, 1, 0.0, "static"), (0.1, 2, 0.025, "partial"), (1.96, 2, 0.49, "partial"), (2.0, 3, 0.5, "partial")],
)
def test_the_value_follows_the_outcome(end: float, value: int, outcome: float, mode: str) -> None:
    score = verdict(*[0.0] * 8, *[end] * 16)
    assert (score.value, score.outcome, score.failure_mode) == (value, outcome, mode)
    assert (score.solved, score.passed, score.ever_solved) == (False, False, False)
    assert score.held_s is None and score.solved_at_s is None


def test_a_motion_without_progress_is_misunderstood() -> None:
    class Stuck(Outcome):
        def progress(self, puzzle: None, state: float) -> float:
            return -1.0

    moved = verdict(*[0.0] * 8, *[1.0] * 16, task=Stuck())
    assert (moved.failure_mode, moved.outcome, moved.process) == ("incorrect_termination", 0.0, 1.0)
    back = verdict(*[0.0] * 8, *[1.0] * 8, *[0.0] * 16, task=Stuck())
    assert back.failure_mode == "misunderstood"


def test_more_progress_than_all_is_all() -> None:
    class Eager(Outcome):
        def progress(self, puzzle: None, state: float) -> float:
            return 2.0

    assert verdict(*[0.0] * 8, *[1.0] * 16, task=Eager()).outcome == 1.0


@pytest.mark.parametrize(("wrong", "mode"), [(2, "static"), (3, "misunderstood")])
def test_one_wrong_reading_in_fifty_does_not_make_a_still_video_move(wrong: int, mode: str) -> None:
    assert verdict(*[0.0] * 60, *[1.0] * wrong, *[0.0] * (80 - wrong)).failure_mode == mode
    assert verdict(*[0.0] * 40, *[1.0] * wrong, *[0.0] * (60 - wrong)).failure_mode == mode, "one hundred readings"


def test_a_video_that_ends_elsewhere_is_not_static() -> None:
    assert verdict(0.0, 0.0, *[None] * 10, 1.0).failure_mode == "partial"


def test_an_answer_is_not_static_where_states_look_alike() -> None:
    class Coarse(Outcome):
        def state_key(self, puzzle: None, state: float) -> Hashable:
            return None

    assert verdict(*WAY, *END, task=Coarse()).failure_mode == "none"


def test_one_wrong_reading_of_a_short_video_neither() -> None:
    assert verdict(*[0.0] * 10, 1.0, *[0.0] * 10).failure_mode == "static"
    assert verdict(*[0.0] * 10, 1.0, 1.0, *[0.0] * 10).failure_mode == "misunderstood"


def test_what_cannot_be_seen_at_the_end_is_not_solved_and_costs_a_quarter() -> None:
    score = verdict(*WAY, *END, *[-GOAL] * 16)
    assert (score.solved, score.outcome, score.value, score.failure_mode) == (False, 0.75, 3, "not_shown")
    assert [finding.name for finding in score.findings] == ["unseen_at_end"]


def test_something_over_the_answer_breaks_the_scene() -> None:
    blob = Blob(0.4, 0.4, 0.6, 0.6, 0.04, at_edge=False)
    trace = [FrameReading(i / 16, s, (blob,) if i >= 12 else ()) for i, s in enumerate([*WAY, *END])]
    score = judge(Outcome(), None, trace, "rules")
    assert (score.solved, score.passed, score.outcome, score.failure_mode) == (False, False, 0.75, "scene_broken")
    assert (score.value, score.process, score.first_violation_s) == (3, 0.0, 12 / 16)
    assert score.legal_progress == 1.0, "it hides the answer, it breaks no rule"


def test_what_moves_on_beside_something_that_was_added_is_not_paid() -> None:
    blob = Blob(0.4, 0.4, 0.6, 0.6, 0.04, at_edge=False)
    states = [*WAY, *END]
    for start in range(1, len(states) - 2):
        trace = [FrameReading(i / 16, s, (blob,) if i >= start else ()) for i, s in enumerate(states)]
        score = judge(Process(), None, trace, "rules")
        assert score.first_violation_s == start / 16
        assert score.reward <= verdict(*states[:start], *[states[start - 1]] * 16, task=Process()).reward
    hidden = verdict(*WAY[:2], *[-GOAL] * 16, task=Process())
    assert [finding.name for finding in hidden.findings if finding.gating][-1] == "unseen_at_end"
    assert hidden.legal_progress == verdict(*WAY[:2], *[WAY[1]] * 16, task=Process()).outcome


def test_a_solved_video_is_a_5_a_4_or_a_2() -> None:
    assert (verdict(*WAY, *END).value, verdict(*WAY, *END).explanation) == (
        5,
        "Solved, and nothing is wrong on the way.",
    )
    note, gate = Finding("note", False, "A note.", 1.0), Finding("rule", True, "A rule.", 0.5)
    noted = verdict(*WAY, *END, task=with_findings(Outcome(), note))
    assert (noted.value, noted.passed, noted.process, noted.explanation) == (4, True, 1.0, "Solved. A note.")
    gated = verdict(*WAY, *END, task=with_findings(Outcome(), note, gate))
    assert (gated.value, gated.passed, gated.solved, gated.failure_mode) == (2, False, True, "illegal_process")
    assert gated.explanation == "Solved. A rule. A note.", "what gates comes first"
    assert gated.process == pytest.approx(0.5 / (19 / 16), abs=1e-4)


def test_the_process_is_the_share_before_the_first_violation() -> None:
    early, late = Finding("rule", True, "A rule.", 10.25), Finding("other", True, "Another.", 11.0)
    score = verdict(*WAY, *END, task=with_findings(Process(), late, early), from_s=10)
    assert (score.first_violation_s, score.process) == (10.25, pytest.approx(0.25 / (19 / 16), abs=1e-4))
    assert score.legal_progress == 0.75, "three of four"
    assert verdict(*WAY, *END, task=with_findings(Outcome(), Finding("rule", True, "A rule.", 99.0))).process == 1.0
    assert verdict(0.5, task=with_findings(Outcome(), Finding("rule", True, "A rule.", 0.0))).process == 0.0


def test_a_violation_without_a_time_may_be_anywhere() -> None:
    rule = Finding("rule", True, "A rule.")
    assert verdict(0.5, 1.0, 1.5, *END, task=with_findings(Process(), rule)).legal_progress == 0.0
    score = verdict(*WAY, *END, task=with_findings(Process(), rule))
    assert (score.process, score.legal_progress, score.first_violation_s) == (0.0, 0.0, None)


def test_an_explanation_names_the_mode_and_the_outcome() -> None:
    assert verdict(*[0.0] * 8, *[1.0] * 16).explanation == "Not solved (partial, outcome 0.25)."
    notes = [Finding(f"n{number}", False, f"Note {number}.", 5.0 - number) for number in range(5)]
    words = verdict(*WAY, *END, task=with_findings(Outcome(), *notes)).explanation
    assert words == "Solved. Note 4. Note 3. Note 2. Note 1.", "the first four by time"


def test_what_is_not_shown_is_told_from_what_is_illegal() -> None:
    hidden = Finding("not_shown", True, "Hidden.", 0.5)
    assert verdict(*WAY, *END, task=with_findings(Process(), hidden)).failure_mode == "not_shown"
    both = with_findings(Process(), hidden, Finding("rule", True, "A rule.", 0.5))
    assert verdict(*WAY, *END, task=both).failure_mode == "illegal_process"


def test_what_is_neither_shown_nor_seen_is_not_illegal() -> None:
    hidden = Finding("not_shown", True, "Hidden.", 0.5)
    assert verdict(*WAY, *END, *[-GOAL] * 16, task=with_findings(Outcome(), hidden)).failure_mode == "not_shown"


# -- legal progress ----------------------------------------------------------------------------------------------


def test_legal_progress_is_that_before_the_first_violation() -> None:
    steady = [0.0, *[0.5] * 3, *[1.0] * 12, *[4.0] * 16]
    score = verdict(*steady, task=Process())
    assert [finding.name for finding in score.findings] == ["jump"]
    assert (score.legal_progress, score.outcome) == (0.25, 1.0)
    back = [0.0, *[0.5] * 3, *[1.0] * 12, 0.5, *[4.0] * 16]
    assert verdict(*back, task=Process()).legal_progress == 0.125, "the last reading before it, where that is less"
    assert verdict(*steady, task=Outcome()).legal_progress == 1.0, "only the final state matters"
    assert verdict(*[1.0] * 2, *[4.0] * 16, task=Outcome()).legal_progress == 0.0, "but not from another start"


def test_legal_progress_is_what_the_half_second_before_shows() -> None:
    score = verdict(*[0.5] * 5, *[1.0] * 4, *[4.0] * 16, task=Process())
    assert score.legal_progress == 0.25, "four of eight readings, the later ones"


def test_only_jumps_are_left_out_where_the_task_reports_something() -> None:
    own = Finding("teleport", True, "It teleports.", 3 / 16)
    hidden = [*[0.0] * 4, *[None] * 8, *[3.0] * 16]
    found = [finding.name for finding in verdict(*hidden, task=with_findings(Process(), own)).findings]
    assert found == ["teleport", "not_shown"]


def test_a_jump_that_the_task_reports_itself_is_left_out() -> None:
    jump = [0.0, *[0.5] * 3, *[4.0] * 16]
    own = Finding("teleport", True, "It teleports.", 4 / 16)
    assert [f.name for f in verdict(*jump, task=with_findings(Process(), own)).findings] == ["teleport"]
    note = Finding("teleport", False, "It teleports.", 4 / 16)
    assert [f.name for f in verdict(*jump, task=with_findings(Process(), note)).findings] == ["teleport", "jump"]


def test_when_an_answer_was_first_seen() -> None:
    score = verdict(*WAY, *[GOAL] * 2, *[2.0] * 16)
    assert (score.ever_solved, score.solved_at_s, score.failure_mode) == (True, 4 / 16, "incorrect_termination")
    assert not verdict(*WAY, GOAL, *[2.0] * 16).ever_solved
    assert verdict(*WAY, *END).held_s == 15 / 16


def test_a_video_that_cannot_be_read_has_zero_everywhere() -> None:
    score = verdict(None, None)
    assert (score.value, score.solved, score.passed, score.outcome, score.process) == (1, False, False, 0.0, 0.0)
    assert (score.legal_progress, score.ever_solved) == (0.0, False)
    assert score.explanation == "no frame could be read as this puzzle"
