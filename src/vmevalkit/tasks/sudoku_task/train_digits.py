"""Train the reading of digits, and measure it on typefaces that it has not seen.

    python -m vmevalkit.tasks.sudoku_task.train_digits FONT_FOLDER ...

Fonts are taken from these folders and from matplotlib; of Debian, for one, fonts-liberation2, -freefont-ttf, -croscore,
-roboto-unhinted, -open-sans, -noto-core, -lato and whatever else there is of handwriting. The same fonts give the same
weights. Nothing but training needs them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vmevalkit.tasks.sudoku_task.digit_samples import Dice, Source, digit_sample, no_digit_sample
from vmevalkit.tasks.sudoku_task.digits import FEATURES, Floats, features, forward, softmax

SEED = 1
SAMPLES = 130_000
EPOCHS = 15
LAYERS = (FEATURES, 256, 10)
BATCH = 256
RATE = 1.5e-3
NOTHING_SHARE = 0.12
PRINT = "DejaVuSans-Bold.ttf"
"""The question's own typeface."""
HELD_OUT = (
    "DejaVuSerif", "DejaVuSansMono", "STIX", "Lato", "Andika", "B612", "Caladea", "Vollkorn", "ComicNeue", "Kristi",
    "SteveHand", "Domestic_Manners", "Humor", "Roboto", "Quattrocento", "Cantarell", "Courier Prime", "GFS", "FreeMono",
)  # fmt: skip
"""How the names of the typefaces begin that the network never sees."""
LEFT_OUT = (
    "D050000L", "StandardSymbols", "Junkyard", "flatline", "Wargames", "El_Abogado", "Isabella", "Swift", "LastResort",
    "STIXSiz", "STIXNonUni", "cmex", "cmsy", "cmmi", "progenisis", "Balker", "DejaVuSansDisplay", "DejaVuSerifDisplay",
    "MarkedFool", "Winks", "It_wasn_t_me", "Lato-Hairline", "Delphine",
)  # fmt: skip
"""Symbols, and ornaments that people do not read at a glance."""


def fonts(folders: Sequence[Path]) -> list[Path]:
    import matplotlib

    places = [*folders, Path(matplotlib.get_data_path()) / "fonts" / "ttf"]
    files = {path.name: path for place in places for path in sorted(place.rglob("*.[ot]tf"))}
    return [files[name] for name in sorted(files) if not name.startswith(LEFT_OUT) and _latin(name)]


def _latin(name: str) -> bool:
    """Of the Noto family, one file a script, those for Latin script."""
    return not name.startswith("Noto") or name.startswith(("NotoSans-", "NotoSerif-", "NotoSansMono-", "NotoMono-"))


def samples(dice: Dice, sources: Sequence[Source], count: int) -> tuple[Floats, NDArray[np.int64]]:
    seen: list[Floats] = []
    classes: list[int] = []
    while len(classes) < count:
        if dice.random() < NOTHING_SHARE:
            digit, found = 0, no_digit_sample(dice, sources)
        else:
            digit = int(dice.integers(1, 10))
            found = digit_sample(dice, _source(dice, sources), digit)
        if found is not None:
            seen.append(features(found)[0])
            classes.append(digit)
    return np.array(seen), np.array(classes, np.int64)


def _source(dice: Dice, sources: Sequence[Source]) -> Source:
    """Pens in half of the cases, the question's own typeface in one of ten."""
    chance = dice.random()
    if chance < 0.5:
        return "hand"
    if chance < 0.55:
        return "hershey"
    if chance < 0.65:
        return next(source for source in sources if isinstance(source, Path) and source.name == PRINT)
    return sources[int(dice.integers(len(sources)))]


