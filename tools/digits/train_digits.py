"""Train the sudoku reader's digit recognition, and measure it on typefaces that were not used for training.

    python tools/digits/train_digits.py FONT_FOLDER ... [--output FILE]

Fonts are taken from these folders and from matplotlib. The Debian packages fonts-liberation2, fonts-freefont-ttf,
fonts-croscore, fonts-roboto-unhinted, fonts-open-sans, fonts-noto-core and fonts-lato are suitable, and any handwriting
fonts. The same fonts give the same weights. Without --output the weights of the package are replaced.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from digit_samples import Source, make_digit_sample, make_other_sample
from numpy.typing import NDArray

from vmevalkit.tasks.kit import digit_network
from vmevalkit.tasks.kit.digit_network import FEATURES, Floats, Layer, compute_features, run_layers, softmax

WEIGHTS = Path(digit_network.__file__).with_name("digits.npz")
SEED = 1
SAMPLES = 130_000
EPOCHS = 15
LAYER_SIZES = (FEATURES, 256, 10)
BATCH = 256
LEARNING_RATE = 1.5e-3
NO_DIGIT_SHARE = 0.12
QUESTION_FONT = "DejaVuSans-Bold.ttf"
"""The question's own typeface."""
HELD_OUT = (
    "DejaVuSerif", "DejaVuSansMono", "STIX", "Lato", "Andika", "B612", "Caladea", "Vollkorn", "ComicNeue", "Kristi",
    "SteveHand", "Domestic_Manners", "Humor", "Roboto", "Quattrocento", "Cantarell", "Courier Prime", "GFS", "FreeMono",
)  # fmt: skip
"""Prefixes of the font files that are only used for testing."""
EXCLUDED = (
    "D050000L", "StandardSymbols", "Junkyard", "flatline", "Wargames", "El_Abogado", "Isabella", "Swift", "LastResort",
    "STIXSiz", "STIXNonUni", "cmex", "cmsy", "cmmi", "progenisis", "Balker", "DejaVuSansDisplay", "DejaVuSerifDisplay",
    "MarkedFool", "Winks", "It_wasn_t_me", "Lato-Hairline", "Delphine",
)  # fmt: skip
"""Prefixes of font files with symbols, or with ornaments that people do not read at a glance."""
LATIN_NOTO = ("NotoSans-", "NotoSerif-", "NotoSansMono-", "NotoMono-")
"""The files of the Noto family with Latin script."""


def find_fonts(folders: Sequence[Path]) -> list[Path]:
    """Return the usable font files of these folders and of matplotlib, by name."""
    all_folders = [*folders, Path(matplotlib.get_data_path()) / "fonts" / "ttf"]
    files = {path.name: path for folder in all_folders for path in sorted(folder.rglob("*.[ot]tf"))}
    return [files[name] for name in sorted(files) if not name.startswith(EXCLUDED) and _has_latin_script(name)]


def _has_latin_script(name: str) -> bool:
    return not name.startswith("Noto") or name.startswith(LATIN_NOTO)


def make_training_set(
    rng: np.random.Generator, sources: Sequence[Source], count: int
) -> tuple[Floats, NDArray[np.int64]]:
    """Return the features and classes of this many samples."""
    features: list[Floats] = []
    classes: list[int] = []
    while len(classes) < count:
        if rng.random() < NO_DIGIT_SHARE:
            digit, sample = 0, make_other_sample(rng, sources)
        else:
            digit = int(rng.integers(1, 10))
            sample = make_digit_sample(rng, _choose_source(rng, sources), digit)
        if sample is not None:
            features.append(compute_features(sample)[0])
            classes.append(digit)
    return np.array(features), np.array(classes, np.int64)


def _choose_source(rng: np.random.Generator, sources: Sequence[Source]) -> Source:
    """Return handwriting in half of the cases, and the question's own typeface in one of ten."""
    draw = rng.random()
    if draw < 0.5:
        return "hand"
    if draw < 0.55:
        return "hershey"
    if draw < 0.65:
        return next(source for source in sources if isinstance(source, Path) and source.name == QUESTION_FONT)
    return sources[int(rng.integers(len(sources)))]


