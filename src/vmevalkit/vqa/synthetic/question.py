"""The record of a synthetic question, and how its options become text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from vmevalkit.media.image import Frame
from vmevalkit.vqa.task_files.mmsi import LETTERS


@dataclass(frozen=True, slots=True)
class SyntheticQuestion:
    """One question about several images, with its answer."""

    category: str
    """The category of the task files, such as ``motion_cam``."""
    kind: str
    """What is asked, such as ``which_moved``. The certificate depends on it."""
    text: str
    """The question without its options."""
    options: tuple[str, ...]
    """Four options; their letters are A to D."""
    answer: str
    """The letter of the correct option."""
    images: tuple[Frame, ...]
    """Two images or more."""
    scene: dict[str, Any] = field(default_factory=dict)
    """What a certificate needs beside images, text and options: the sculpture, the cameras, the object in question."""

    @property
    def correct_option(self) -> str:
        return self.options[LETTERS.index(self.answer)]

    @property
    def full_text(self) -> str:
        """The question with its options, in the form of the dataset."""
        options = ", ".join(f"{letter}: {option}" for letter, option in zip(LETTERS, self.options, strict=True))
        return f"{self.text}\nOptions: {options}"


QuestionMaker = Callable[[Random, str, int], SyntheticQuestion]
"""Makes a question from a generator, the letter of its answer, and its number in its category. Raises Uncertified."""


def arrange_options(rng: Random, correct: str, others: Sequence[str], answer: str) -> tuple[str, ...]:
    """Return four options with the correct one at the letter ``answer``, and the others in random order."""
    rest = rng.sample([option for option in dict.fromkeys(others) if option != correct], len(LETTERS) - 1)
    place = LETTERS.index(answer)
    return (*rest[:place], correct, *rest[place:])


def choose_letters(rng: Random, n: int) -> list[str]:
    """Return ``n`` letters in random order, each equally often, or once more or less."""
    letters = [LETTERS[i % len(LETTERS)] for i in range(n - n % len(LETTERS))] + rng.sample(LETTERS, n % len(LETTERS))
    rng.shuffle(letters)
    return letters
