"""Trick videos of a tiny task: what they show when."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from dot_task import TASK, DotTask, where
from vmevalkit.baselines.tricks import TRICKS, build_task_tricks
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.image import Frame

PUZZLE = TASK.sample(rng_for("tricks"), TASK.preset())


def frames(name: str, seconds: float = 3.0, fps: float = 12.0, task: DotTask = TASK) -> list[Frame]:
    stream = TRICKS[name].render(task, PUZZLE, rng_for(name), seconds, fps)
    shown = list(stream.frames)
    assert len(shown) == stream.count
    return shown


def track(name: str) -> list[float]:
    return [x for frame in frames(name) if (x := where(frame)) is not None]


def test_the_names_of_the_generic_tricks_do_not_change() -> None:
    assert list(TRICKS) == [
        "oracle", "slower", "faster", "eased", "paused", "fps8", "static", "cut_to_final", "crossfade", "noise",
        "reversed", "halfway", "solved_then_destroyed",
    ]  # fmt: skip


@pytest.mark.parametrize("name", sorted(set(TRICKS) - {"noise", "reversed"}))
def test_videos_start_with_the_first_frame_and_hold_their_end(name: str) -> None:
    shown = frames(name)
    assert np.array_equal(shown[0], TASK.first_frame(PUZZLE))
    tail = round(0.5 * TRICKS[name].render(TASK, PUZZLE, rng_for(0), 3.0, 12.0).fps)
    assert all(np.array_equal(frame, shown[-1]) for frame in shown[-tail:])


@pytest.mark.parametrize("name", ["oracle", "slower", "faster", "eased", "paused", "fps8", "cut_to_final", "crossfade"])
def test_these_tricks_end_with_the_final_frame(name: str) -> None:
    assert np.array_equal(frames(name)[-1], TASK.final_frame(PUZZLE))


def test_length_and_frame_rate() -> None:
    plain = TRICKS["oracle"].render(TASK, PUZZLE, rng_for(0), 3.0, 12.0)
    assert (plain.count, plain.seconds) == (36, 3.0)
    assert TRICKS["slower"].render(TASK, PUZZLE, rng_for(0), 3.0, 12.0).seconds > 4
    assert TRICKS["faster"].render(TASK, PUZZLE, rng_for(0), 3.0, 12.0).seconds < 2.3
    eight = TRICKS["fps8"].render(TASK, PUZZLE, rng_for(0), 3.0, 12.0)
    assert (eight.fps, eight.count) == (8.0, 24)


def test_easing_is_slow_at_both_ends() -> None:
    steady, eased = track("oracle"), track("eased")
    assert eased[6] < steady[6]
    assert eased[24] > steady[24]


def test_a_pause_stops_the_motion_on_the_way() -> None:
    shown = frames("paused")
    still = [where(now) for was, now in pairwise(shown) if now is was]
    on_the_way = [x for x in still if x is not None and 0.15 < x < 0.85]
    assert len(on_the_way) >= 5


def test_a_cut_shows_exactly_two_images() -> None:
    assert len({frame.tobytes() for frame in frames("cut_to_final")}) == 2


def test_a_crossfade_changes_only_what_differs() -> None:
    first, final = TASK.first_frame(PUZZLE).astype(int), TASK.final_frame(PUZZLE).astype(int)
    mean_difference = np.abs(first - final).sum(axis=2) > 0
    for frame in frames("crossfade"):
        assert np.array_equal(frame[~mean_difference], first[~mean_difference])


def test_reversed_ends_where_the_question_starts() -> None:
    shown = frames("reversed")
    assert np.array_equal(shown[0], TASK.final_frame(PUZZLE))
    assert np.array_equal(shown[-1], TASK.first_frame(PUZZLE))


def test_halfway_and_destroyed_end_unsolved() -> None:
    assert track("halfway")[-1] == pytest.approx(0.5, abs=0.05)
    destroyed = track("solved_then_destroyed")
    assert max(destroyed) > 0.95
    assert destroyed[-1] < 0.4


def test_noise_does_not_show_the_final_frame() -> None:
    final = TASK.final_frame(PUZZLE).astype(int)
    for seed in range(6):
        *_, last = TRICKS["noise"].render(TASK, PUZZLE, rng_for(seed), 2.0, 8.0).frames
        assert np.abs(last.astype(int) - final).mean() > 40


def test_an_unchanged_state_is_drawn_once() -> None:
    drawn: Counter[float] = Counter()

    class Counting(DotTask):
        def draw(self, puzzle: object, state: float) -> Frame:  # type: ignore[override]
            drawn[state] += 1
            return super().draw(puzzle, state)  # type: ignore[arg-type]

    frames("paused", seconds=6.0, fps=24.0, task=Counting())
    assert set(drawn.values()) == {1}
    assert len(drawn) < 110  # of 144 frames


@pytest.mark.parametrize("name", sorted(TRICKS))
def test_the_same_generator_gives_the_same_video(name: str) -> None:
    assert all(np.array_equal(a, b) for a, b in zip(frames(name), frames(name), strict=True))


@pytest.mark.parametrize("name", sorted(TRICKS))
def test_the_shortest_video_has_two_frames(name: str) -> None:
    assert len(frames(name, seconds=0.05)) == 2


def test_a_tasks_cheats_become_tricks() -> None:
    own = build_task_tricks(TASK, PUZZLE, rng_for(0))
    trick, expected = own["jumped"]
    assert expected == "fail"
    shown = [where(frame) for frame in trick.render(TASK, PUZZLE, rng_for(0), 3.0, 12.0).frames]
    assert shown[0] == pytest.approx(0, abs=0.05)
    assert shown[-1] == pytest.approx(1, abs=0.05)
