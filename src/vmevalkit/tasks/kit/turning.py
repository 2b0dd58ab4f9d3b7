"""Finding the angle of a part that turns in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import hypot

import numpy as np

from vmevalkit.tasks.kit.looks import Floats, Looks, clip
from vmevalkit.tasks.kit.scene import Part

_ROUGH_STEP = 3.0
"""Degrees between the angles that are tried first."""
_POINTS = 120
_CAP = 128.0
_CORE, _MIN_CORE = 0.9, 12
"""Alpha of the pixels by which the colour of a part is judged, and the fewest of them."""
_OTHER_HUE = 50.0
"""Levels by which a colour differs, not counting how pale it is, so that everybody sees another one."""
_GOOD_SHARE = 0.75
"""A part that explains so much of the difference from the ground is there; otherwise all angles are tried."""


@dataclass(frozen=True, slots=True)
class FoundAngle:
    """The angle at which a part explains most."""

    angle: float
    share: float
    """Share of the difference from the ground that it explains, where it is: another light on the ground around a thin
    part says nothing about the part."""


class AngleFinder:
    """Finds the angles of the parts of one puzzle."""

    def __init__(self, looks: Looks) -> None:
        self._looks = looks
        self._points: dict[str, tuple[Floats, Floats]] = {}

    def find(
        self, picture: Floats, part: Part, below: Sequence[Part], above: Sequence[Part], symmetry: float,
        guesses: Sequence[float],
    ) -> FoundAngle:  # fmt: skip
        """Return the angle of a part; ``below`` and ``above`` are the parts under it and over it."""
        box = self._find_box(part)
        left, top, right, bottom = box
        rest = self._looks.ground[top:bottom, left:right].copy()
        weight = np.ones(rest.shape[:2], np.float32)
        for each in below:
            self._paste(rest, None, each, box)
        for each in above:
            self._paste(None, weight, each, box)
        off = picture[top:bottom, left:right] - rest
        whole = float(np.einsum("ijk,ijk,ij->", off, off, weight))
        known: dict[float, float] = {}

        def measure(angle: float) -> float:
            """Return how much of the difference is left."""
            angle = round(angle * 2) / 2 % symmetry
            if angle not in known:
                known[angle] = whole - self._explain(off, rest, weight, replace(part, angle=angle, opacity=1.0), box)
            return known[angle]

        best = _climb(measure, min((guess % symmetry for guess in guesses), key=measure), (4.0, 1.0))
        if measure(best) > (1 - _GOOD_SHARE) * whole:
            rough = self._scan(picture, part, symmetry)
            best = min((best, *(_climb(measure, start, (2.0, 1.0)) for start in rough)), key=measure)
        best = _climb(measure, best, (0.5,))
        turned = replace(part, angle=best % symmetry, opacity=1.0)
        if self._has_other_hue(picture[top:bottom, left:right], rest, weight, turned, box):
            return FoundAngle(turned.angle, 0.0)
        return FoundAngle(turned.angle, self._measure_share(off, rest, weight, turned, box))

    def _has_other_hue(
        self, seen: Floats, rest: Floats, weight: Floats, part: Part, box: tuple[int, int, int, int]
    ) -> bool:
        """Return whether a part is there in another hue. A paler one is blurred: its colour is nearer the ground's."""
        patch = self._looks.render(part)
        assert patch is not None
        cut = clip(replace(patch, left=patch.left - box[0], top=patch.top - box[1]), seen.shape)
        if cut is None:
            return False
        where, of = cut
        core = (patch.alpha[of] > _CORE) & (weight[where] > _CORE)
        if np.count_nonzero(core) < _MIN_CORE:
            return False
        drawn = patch.colour[of][core] / patch.alpha[of][core][:, None]
        off, paler = (seen[where][core] - drawn).mean(axis=0), (rest[where][core] - drawn).mean(axis=0)
        aside = off - paler * float(off @ paler) / max(float(paler @ paler), 1.0)
        return bool(np.abs(aside).max() > _OTHER_HUE)

    def _find_box(self, part: Part) -> tuple[int, int, int, int]:
        patch = self._looks.render(replace(part, angle=0.0))
        assert patch is not None, f"the look {part.look!r} has no picture"
        x, y = part.x * self._looks.scale, part.y * self._looks.scale
        left, top, right, bottom = patch.box
        reach = max(hypot(u - x, v - y) for u in (left, right) for v in (top, bottom))
        width, height = self._looks.size
        return (
            max(0, int(x - reach)),
            max(0, int(y - reach)),
            min(width, int(x + reach) + 2),
            min(height, int(y + reach) + 2),
        )

    def _paste(self, picture: Floats | None, weight: Floats | None, part: Part, box: tuple[int, int, int, int]) -> None:
        patch = self._looks.render(part) if part.look else None
        if patch is None:
            return
        patch = replace(patch, left=patch.left - box[0], top=patch.top - box[1])
        cut = clip(patch, (box[3] - box[1], box[2] - box[0]))
        if cut is None:
            return
        where, of = cut
        if picture is not None:
            picture[where] *= 1 - patch.alpha[of][..., None]
            picture[where] += patch.colour[of]
        if weight is not None:
            weight[where] *= 1 - patch.alpha[of]

    def _explain(self, off: Floats, rest: Floats, weight: Floats, part: Part, box: tuple[int, int, int, int]) -> float:
        """Return how much of the squared difference a part explains."""
        patch = self._looks.render(part)
        assert patch is not None
        cut = clip(replace(patch, left=patch.left - box[0], top=patch.top - box[1]), off.shape)
        if cut is None:
            return 0.0
        where, of = cut
        # Every second row tells enough.
        step = (patch.colour[of] - patch.alpha[of][..., None] * rest[where])[::2]
        return 2 * float(np.einsum("ijk,ijk,ij->", 2 * off[where][::2] - step, step, weight[where][::2]))

    def _measure_share(
        self, off: Floats, rest: Floats, weight: Floats, part: Part, box: tuple[int, int, int, int]
    ) -> float:
        """Return the share of the difference from the ground that a part explains on its own pixels."""
        patch = self._looks.render(part)
        assert patch is not None
        cut = clip(replace(patch, left=patch.left - box[0], top=patch.top - box[1]), off.shape)
        if cut is None:
            return 0.0
        where, of = cut
        step = patch.colour[of] - patch.alpha[of][..., None] * rest[where]
        own = weight[where] * patch.alpha[of]
        explained = float(np.einsum("ijk,ijk,ij->", 2 * off[where] - step, step, own))
        return explained / max(float(np.einsum("ijk,ijk,ij->", off[where], off[where], own)), 1.0)

    def _scan(self, picture: Floats, part: Part, symmetry: float, count: int = 3) -> list[float]:
        """Return the likeliest of all angles by some of the pixels that the part would cover."""
        if part.look not in self._points:
            patch = self._looks.render(replace(part, angle=0.0))
            assert patch is not None
            rows, columns = np.nonzero(patch.alpha > 0.8 * patch.alpha.max())  # a thin part that is smoothed is pale
            take = np.linspace(0, len(rows) - 1, min(_POINTS, len(rows))).astype(int)
            rows, columns = rows[take], columns[take]
            centre = part.x * self._looks.scale - patch.left - 0.5, part.y * self._looks.scale - patch.top - 0.5
            points = np.stack([columns - centre[0], rows - centre[1]]).astype(np.float32)
            self._points[part.look] = points, patch.colour[rows, columns] / patch.alpha[rows, columns, None]
        (across, down), colours = self._points[part.look]
        turns = np.deg2rad(np.arange(0, symmetry, _ROUGH_STEP))[:, None]
        x = np.rint(np.cos(turns) * across - np.sin(turns) * down + part.x * self._looks.scale - 0.5).astype(int)
        y = np.rint(np.sin(turns) * across + np.cos(turns) * down + part.y * self._looks.scale - 0.5).astype(int)
        seen = picture[np.clip(y, 0, picture.shape[0] - 1), np.clip(x, 0, picture.shape[1] - 1)]
        off = np.minimum(np.abs(seen - colours).max(axis=2), _CAP).mean(axis=1)
        angles = []
        for _ in range(count):
            place = int(off.argmin())
            angles.append(place * _ROUGH_STEP)
            off[np.arange(place - 4, place + 5) % len(off)] = np.inf
        return angles


def _climb(measure: Callable[[float], float], angle: float, steps: Sequence[float]) -> float:
    for step in steps:
        while (better := min((angle, angle - step, angle + step), key=measure)) != angle:
            angle = better
    return angle