def train(rng: np.random.Generator, features: Floats, classes: NDArray[np.int64]) -> list[Layer]:
    """Return the layers after training with Adam on the cross entropy, with a cosine learning rate.

    Features are standardised for training; the first layer then undoes it.
    """
    mean, spread = features.mean(axis=0), features.std(axis=0) + np.float32(0.002)
    scaled = (features - mean) / spread
    layers = [
        ((rng.standard_normal((a, b)) * np.sqrt(2 / a)).astype(np.float32), np.zeros(b, np.float32))
        for a, b in pairwise(LAYER_SIZES)
    ]
    weights = [part for layer in layers for part in layer]
    first, second = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights]
    total = EPOCHS * (len(classes) // BATCH)
    for step, rows in enumerate(_iter_batches(rng, len(classes)), 1):
        rate = LEARNING_RATE * 0.5 * (1 + np.cos(np.pi * step / total))
        gradients = _compute_gradients(layers, scaled[rows], classes[rows])
        for place, (weight, gradient) in enumerate(zip(weights, gradients, strict=True)):
            first[place] += 0.1 * (gradient - first[place])
            second[place] += 0.001 * (gradient * gradient - second[place])
            update = first[place] / (1 - 0.9**step) / (np.sqrt(second[place] / (1 - 0.999**step)) + 1e-8)
            weight -= rate * (update + (0.02 * weight if weight.ndim == 2 else 0))
    matrix, offsets = layers[0]
    return [(matrix / spread[:, None], offsets - (mean / spread) @ matrix), *layers[1:]]


def _iter_batches(rng: np.random.Generator, count: int) -> Iterator[NDArray[np.int64]]:
    for _ in range(EPOCHS):
        order = rng.permutation(count)
        for start in range(0, count - BATCH + 1, BATCH):
            yield order[start : start + BATCH]


def _compute_gradients(layers: Sequence[Layer], features: Floats, classes: NDArray[np.int64]) -> list[Floats]:
    """Return the gradient of each matrix and offset, in the order of the layers."""
    values = [features]
    for place, (matrix, offsets) in enumerate(layers):
        output = values[-1] @ matrix + offsets
        values.append(np.maximum(output, 0) if place + 1 < len(layers) else output)
    targets = np.full((len(classes), LAYER_SIZES[-1]), 0.05 / LAYER_SIZES[-1], np.float32)
    targets[np.arange(len(classes)), classes] += 0.95
    error = (softmax(values[-1]) - targets) / len(classes)
    gradients: list[Floats] = []
    for place in range(len(layers) - 1, -1, -1):
        gradients += [error.sum(axis=0), np.asarray(values[place].T @ error, np.float32)]
        if place:
            error = np.where(values[place] > 0, error @ layers[place][0].T, np.float32(0))
    return gradients[::-1]


def measure_accuracy(layers: Sequence[Layer], rng: np.random.Generator, source: Source, count: int = 180) -> float:
    """Return the share of digits that are classified right; nan if the source has none."""
    samples = [(1 + i % 9, make_digit_sample(rng, source, 1 + i % 9, degradation=0.5)) for i in range(count)]
    readable = [(digit, sample) for digit, sample in samples if sample is not None]
    if not readable:
        return float("nan")
    outputs = run_layers(layers, compute_features(np.array([sample for _, sample in readable])))
    return float((outputs.argmax(axis=1) == [digit for digit, _ in readable]).mean())


def save_layers(layers: Sequence[Layer], path: Path) -> None:
    arrays: dict[str, Any] = {
        f"{kind}{i}": part.astype(np.float16)
        for i, layer in enumerate(layers)
        for kind, part in zip("wb", layer, strict=True)
    }
    np.savez_compressed(path, **arrays)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description="Train the sudoku reader's digit recognition.")
    parser.add_argument("folders", nargs="*", type=Path, help="folders with font files")
    parser.add_argument("--output", type=Path, default=WEIGHTS, help=f"file for the weights (default: {WEIGHTS})")
    options = parser.parse_args(arguments)
    fonts = find_fonts(options.folders)
    held_out = [path for path in fonts if path.name.startswith(HELD_OUT)]
    sources: list[Source] = ["hand", "hershey", *(path for path in fonts if path not in held_out)]
    features, classes = make_training_set(np.random.default_rng(SEED), sources, SAMPLES)
    sys.stdout.write(f"{len(sources)} sources for training, {len(held_out)} held out, {len(classes)} samples\n")
    layers = train(np.random.default_rng(SEED), features, classes)
    save_layers(layers, options.output)
    rng = np.random.default_rng(SEED + 1)
    test_sources: list[Source] = ["hand", "hershey held out", *held_out]
    accuracies = {Path(source).name: measure_accuracy(layers, rng, source) for source in test_sources}
    for name, accuracy in sorted(accuracies.items(), key=lambda item: item[1]):
        sys.stdout.write(f"  {name:<40} {accuracy:.3f}\n")
    sys.stdout.write(f"held out, mean: {np.nanmean(list(accuracies.values())):.4f}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
