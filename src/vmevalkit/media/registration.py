"""Registration: finding how a film shows a puzzle's first frame, and undoing it frame by frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Placement
from vmevalkit.media.alignment import Fit, Pyramid, Template, shrink
from vmevalkit.media.likeness import likeness, unexplained
from vmevalkit.media.photometry import Photometry, Triple, estimate
from vmevalkit.media.picture import Frame
from vmevalkit.media.sighting import Sighting
from vmevalkit.media.video_in import TimedFrame
from vmevalkit.media.view import Size, View, seen, undo
from vmevalkit.media.view_search import bar_guesses, distinct, searched, size_guesses

__all__ = ["MATCH_THRESHOLD", "Match", "Registrar", "unexplained"]

MATCH_THRESHOLD = 0.6
"""A film whose match scores less shows another picture."""

_GOOD = 0.8
"""A match that needs no further search."""
_TRACKED_AGREEMENT = 0.45
_LEVELS = ((48, 600, 12, 0.08), (96, 1500, 10, 0.04), (200, 3000, 8, 0.02))
"""Of the search: long side of the template, points, rounds and tether."""
_TETHER = 0.012
"""How far a view is expected to move from one frame to the next, as a share of its size."""


@dataclass(frozen=True, slots=True)
class Match:
    """How the film's beginning shows the picture."""

    score: float
    """From 0 to 1; see MATCH_THRESHOLD."""
    view: View
    gain: Triple
    offset: Triple
    seconds: float
    """Time of the frame that matched best."""


