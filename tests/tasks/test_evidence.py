"""What a trace of readings proves, on hand-made traces."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from vmevalkit.tasks.evidence import MotionLimits, PartReading, check_part_motion, find_spans

LIMITS = MotionLimits(free_steps=1.25, max_steps=2.6, what="the dot", unit="cells")
FPS = 24


def track(position: Callable[[float], float | None], seconds: float = 3.0, fps: float = FPS) -> list[PartReading]:
    """Return a track along a line, with a position for each time from 0 to 1."""
    count = round(seconds * fps)
    return [PartReading(index / fps, position(index / (count - 1))) for index in range(count)]


def names(readings: list[PartReading]) -> list[str]:
    return [finding.name for finding in check_part_motion(readings, lambda a, b: abs(a - b), LIMITS)]


@pytest.mark.parametrize("fps", [8, 12, 24, 30])
@pytest.mark.parametrize("length", [2, 8, 20])
def test_a_steady_motion_is_shown(fps: float, length: float) -> None:
    assert names(track(lambda t: length * t, fps=fps)) == []


def test_repeated_frames_are_one_motion() -> None:
    frames = [PartReading(index / 24, 10 * (index // 3 * 3) / 72) for index in range(72)]
    assert names(frames) == []


def test_a_pause_and_a_start_are_no_jumps() -> None:
    assert names(track(lambda t: 0.0 if t < 0.4 else 10 * (t - 0.4) / 0.6)) == []


def test_a_short_fast_motion_around_corners_is_no_jump() -> None:
    """At 1.36 cells in a frame, steps across a corner are 1.0 to 1.1."""
    steps = [0.0] * 6 + [1.29, 1.07, 1.0, 1.35, 0.45] + [0.0] * 8
    assert names([PartReading(index / FPS, sum(steps[:index])) for index in range(len(steps) + 1)]) == []


def test_a_move_in_the_dark_is_not_shown() -> None:
    [finding] = check_part_motion(
        track(lambda t: 3 * t if t < 0.3 else None if t < 0.5 else 10.0), lambda a, b: abs(a - b), LIMITS
    )
    assert finding.name == "not_shown" and finding.gating
    assert "The dot was not visible from 0.8" in finding.detail and "cells further" in finding.detail


def test_a_moment_in_the_dark_is_excused() -> None:
    assert names(track(lambda t: None if 0.5 < t < 0.55 else 8 * t)) == []


def test_a_rest_in_the_dark_is_excused() -> None:
    assert names(track(lambda t: 5 * min(t, 0.4) / 0.4 if t < 0.4 or t > 0.7 else None)) == []


def test_much_unseen_motion_is_not_shown() -> None:
    assert names(track(lambda t: 4 * t if int(t * 72) % 5 < 2 else None)) == ["not_shown"]


def test_a_slow_motion_counts_as_motion() -> None:
    """Each step is as small as the noise of readings: a moment that is not seen is not half of the motion."""
    assert names(track(lambda t: None if 0.5 < t < 0.57 else 2.4 * t)) == []
    assert names(track(lambda t: None if 0.3 < t < 0.6 else 1.2 * t)) == ["not_shown"]


def test_a_fast_motion_may_go_on_for_a_moment_in_the_dark() -> None:
    fast = lambda t: None if 0.5 < t < 0.56 else 48 * t  # noqa: E731
    assert names(track(fast)) == []
    assert names(track(lambda t: None if 0.5 < t < 0.56 else 24 * t + 8 * (t > 0.53))) == ["not_shown"]
    assert names(track(lambda t: None if 0.5 < t < 0.6 else 48 * t)) == ["not_shown"]


def test_a_cut_is_a_jump_at_any_speed() -> None:
    assert names(track(lambda t: 0.0 if t < 0.5 else 8.0)) == ["jump"]


def test_a_slide_show_is_no_steady_motion() -> None:
    assert names(track(lambda t: 1.5 * int(6 * t))) == ["jump"]


def test_a_wiggle_does_not_justify_a_hop() -> None:
    frames = [PartReading(i / 24, 0.3 * (i % 2) if i < 40 else 2.3 + 0.3 * (i % 2)) for i in range(80)]
    assert names(frames) == ["jump"]


def test_strobing_between_start_and_goal_is_a_jump() -> None:
    assert names([PartReading(i / 24, 8.0 * (i // 2 % 2)) for i in range(72)]) == ["jump"]


def test_a_move_behind_a_cover_may_take_longer() -> None:
    frames = track(lambda t: None if 0.4 < t < 0.6 else 6 * t)
    covered = [PartReading(each.seconds, each.position, each.position is None) for each in frames]
    assert names(frames) == ["not_shown"]
    assert names(covered) == []


@pytest.mark.parametrize(("length", "found"), [(1.8, []), (4.5, ["not_shown"])])
def test_a_slow_move_behind_a_cover_is_one_step(length: float, found: list[str]) -> None:
    frames = track(lambda t: None if 0.2 < t < 0.7 else length * t, seconds=5.0)
    assert names([PartReading(each.seconds, each.position, each.position is None) for each in frames]) == found


def test_spans_are_long_enough_and_know_the_end() -> None:
    readings = [(index / 10, value) for index, value in enumerate([0, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1])]
    spans = find_spans(readings, bool)
    assert [(span.start_s, span.end_s, span.reaches_end) for span in spans] == [(0.3, 0.5, False), (0.8, 1.0, True)]
    assert find_spans([], bool) == []