def train(dice: Dice, seen: Floats, classes: NDArray[np.int64]) -> list[tuple[Floats, Floats]]:
    """Adam on the cross entropy, with the rate falling to nothing. Features are brought to one scale meanwhile."""
    middle, spread = seen.mean(axis=0), seen.std(axis=0) + np.float32(0.002)
    scaled = (seen - middle) / spread
    layers = [
        ((dice.standard_normal((a, b)) * np.sqrt(2 / a)).astype(np.float32), np.zeros(b, np.float32))
        for a, b in pairwise(LAYERS)
    ]
    flat = [part for layer in layers for part in layer]
    first, second = [np.zeros_like(p) for p in flat], [np.zeros_like(p) for p in flat]
    total = EPOCHS * (len(classes) // BATCH)
    for step, rows in enumerate(_batches(dice, len(classes)), 1):
        rate = RATE * 0.5 * (1 + np.cos(np.pi * step / total))
        for place, (part, slope) in enumerate(zip(flat, _slopes(layers, scaled[rows], classes[rows]), strict=True)):
            first[place] += 0.1 * (slope - first[place])
            second[place] += 0.001 * (slope * slope - second[place])
            push = first[place] / (1 - 0.9**step) / (np.sqrt(second[place] / (1 - 0.999**step)) + 1e-8)
            part -= rate * (push + (0.02 * part if part.ndim == 2 else 0))
    matrix, offsets = layers[0]
    return [(matrix / spread[:, None], offsets - (middle / spread) @ matrix), *layers[1:]]


def _batches(dice: Dice, count: int) -> Iterator[NDArray[np.int64]]:
    for _ in range(EPOCHS):
        order = dice.permutation(count)
        for start in range(0, count - BATCH + 1, BATCH):
            yield order[start : start + BATCH]


def _slopes(layers: Sequence[tuple[Floats, Floats]], seen: Floats, classes: NDArray[np.int64]) -> list[Floats]:
    values = [seen]
    for place, (matrix, offsets) in enumerate(layers):
        out = values[-1] @ matrix + offsets
        values.append(np.maximum(out, 0) if place + 1 < len(layers) else out)
    wanted = np.full((len(classes), LAYERS[-1]), 0.05 / LAYERS[-1], np.float32)
    wanted[np.arange(len(classes)), classes] += 0.95
    error = (softmax(values[-1]) - wanted) / len(classes)
    slopes: list[Floats] = []
    for place in range(len(layers) - 1, -1, -1):
        slopes += [error.sum(axis=0), np.asarray(values[place].T @ error, np.float32)]
        if place:
            error = np.where(values[place] > 0, error @ layers[place][0].T, np.float32(0))
    return slopes[::-1]


def measured(layers: Sequence[tuple[Floats, Floats]], dice: Dice, source: Source, count: int = 180) -> float:
    """The share of digits told right."""
    found = [(1 + i % 9, digit_sample(dice, source, 1 + i % 9, harsh=0.5)) for i in range(count)]
    seen = [(digit, sample) for digit, sample in found if sample is not None]
    told = forward(layers, features(np.array([sample for _, sample in seen]))).argmax(axis=1)
    return float((told == [digit for digit, _ in seen]).mean()) if seen else float("nan")


def main(folders: Sequence[str]) -> None:
    found = fonts([Path(folder) for folder in folders])
    held = [path for path in found if path.name.startswith(HELD_OUT)]
    seen: list[Source] = ["hand", "hershey", *(path for path in found if path not in held)]
    shown, classes = samples(np.random.default_rng(SEED), seen, SAMPLES)
    sys.stdout.write(f"{len(seen)} sources to train with, {len(held)} held out, {len(classes)} samples\n")
    layers = train(np.random.default_rng(SEED), shown, classes)
    stored: dict[str, Any] = {
        f"{kind}{i}": part.astype(np.float16)
        for i, layer in enumerate(layers)
        for kind, part in zip("wb", layer, strict=True)
    }
    np.savez_compressed(Path(__file__).with_name("digits.npz"), **stored)
    dice = np.random.default_rng(SEED + 1)
    tested: list[Source] = ["hand", "hershey held out", *held]
    rates = {Path(source).name: measured(layers, dice, source) for source in tested}
    for name, rate in sorted(rates.items(), key=lambda item: item[1]):
        sys.stdout.write(f"  {name:<40} {rate:.3f}\n")
    sys.stdout.write(f"held out, mean: {np.nanmean(list(rates.values())):.4f}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