class Registrar:
    """One film against one picture: ``start`` on its first half second, then ``sight`` on each frame in order."""

    def __init__(
        self, reference: Frame, reading_size: Size, placement: Placement | None = None, follow: bool = True
    ) -> None:
        if min(reading_size) < 1:
            raise UsageError(f"a reading size of {reading_size[0]}x{reading_size[1]} holds no pixel")
        self._reference = reference
        self._reading_size = reading_size
        self._follow = follow
        self._placed = None if placement is None else View.of(placement)
        self._templates = [Template(reference, side, points) for side, points, _, _ in _LEVELS]
        self._flat = _FlatPlaces(self._templates[-1].colour)
        self._unseen = shrink(reference, reading_size)
        self._view: View | None = None
        self._levels = Photometry()
        self._lost_for = 0

    def start(self, frames: Sequence[TimedFrame]) -> Match:
        """Find the picture in the best of the frames. A film may fade in, so any of them may be the one."""
        if not frames:
            raise UsageError("cannot register a film without frames: give those of its first half second")
        matches = [self._match(frames[0], thorough=False)]
        if matches[0].score < _GOOD:
            others = frames[1:]
            step = max(1, len(others) // 4)
            matches += [self._match(timed, thorough=False) for timed in others[::-1][::step]]
            best = max(matches, key=lambda match: match.score)
            if best.score < _GOOD:
                timed = next(timed for timed in frames if timed.seconds == best.seconds)
                matches.append(self._match(timed, thorough=True))
        best = max(matches, key=lambda match: match.score)
        self._view = best.view
        self._levels = Photometry(best.gain, best.offset)
        return best

    def sight(self, timed: TimedFrame) -> Sighting:
        """The frame, undone. Where the film does not show the picture, the reference itself stands, not seen."""
        if self._view is None:
            self.start([timed])
        frame = timed.frame
        if self._follow:
            self._track(frame)
        assert self._view is not None
        size = frame.shape[1], frame.shape[0]
        picture = self._levels.undo(undo(frame, self._view, self._reading_size))
        mask = seen(self._view, size, self._reading_size)
        if mask is not None:
            picture = np.where(mask[..., None], picture, self._unseen)
        return Sighting(picture, timed.seconds, mask)

    def _match(self, timed: TimedFrame, thorough: bool) -> Match:
        pyramid = Pyramid(timed.frame)
        guesses = searched(self._reference, timed.frame) if thorough else self._guesses(timed.frame)
        best = Match(0.0, guesses[0] if guesses else View(0, 0, 1, 1), (1, 1, 1), (0, 0, 0), timed.seconds)
        fits = distinct_fits(self._refined(pyramid, guess) for guess in guesses)
        for fit in fits[:4]:
            levels = self._flat.levels(pyramid, fit.view, None) or Photometry()
            score = self._score(timed.frame, fit.view, levels)
            if score > best.score:
                best = Match(score, fit.view, levels.gain, levels.offset, timed.seconds)
        return best

    def _guesses(self, frame: Frame) -> list[View]:
        picture_size = self._reference.shape[1], self._reference.shape[0]
        size = frame.shape[1], frame.shape[0]
        placed = [] if self._placed is None else [self._placed]
        return distinct([*placed, *size_guesses(picture_size, size), *bar_guesses(self._reference, frame)])

    def _refined(self, pyramid: Pyramid, guess: View) -> Fit:
        fit = Fit(guess, 0.0, 0.0)
        for template, (_, _, rounds, tether) in zip(self._templates, _LEVELS, strict=True):
            if template.usable:
                after = template.align(pyramid, fit.view, rounds, tether)
                fit = after if after.view.plausible else Fit(fit.view, after.agreement, after.inliers)
        return fit

    def _score(self, frame: Frame, view: View, levels: Photometry) -> float:
        template = self._templates[-1]
        size = frame.shape[1], frame.shape[0]
        return likeness(
            template.colour, levels.undo(undo(frame, view, template.size)), seen(view, size, template.size)
        )

    def _track(self, frame: Frame) -> None:
        assert self._view is not None
        pyramid = Pyramid(frame)
        template = self._templates[-1]
        if not template.usable:
            return
        fit = template.align(pyramid, self._view, 5, _TETHER)
        if fit.agreement < _TRACKED_AGREEMENT or not fit.view.plausible:
            recovered = self._recovered(pyramid)
            self._lost_for = 0 if recovered else self._lost_for + 1
            if recovered is None:
                return
            fit = recovered
        else:
            self._lost_for = 0
        self._view = fit.view
        self._levels = self._flat.levels(pyramid, fit.view, self._levels) or self._levels

    def _recovered(self, pyramid: Pyramid) -> Fit | None:
        """Look again around the last good view; less and less often while nothing is found."""
        assert self._view is not None
        if self._lost_for & (self._lost_for + 1):
            return None
        fit = self._refined(pyramid, self._view)
        return fit if fit.agreement >= _TRACKED_AGREEMENT and fit.view.plausible else None


class _FlatPlaces:
    """Places of the picture without an edge nearby: there levels can be compared whatever the blur."""

    def __init__(self, colour: Frame, count: int = 1200) -> None:
        height, width = colour.shape[:2]
        around = np.ones((5, 5), np.uint8)
        spread = cv2.subtract(cv2.dilate(colour, around), cv2.erode(colour, around)).max(axis=2)
        spread[:3] = spread[-3:] = 255
        spread[:, :3] = spread[:, -3:] = 255
        rows, columns = np.nonzero(spread <= 6)
        if len(rows) > count:
            rows, columns = _balanced(colour, rows, columns, count)
        self._u = ((columns + 0.5) / width).astype(np.float32)
        self._v = ((rows + 0.5) / height).astype(np.float32)
        self._colours = colour[rows, columns].astype(np.float32)
        self._side = width

    def levels(self, pyramid: Pyramid, view: View, guess: Photometry | None) -> Photometry | None:
        k = 0
        while view.width * pyramid.size[0] / 2 ** (k + 1) >= self._side * 0.7 and min(pyramid.size) >> (k + 1) >= 12:
            k += 1
        level = pyramid.level(k)
        left, top, width, height = (part / 2**k for part in view.box(pyramid.size))
        x, y = self._u * np.float32(width) + np.float32(left), self._v * np.float32(height) + np.float32(top)
        shown = (x >= 0) & (y >= 0) & (x < level.shape[1]) & (y < level.shape[0])
        if not shown.all():
            x, y = x[shown], y[shown]
        if len(x) < 16:
            return None
        film = level[y.astype(np.intp), x.astype(np.intp)].astype(np.float32)
        return estimate(film, self._colours if shown.all() else self._colours[shown], guess)


def _balanced(
    colour: Frame, rows: NDArray[np.intp], columns: NDArray[np.intp], count: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Some places of each colour, evenly over the picture: a thin black wall counts as much as the white ground."""
    grey = colour[rows, columns].astype(np.int32).sum(axis=1) // 96
    kinds = np.unique(grey)
    picks = []
    for kind in kinds:
        members = np.flatnonzero(grey == kind)
        picks.append(members[np.linspace(0, len(members) - 1, min(len(members), count // len(kinds))).astype(int)])
    chosen = np.unique(np.concatenate(picks))
    return rows[chosen], columns[chosen]


def distinct_fits(fits: Iterable[Fit]) -> list[Fit]:
    """The best agreeing first, without those that ended at the same place."""
    ranked = sorted(fits, key=lambda fit: -fit.agreement)
    views = distinct(fit.view for fit in ranked)
    return [fit for fit in ranked if any(fit.view is view for view in views)]
