"""Fades and cards, told from frames that hide what the video shows."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from vmevalkit.core.records import Score
from vmevalkit.eval.pipeline import score_timed_frames
from vmevalkit.eval.title_cards import CardDetector, find_fades
from vmevalkit.media.image import Frame
from vmevalkit.media.video import TimedFrame
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan

FPS = 12


def score_with_end(name: str, change: Callable[[Frame, int], Frame], frames: int) -> Score:
    """Return the score of a solved video after which so many frames show the changed end; the change gets a number."""
    task = TASKS[name]
    [puzzle] = plan(task, 1, 4, task.preset())
    shown = [task.draw(puzzle, task.solution(puzzle, min(1.0, index / 30))) for index in range(36)]
    shown += [change(shown[-1].copy(), number) for number in range(frames)]
    return score_timed_frames(task, puzzle, [TimedFrame(index / FPS, frame) for index, frame in enumerate(shown)])


def fade_to(level: int) -> Callable[[Frame, int], Frame]:
    return lambda frame, number: cv2.addWeighted(
        frame, max(0.0, 0.75 - 0.25 * number), np.full_like(frame, level), min(1.0, 0.25 + 0.25 * number), 0
    )


def show_card(frame: Frame, _: int) -> Frame:
    card = np.full_like(frame, 24)
    cv2.putText(card, "THE END", (frame.shape[1] // 4, frame.shape[0] // 2), 0, 1.6, (230, 220, 90), 4)
    return card


def blur(frame: Frame, _: int) -> Frame:
    return np.asarray(cv2.GaussianBlur(frame, (0, 0), 0.15 * frame.shape[0]), np.uint8)


def show_blocks(frame: Frame, _: int) -> Frame:
    small = cv2.resize(frame, (5, 5), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, frame.shape[1::-1], interpolation=cv2.INTER_NEAREST), np.uint8)


def show_noise(frame: Frame, number: int) -> Frame:
    return np.random.default_rng(number).integers(0, 256, frame.shape, np.uint8)


def slide_out(frame: Frame, number: int) -> Frame:
    moved = np.full_like(frame, 30)
    left = min(frame.shape[1], frame.shape[1] * (number + 1) // 4)
    moved[:, left:] = frame[:, : frame.shape[1] - left]
    return moved


def wipe_middle(frame: Frame) -> Frame:
    height, width = frame.shape[:2]
    frame[height // 3 : height * 2 // 3, width // 3 : width * 2 // 3] = 255
    return frame


@pytest.mark.parametrize("name", ["chess", "object_subtraction", "raven"])
@pytest.mark.parametrize("end", [fade_to(0), fade_to(255), show_card], ids=["black", "white", "card"])
def test_a_fade_or_a_still_card_ends_a_video(name: str, end: Callable[[Frame, int], Frame]) -> None:
    assert score_with_end(name, end, 9).passed


@pytest.mark.parametrize("name", ["chess", "sudoku"])
@pytest.mark.parametrize("end", [blur, show_blocks, show_noise, slide_out], ids=["blur", "blocks", "noise", "slide"])
def test_what_hides_the_end_is_no_card(name: str, end: Callable[[Frame, int], Frame]) -> None:
    assert not score_with_end(name, end, 9).passed


@pytest.mark.parametrize("seed", range(6))
def test_a_part_that_is_wiped_off_is_no_fade(seed: int) -> None:
    """The picture loses contrast with it, and the rest is as it was."""
    task = TASKS["maze"]
    [puzzle] = plan(task, 1, seed, task.preset("easy"))
    final = task.draw(puzzle, task.solution(puzzle, 1.0))
    cards = CardDetector([final])
    cards.remember(final)
    assert not any(cards.is_card(wipe_middle(final.copy())) for _ in range(3))


def test_a_card_longer_than_a_second_hides_the_end() -> None:
    assert not score_with_end("chess", show_card, 16).passed


def test_a_dimmed_scene_is_read_on() -> None:
    detector = CardDetector()
    scene = np.random.default_rng(0).integers(0, 256, (12, 16, 3), np.uint8).repeat(20, axis=0).repeat(20, axis=1)
    detector.remember(scene)
    assert detector.measure_strength((scene * 0.6).astype(np.uint8)) == pytest.approx(0.6, abs=0.02)
    assert detector.measure_strength(scene[::-1].copy()) == 1.0


def test_only_a_run_that_becomes_pale_is_a_fade() -> None:
    assert find_fades([1.0, 0.8, 0.6, 1.0, 0.9, 0.5, 0.2, 0.0, 0.7, 1.0, 0.3]) == [range(4, 9), range(10, 11)]
    assert find_fades([]) == []


def test_a_scene_that_rests_is_no_part_of_a_fade() -> None:
    """It may have less contrast than an earlier one, from which something was removed."""
    rest = [0.96] * 10
    assert find_fades([1.0, *rest, 0.7, 0.4, 0.0]) == [range(10, 14)]
    assert find_fades([0.0, 0.3, 0.7, *rest, 1.0]) == [range(4)]
    assert find_fades([*rest, 0.0, *rest]) == [range(9, 12)]
    repeated = [strength for strength in (1.0, 0.9, 0.7, 0.5, 0.3, 0.0) for _ in range(3)]
    assert find_fades(repeated) == [range(5, 18)]
