"""Every limit of the motion, from both sides, on hand-made traces at 24 frames a second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from vmevalkit.media.residual import Blob
from vmevalkit.tasks.evidence import (
    AROUND_S,
    MAX_UNSEEN_SHARE,
    REST_STEPS,
    MotionLimits,
    Move,
    PartReading,
    check_motion,
    check_part_motion,
    find_first_start,
    find_jumps,
    find_spans,
    find_unseen_moves,
    is_long_enough,
    list_moves,
    measure_moving_s,
    measure_unseen_share,
)
from vmevalkit.tasks.task import AnyTask, FrameReading

LIMITS = MotionLimits(free_steps=1.25, max_steps=2.6, what="the dot", unit="cells")
FPS = 24
REST = [0.0] * 24


def play(steps: Sequence[float]) -> list[PartReading]:
    """Return the readings of a part that makes these steps, one from each frame to the next."""
    places = [sum(steps[:index]) for index in range(len(steps) + 1)]
    return [PartReading(index / FPS, place) for index, place in enumerate(places)]


def hide(readings: list[PartReading], first: int, count: int, is_covered: bool = False) -> list[PartReading]:
    """Return the readings without the positions of some frames."""
    hidden = range(first, first + count)
    return [
        PartReading(each.seconds, None, is_covered) if index in hidden else each for index, each in enumerate(readings)
    ]


def hop(steps: float, unseen: int, is_covered: bool = False) -> list[PartReading]:
    """Return the readings of a part that rests, hops while some frames do not show it, and rests."""
    return hide(play([*REST, *[0.0] * unseen, steps, *REST]), 25, unseen, is_covered)


def measure(one: float, other: float) -> float:
    return abs(one - other)


def names(readings: list[PartReading], limits: MotionLimits = LIMITS) -> list[str]:
    return [finding.name for finding in check_part_motion(readings, measure, limits)]


@pytest.mark.parametrize(
    ("readings", "span_s", "wanted"),
    [(3, 0.0, True), (2, 0.2, True), (2, 0.19, False), (2, 0.0, False), (1, 5.0, False)],
)
def test_a_change_counts_after_three_readings_or_a_fifth_of_a_second(
    readings: int, span_s: float, wanted: bool
) -> None:
    assert is_long_enough(readings, span_s) == wanted


def test_a_span_begins_with_its_first_reading() -> None:
    readings = [(0.0, 1), (0.1, 0), (0.2, 1), (0.3, 0), (0.4, 1), (0.5, 1), (0.6, 1), (0.7, 0)]
    assert [(span.start_s, span.end_s, span.reaches_end) for span in find_spans(readings, bool)] == [(0.4, 0.6, False)]
    assert find_first_start(readings, bool) == 0.4
    assert find_first_start(readings[:4], bool) is None
    both = [*readings, (0.8, 1), (0.9, 1), (1.0, 1)]
    assert find_first_start(both, bool) == 0.4, "the first span counts, not the last"


@pytest.mark.parametrize("flags", [[1, 1, 0], [0, 0, 0, 1, 1, 0], [1, 0, 1, 1, 0], [0, 1, 1]])
def test_two_readings_within_a_moment_are_no_span(flags: list[int]) -> None:
    assert find_spans([(index / 10, flag) for index, flag in enumerate(flags)], bool) == []


def test_a_span_counts_its_own_readings_alone() -> None:
    assert find_spans([(5.0, 1), (5.1, 1), (5.2, 0)], bool) == []


@pytest.mark.parametrize(("step", "found"), [(1.25, []), (1.3, ["jump"])])
def test_a_free_step_may_come_out_of_rest(step: float, found: list[str]) -> None:
    assert names(play([*REST, step, *REST])) == found


@pytest.mark.parametrize(("step", "found"), [(2.5, []), (2.625, ["jump"])])
def test_no_motion_explains_more_than_the_longest_step(step: float, found: list[str]) -> None:
    limits = MotionLimits(free_steps=1.25, max_steps=2.5, what="the dot", unit="cells")
    assert names(play([*REST, *[1.25] * 24, step, *[1.25] * 24]), limits) == found


@pytest.mark.parametrize(("step", "found"), [(1.7, []), (1.9, ["jump"])])
def test_a_step_is_at_most_three_times_the_steady_motion(step: float, found: list[str]) -> None:
    assert names(play([*[0.6] * 24, step, *[0.6] * 24])) == found


@pytest.mark.parametrize(("step", "found"), [(1.65, []), (1.75, ["jump"])])
def test_a_step_is_at_most_1_42_times_the_free_one_beside_it(step: float, found: list[str]) -> None:
    assert names(play([*REST, 1.2, step, *REST])) == found
    assert names(play([*REST, step, 1.2, *REST])) == found
    assert names(play([*REST, 1.2, 0.0, step, *REST])) == ["jump"], "it is not beside it"


def test_a_step_is_beside_another_at_the_start_of_a_video_and_with_the_longest_free_length() -> None:
    assert names(play([1.25, 1.7, *REST])) == []
    assert names(play([*REST, 1.7, 0.0, 1.2, *REST])) == ["jump"], "it is not beside it"


def test_a_step_that_was_not_seen_justifies_none() -> None:
    hidden = hide(play([*REST, 0.6, 0.6, 1.6, *REST]), 25, 1)
    assert [move.steps for move in find_jumps(list_moves(hidden, measure), LIMITS)] == pytest.approx([1.6])
    far = hide(play([*REST, 10.0, 10.0, 0.0, 2.0, *REST]), 25, 1)
    assert names(far) == ["not_shown", "jump"], "motion that was not seen is no steady motion"


def test_motion_that_ends_where_the_time_around_a_step_begins_is_not_around_it() -> None:
    step = Move(AROUND_S, 2 * AROUND_S, 2.0, is_seen=True)
    before, after = Move(-AROUND_S, 0.0, 20.0, is_seen=True), Move(3 * AROUND_S, 4 * AROUND_S, 20.0, is_seen=True)
    assert step in find_jumps([before, step], LIMITS)
    assert step in find_jumps([step, after], LIMITS)


def test_the_noise_of_readings_ends_no_hold() -> None:
    moves = [Move(0.0, 0.1, 1.2, True), Move(0.1, 0.2, REST_STEPS, True), Move(0.2, 0.3, 2.0, True)]
    assert find_jumps(moves, LIMITS) == []


def test_a_step_that_is_too_long_itself_justifies_none() -> None:
    assert names(play([*REST, 1.5, 1.6, *REST])) == ["jump"]


@pytest.mark.parametrize(("rest", "found"), [(4, []), (10, ["jump"])])
def test_the_motion_within_two_fifths_of_a_second_is_around_a_step(rest: int, found: list[str]) -> None:
    assert names(play([*[1.2] * 24, 2.45, *[0.0] * rest, *[1.2] * 24])) == found


def test_a_motion_further_away_is_not_around_a_step() -> None:
    assert names(play([*[1.2] * 24, *[0.0] * 11, 1.3, *REST])) == ["jump"]


@pytest.mark.parametrize(("step", "found"), [(1.3, []), (2.0, ["jump"])])
def test_a_repeated_frame_gives_a_step_at_most_a_seventh_of_a_second_more(step: float, found: list[str]) -> None:
    assert names(play([*[0.6] * 24, *[0.0] * 6, step, *REST])) == found


def test_the_largest_jump_is_reported_with_the_time_of_the_first() -> None:
    readings = play([*REST, 3.0, *REST, 5.0, *REST, 4.0, *REST])
    [finding] = check_part_motion(readings, measure, LIMITS)
    assert finding.detail == "The dot jumps 5.0 cells from one frame to the next, and 2 more times."
    assert finding.gating and finding.seconds == pytest.approx(25 / FPS)
    cells = MotionLimits(free_steps=1.25, max_steps=2.6, what="the dot", unit="cells")
    [single] = check_part_motion(play([*REST, 3.0, *REST]), measure, cells)
    assert single.detail == "The dot jumps 3.0 cells from one frame to the next."
    degrees = MotionLimits(0.5, 0.7, "a hand", "degrees", scale=30)
    [turned] = check_part_motion(play([*REST, 1.5, *REST]), measure, degrees)
    assert turned.detail == "A hand jumps 45 degrees from one frame to the next."


# -- what was not seen -------------------------------------------------------------------------------------------


def unseen(readings: list[PartReading]) -> int:
    """Return how many moves were not seen and are not excused."""
    return len(find_unseen_moves(list_moves(readings, measure), 1 / FPS))


@pytest.mark.parametrize(
    ("steps", "frames", "count"), [(0.9, 5, 0), (0.9, 6, 0), (0.9, 7, 1), (1.0, 4, 0), (1.2, 4, 1)]
)
def test_one_step_may_be_missed_for_a_quarter_of_a_second(steps: float, frames: int, count: int) -> None:
    assert unseen(hop(steps, frames)) == count


@pytest.mark.parametrize(("steps", "count"), [(0.19, 0), (0.25, 1)])
def test_less_than_a_fifth_of_a_step_is_the_noise_of_readings(steps: float, count: int) -> None:
    assert unseen(hop(steps, 24)) == count


@pytest.mark.parametrize(("per_frame", "count"), [(0.8, 0), (0.96, 1)])
def test_a_motion_may_be_half_as_fast_again_where_it_was_not_seen(per_frame: float, count: int) -> None:
    around = [0.6] * 24
    assert unseen(hide(play([*around, *[per_frame] * 5, *around]), 25, 4)) == count


@pytest.mark.parametrize(
    ("steps", "frames", "count"),
    [(1.9, 35, 0), (1.9, 38, 1), (2.1, 35, 1), (0.9, 71, 0), (0.9, 74, 1), (1.1, 71, 1), (1.9, 36, 0), (0.9, 72, 0)],
)
def test_a_cover_excuses_two_steps_in_a_second_and_a_half_or_one_in_three(
    steps: float, frames: int, count: int
) -> None:
    assert unseen(hop(steps, frames, is_covered=True)) == count


def test_a_cover_excuses_only_where_it_was_in_all_frames() -> None:
    covered = hop(1.9, 20, is_covered=True)
    for place in (25, 44):
        partly = [*covered]
        partly[place] = PartReading(covered[place].seconds, None)
        assert unseen(partly) == 1
    assert unseen(covered) == 0


@pytest.mark.parametrize(("hidden", "found"), [(2, []), (3, ["not_shown"])])
def test_a_fifth_of_the_moving_time_may_be_unseen(hidden: int, found: list[str]) -> None:
    """In each twelve frames of the motion, so many are not seen."""
    readings = play([*REST, *[0.1] * 120, *REST])
    for begin in range(30, 140, 12):
        readings = hide(readings, begin, hidden)
    assert names(readings) == found


def test_exactly_a_fifth_of_the_moving_time_may_be_unseen() -> None:
    def read(hidden: int) -> list[PartReading]:
        readings = play([*[0.0] * 16, *[0.125] * 10, *[0.0] * 16])
        sixteenths = [PartReading(place / 16, each.position) for place, each in enumerate(readings)]
        return hide(sixteenths, 18, hidden)

    assert measure_moving_s(read(2), measure) * MAX_UNSEEN_SHARE == 2 / 16
    assert names(read(2)) == []
    [finding] = check_part_motion(read(3), measure, LIMITS)
    assert finding.gating and "30% of its motion" in finding.detail


@pytest.mark.parametrize(("off", "found"), [(0.15, []), (0.25, ["not_shown"])])
def test_a_part_may_be_read_a_little_off_after_the_camera_looked_away(off: float, found: list[str]) -> None:
    readings = hide(play([*REST, *[0.0] * 5, off, *[0.5] * 12, *REST]), 25, 5)
    assert names(readings) == found


def test_the_noise_of_readings_is_no_unseen_move() -> None:
    assert find_unseen_moves([Move(0.0, 2.0, 2 * REST_STEPS, is_seen=False)], 0.1) == []


def test_the_unseen_share_is_that_of_changes_that_were_hidden() -> None:
    assert measure_unseen_share([Move(0.0, 1.0, 2 * REST_STEPS, is_seen=False)], 0.1, 2.0) == 0.0
    assert measure_unseen_share([Move(0.0, 1.0, 1.0, is_seen=True)], 0.1, 2.0) == 0.0
    assert measure_unseen_share([Move(0.0, 1.0, 1.0, is_seen=False)], 0.1, 0.9) == 1.0
    assert measure_unseen_share([Move(0.0, 1.0, 1.0, is_seen=False)], 0.1, 0.0) == 0.0
    assert not Move(0.0, 1.0, 1.0, is_seen=False).is_covered, "unless something was seen there"


def test_the_moving_time_leaves_out_the_noise_of_readings() -> None:
    def read(*places: float) -> float:
        return measure_moving_s([PartReading(float(at), place) for at, place in enumerate(places)], measure)

    assert read(0.0, REST_STEPS) == 0.0
    assert read(-1.0, REST_STEPS, 0.0) == 1.0
    assert read(0.0, 0.0, 0.0, 1.0, 1.0) == 1.0


@pytest.mark.parametrize(("frames", "text"), [(6, "during 86% of its motion"), (7, "and then was 1.0 cells further")])
def test_frames_are_as_long_in_a_video_that_begins_late(frames: int, text: str) -> None:
    late = [PartReading(10 + each.seconds, each.position) for each in hop(1.0, frames)]
    [finding] = check_part_motion(late, measure, LIMITS)
    assert text in finding.detail


def test_covered_time_is_not_unseen_time() -> None:
    readings = play([*REST, *[0.1] * 48, *REST])
    assert names(hide(readings, 30, 15, is_covered=True)) == []


def test_what_was_hidden_is_reported_with_the_largest_move() -> None:
    readings = hide(hide(play([*REST, *[0.5] * 96, *REST]), 30, 12), 60, 16)
    [finding] = check_part_motion(readings, measure, LIMITS)
    assert finding.detail == "The dot was not visible from 2.46 s to 3.17 s and then was 8.5 cells further."
    assert finding.gating and finding.seconds == pytest.approx(29 / FPS), "the first move, not the largest"


@pytest.mark.parametrize(
    ("steps", "seconds"),
    [
        ([0.0] * 48, 0.0),
        ([*REST, *[1.0] * 12, *REST], 0.5),
        ([*REST, *[0.03] * 100, *REST], 94 / FPS),  # from the fourth small step to the fourth before the last
        ([1.0], 1 / FPS),
    ],
)
def test_the_moving_time_is_from_the_departure_to_the_arrival(steps: list[float], seconds: float) -> None:
    assert measure_moving_s(play(steps), measure) == pytest.approx(seconds)


def test_a_part_that_was_never_seen_does_not_move() -> None:
    assert measure_moving_s([PartReading(0.0, None)], measure) == 0.0
    assert names([PartReading(0.0, 0.0)]) == [] == names([])


# -- all parts of a video ----------------------------------------------------------------------------------------


class Scene:
    """Of a task only what ``check_motion`` asks for. A state is the places of its parts."""

    motion: MotionLimits | None = LIMITS

    def solution(self, puzzle: object, t: float) -> dict[str, float]:
        return {"a": 0.0, "b": 0.0}

    def moving_parts(self, puzzle: object, state: dict[str, float]) -> dict[str, float]:
        return state

    def part_boxes(self, puzzle: object, state: dict[str, float]) -> dict[str, Any]:
        return {"a": (0.0, 0.0, 0.2, 0.2)}

    def count_steps(self, puzzle: object, part: object, before: float, after: float) -> float:
        return abs(before - after)


def check(states: Sequence[dict[str, float] | None], blob: Blob | None = None, task: Scene | None = None) -> list[str]:
    trace = [
        FrameReading(index / FPS, state, None if index % 2 else (blob,) if blob and 12 <= index < 24 else ())
        for index, state in enumerate(states)
    ]
    return [f"{each.name} {each.seconds:.2f}" for each in check_motion(cast(AnyTask, task or Scene()), None, trace)]


def test_the_motion_of_each_part_is_checked() -> None:
    still = [{"a": 0.0, "b": 0.0}] * 24
    assert check([*still, *[{"a": 0.0, "b": 5.0}] * 24]) == ["jump 1.00"]
    assert check([*still, *[{"a": 9.0, "b": 0.0}] * 4, *[{"a": 9.0, "b": 5.0}] * 24]) == ["jump 1.00"]
    assert check([*still, *[None] * 12, *[{"a": 0.0, "b": 3.0}] * 24]) == ["not_shown 0.96"]
    assert check([*still, *[{"a": 0.0}] * 12, *[{"a": 0.0, "b": 3.0}] * 24]) == ["not_shown 0.96"]


def test_a_video_that_begins_elsewhere_jumps_to_its_first_frame() -> None:
    assert check([{"a": 0.0, "b": 5.0}] * 24) == ["jump 0.00"]
    assert check([{"a": 0.0, "b": 5.0}]) == ["jump 0.00"]


@pytest.mark.parametrize("frames", [2, 24])
def test_the_first_frame_was_shown_one_frame_before_the_video(frames: int) -> None:
    states = [None, *[{"a": 0.0, "b": 3.0}] * (frames - 1)]
    trace = [FrameReading(2 + index / 8, state) for index, state in enumerate(states)]
    [finding] = check_motion(cast(AnyTask, Scene()), None, trace)
    assert (finding.name, finding.seconds) == ("not_shown", 2 - 1 / 8)


def test_nothing_is_checked_where_only_the_final_state_matters() -> None:
    class Outcome(Scene):
        motion = None

    assert check([{"a": 0.0, "b": 5.0}] * 24, task=Outcome()) == []


def test_a_part_under_something_else_was_not_seen() -> None:
    """It is covered from one comparison to the next, also in the frames between that were not compared."""
    way = [{"a": 1.8 * (index > 17), "b": 0.0} for index in range(48)]
    hand = Blob(0.1, 0.1, 0.5, 0.5, 0.16, at_edge=False)
    assert check(way) == ["jump 0.75"]
    assert check(way, hand) == []
    assert check(way, replace(hand, is_light=True)) == ["jump 0.75"], "a shadow hides nothing"
    assert check(way, replace(hand, left=0.3)) == ["jump 0.75"], "it is beside the part"
