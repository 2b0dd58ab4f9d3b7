"""Digit recognition, on typefaces that it was not trained with and on the question's own."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from digit_samples import make_digit_sample

from vmevalkit.tasks.kit.digit_network import classify

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
HELD_OUT = (
    "DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf", "DejaVuSerif-Italic.ttf", "DejaVuSansMono.ttf",
    "DejaVuSansMono-Bold.ttf", "STIXGeneral.ttf", "STIXGeneralBol.ttf", "STIXGeneralItalic.ttf",
)  # fmt: skip
"""Typefaces that the network was not trained with."""


def measure_accuracy(source: Path | str, count: int) -> float:
    rng = np.random.default_rng(7)
    digits = [1 + i % 9 for i in range(count)]
    samples = [make_digit_sample(rng, source, digit, degradation=0.5) for digit in digits]
    return float((classify(np.array(samples)).argmax(axis=1) == digits).mean())


def test_digits_of_unseen_typefaces_are_recognised() -> None:
    rates = [measure_accuracy(FONTS / name, 180) for name in HELD_OUT]
    rates.append(measure_accuracy("hershey held out", 180))
    assert np.mean(rates) > 0.98 and min(rates) > 0.95


def test_digits_of_the_question_typeface_are_recognised() -> None:
    assert measure_accuracy(FONTS / "DejaVuSans-Bold.ttf", 900) > 0.998
