"""Numbers in cells are read in any typeface, and only where there is nothing but a number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import matplotlib
import numpy as np
import pytest
from matplotlib.ft2font import FT2Font, LoadFlags

from vmevalkit import score_frames
from vmevalkit.core.records import Question
from vmevalkit.media.image import Frame
from vmevalkit.reward import RewardFunction
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.kit.glyphs import read_number
from vmevalkit.tasks.puzzle_loading import load_puzzle

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
TYPEFACES = ("DejaVuSerif-Bold", "DejaVuSans", "STIXGeneralBol", "cmr10")


def draw_number(text: str, typeface: str, px: float = 66) -> np.ndarray:
    font: Any = FT2Font(str(FONTS / f"{typeface}.ttf"))
    font.set_size(px, 72.0)
    font.set_text(text, 0.0, flags=LoadFlags.NO_HINTING)
    font.draw_glyphs_to_bitmap(antialiased=True)
    return np.asarray(font.get_image())


def write_answer(question: Question, typeface: str, change: dict[str, str] | None = None) -> list[Frame]:
    """Return a video in which the answer appears in another typeface."""
    task: Any = TASKS[question.domain]
    puzzle = load_puzzle(task, question.metadata["puzzle"], question.id)
    start, answer = task.stage(puzzle).start, {**task.answers(puzzle)[0], **(change or {})}
    frames = []
    for share in (*np.linspace(0, 1, 24), *[1.0] * 16):
        frame = task.draw(puzzle, start).astype(np.float32)
        for name, number in answer.items():
            part, ink = start.get(name), draw_number(number, typeface)
            left, top = int(part.x - ink.shape[1] / 2), int(part.y - ink.shape[0] / 2)
            place = frame[top : top + ink.shape[0], left : left + ink.shape[1]]
            place *= 1 - share * ink[..., None] / 255
        frames.append(frame.round().astype(np.uint8))
    return frames


@pytest.mark.parametrize("typeface", TYPEFACES)
@pytest.mark.parametrize("task", ["magic_square", "count_shapes"])
def test_an_answer_in_another_typeface_passes_and_a_wrong_one_does_not(task: str, typeface: str) -> None:
    [question] = RewardFunction(tasks=[task], n=1, seed=9, difficulty="medium").questions.values()
    right = score_frames(question, write_answer(question, typeface), 24)
    assert right.passed, right.explanation
    name, number = next(
        iter(TASKS[task].answers(load_puzzle(TASKS[task], question.metadata["puzzle"], question.id))[0].items())
    )
    wrong = score_frames(question, write_answer(question, typeface, {name: str(int(number) % 9 + 1)}), 24)
    assert not wrong.passed and wrong.value is not None


@pytest.mark.parametrize("number", ["1", "4", "8", "10", "17", "20", "35"])
@pytest.mark.parametrize("typeface", TYPEFACES)
def test_numbers_are_read_digit_by_digit(number: str, typeface: str) -> None:
    ink = cv2.copyMakeBorder(draw_number(number, typeface, 34), 12, 12, 12, 12, cv2.BORDER_CONSTANT, value=0)
    assert read_number(np.ascontiguousarray(ink))[0] == number


def test_what_is_not_a_number_alone_is_not_read() -> None:
    ink = cv2.copyMakeBorder(draw_number("4", "DejaVuSans", 34), 12, 12, 12, 12, cv2.BORDER_CONSTANT, value=0)
    eight = draw_number("8", "DejaVuSans", 34)
    other = np.zeros_like(ink)
    other[12 : 12 + eight.shape[0], 12 : 12 + eight.shape[1]] = eight[:, : ink.shape[1] - 12]
    assert read_number(np.maximum(ink, (0.4 * other).astype(np.uint8)))[0] == "", "two digits through each other"
    assert read_number(np.ascontiguousarray(ink[:, : ink.shape[1] // 2]))[0] == "", "half of a digit, cut off"
    cross = np.zeros((60, 60), np.uint8)
    cv2.line(cross, (12, 12), (46, 46), 255, 4)
    cv2.line(cross, (46, 12), (12, 46), 255, 4)
    assert read_number(cross)[0] == ""
