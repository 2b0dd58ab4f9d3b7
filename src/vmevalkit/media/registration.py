"""Registration: finding how a film shows a puzzle's first frame, and undoing it frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Placement
from vmevalkit.media.alignment import Fit, Pyramid, Template, shrink
from vmevalkit.media.likeness import likeness, unexplained
from vmevalkit.media.photometry import Photometry, Triple, estimate, flat_places
from vmevalkit.media.picture import Frame, Size
from vmevalkit.media.sighting import Sighting
from vmevalkit.media.video_in import TimedFrame
from vmevalkit.media.view import View, seen, undo
from vmevalkit.media.view_search import bar_guesses, distinct, searched, size_guesses

__all__ = ["MATCH_THRESHOLD", "Match", "Registrar", "unexplained"]

MATCH_THRESHOLD = 0.6
"""A film whose match scores less shows another picture. Through letterboxes, crops, blur, noise and H.264 at a low
rate, the right picture scored 0.88 and more, another one of the same kind 0.56 and less."""

_FULL_LIGHT = 0.8
"""A first frame with less gain may be the beginning of a fade."""
_ALIKE = 0.03
"""Scores that differ by less are taken for equal."""
_GOOD = 0.8
"""A match that needs no further search."""
_LOST, _FOUND = 0.5, 0.75
"""Shares of the agreement at the start: below the one the view is lost, from the other on it is found again."""
_STRAY = 1.5
"""How much more than at the start a film may stray from the picture, before what strays counts as something else."""
_STRAY_LEVELS = 18.0
"""At least so much it may: a third of a pixel beside a sharp edge."""
_PATIENCE = 4
"""Frames from one look for a lost view to the next."""
_TRUST, _FULL_TRUST = 0.2, 0.5
"""Mean weight of the points: below the one the view is lost, from the other on it is believed wholly."""
_ROUNDS = 5
"""Of Gauss-Newton for a frame that follows another."""
_LEVELS = ((48, 600, 12, 0.08), (96, 1500, 10, 0.04), (200, 3000, 8, 0.02))
"""Of the search: long side of the template, points, rounds and tether."""
_TETHER = 0.012
"""How far a view is expected to move from one frame to the next, as a share of its size."""
_ALL = View(0, 0, 1, 1)


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
        self._size = reference.shape[1], reference.shape[0]
        self._reading_size = reading_size
        self._follow = follow
        self._placed = None if placement is None else View.of(placement)
        self._templates = [Template(reference, side, points) for side, points, _, _ in _LEVELS]
        self._levels_of = _Levels(self._templates[-1].colour)
        self._unseen = shrink(reference, reading_size)
        self._fit: Fit | None = None
        self._before: View | None = None
        self._levels = Photometry()
        self._usual = 1.0
        self._lost_for = 0

    @property
    def view(self) -> View | None:
        """Where the film last showed the picture; None before the start."""
        return None if self._fit is None else self._fit.view

    def start(self, frames: Sequence[TimedFrame]) -> Match:
        """Find the picture in the best of the frames. A film may fade in, so any of them may be the one."""
        if not frames:
            raise UsageError("cannot register a film without frames: give those of its first half second")
        matches = [self._match(frames[0], thorough=False)]
        if matches[0].score < _GOOD or min(matches[0].gain) < _FULL_LIGHT:
            others = frames[1:]
            step = max(1, len(others) // 4)
            matches += [self._match(timed, thorough=False) for timed in others[::-1][::step]]
            best = max(matches, key=lambda match: match.score)
            if best.score < _GOOD:
                timed = next(timed for timed in frames if timed.seconds == best.seconds)
                matches.append(self._match(timed, thorough=True))
        best = max(matches, key=lambda match: match.score)
        # Of frames that match alike, the one in full light: in a fade a dim one may score best.
        best = max((m for m in matches if m.score >= best.score - _ALIKE), key=lambda match: sum(match.gain))
        frame = next(timed.frame for timed in frames if timed.seconds == best.seconds)
        fit = Fit(best.view, 1.0)
        if self._templates[-1].usable:
            fit = self._templates[-1].align(Pyramid(frame), best.view, 0, _TETHER)
        self._fit = _lenient(fit)
        self._usual = max(0.3, fit.agreement)
        self._levels = Photometry(best.gain, best.offset)
        return best

    def sight(self, timed: TimedFrame) -> Sighting:
        """The frame, undone. Where the film does not show the picture, the reference itself stands, not seen."""
        if self._fit is None:
            self.start([timed])
        if self._follow:
            self._track(timed.frame)
        assert self._fit is not None
        view = self._fit.view
        picture = self._levels.undo(undo(timed.frame, view, self._reading_size))
        shown = seen(view, (timed.frame.shape[1], timed.frame.shape[0]), self._reading_size)
        if shown is None:
            return Sighting(picture, timed.seconds)
        mask = np.zeros(picture.shape[:2], np.bool_)
        mask[shown] = True
        whole = self._unseen.copy()
        whole[shown] = picture[shown]
        return Sighting(whole, timed.seconds, mask)

    def _match(self, timed: TimedFrame, thorough: bool) -> Match:
        """The best of several first guesses in one frame. All are tried coarsely, the most agreeing ones finely."""
        pyramid = Pyramid(timed.frame)
        best = Match(0.0, self._placed or _ALL, (1, 1, 1), (0, 0, 0), timed.seconds)
        if self._placed is not None and not thorough:
            best = self._better(best, self._refined(pyramid, self._coarse(pyramid, self._placed)), pyramid)
            if best.score >= _GOOD:
                return best
        guesses = self._everywhere(pyramid) if thorough else self._guesses(pyramid)
        coarse = sorted((self._coarse(pyramid, guess) for guess in guesses), key=lambda fit: -fit.agreement)
        for view in distinct((fit.view for fit in coarse), 0.02)[:4]:
            best = self._better(best, self._refined(pyramid, Fit(view, 0.0)), pyramid)
            if best.score >= _GOOD:
                break
        return best

    def _guesses(self, pyramid: Pyramid) -> list[View]:
        small, _ = pyramid.suited(_ALL, self._templates[-1].size)
        return distinct([*size_guesses(self._size, pyramid.size), *bar_guesses(self._templates[-1].colour, small)])

    def _everywhere(self, pyramid: Pyramid) -> list[View]:
        small, _ = pyramid.suited(_ALL, self._templates[-1].size)
        return searched(self._templates[-1].colour, small)

    def _coarse(self, pyramid: Pyramid, guess: View) -> Fit:
        return self._aligned(pyramid, Fit(guess, 0.0), 0)

    def _refined(self, pyramid: Pyramid, fit: Fit) -> Fit:
        for i in range(1, len(_LEVELS)):
            fit = self._aligned(pyramid, fit, i)
        return fit

    def _aligned(self, pyramid: Pyramid, fit: Fit, i: int) -> Fit:
        _, _, rounds, tether = _LEVELS[i]
        if not self._templates[i].usable:
            return fit
        after = self._templates[i].align(pyramid, fit.view, rounds, tether)
        return after if after.view.plausible else Fit(fit.view, min(fit.agreement, after.agreement))

    def _better(self, best: Match, fit: Fit, pyramid: Pyramid) -> Match:
        template = self._templates[-1]
        levels = self._levels_of.of(pyramid, fit.view, None) or Photometry()
        shown = levels.undo(undo(pyramid.frame, fit.view, template.size))
        score = likeness(template.colour, shown, seen(fit.view, pyramid.size, template.size))
        if score <= best.score:
            return best
        return Match(score, fit.view, levels.gain, levels.offset, best.seconds)

    def _track(self, frame: Frame) -> None:
        """Follow the view to this frame. Where it cannot be followed, the last good one stays."""
        template = self._templates[-1]
        if not template.usable:
            return
        assert self._fit is not None
        last = self._fit.view
        start = last if self._before is None else last.onward(self._before)
        pyramid = Pyramid(frame, start)
        fit = template.align(pyramid, start, _ROUNDS, _TETHER, self._fit)
        if self._credible(fit, _LOST):
            self._before = last
            view = start.towards(fit.view, (fit.trust - _TRUST) / (_FULL_TRUST - _TRUST))
            fit = replace(fit, view=view, spread=self._fit.spread)
        else:
            self._before = None
            pyramid = Pyramid(frame)
            found = self._recovered(pyramid)
            if found is None:
                self._lost_for += 1
                return
            fit = _lenient(found)
        self._lost_for = 0
        self._fit = fit
        self._levels = self._levels_of.of(pyramid, fit.view, self._levels) or self._levels

    def _credible(self, fit: Fit, share: float) -> bool:
        return fit.view.plausible and fit.agreement >= share * self._usual and fit.trust >= _TRUST

    def _recovered(self, pyramid: Pyramid) -> Fit | None:
        """Look again, around the last good view and by the guesses; not in every frame, as a look is expensive."""
        assert self._fit is not None
        if self._lost_for > 1 and self._lost_for % _PATIENCE:
            return None
        views = [self._fit.view, *self._guesses(pyramid)] if self._lost_for else [self._fit.view]
        coarse = max((self._coarse(pyramid, view) for view in views), key=lambda fit: fit.agreement)
        fit = self._refined(pyramid, coarse)
        return fit if self._credible(fit, _FOUND) else None


def _lenient(fit: Fit) -> Fit:
    return replace(fit, spread=max(_STRAY_LEVELS, _STRAY * fit.spread))


class _Levels:
    """Compares the levels of a film with those of the picture, where the picture is flat."""

    def __init__(self, colour: Frame, count: int = 600) -> None:
        self._size = colour.shape[1], colour.shape[0]
        rows, columns, self._weights = flat_places(colour, count)
        self._u = ((columns + 0.5) / self._size[0]).astype(np.float32)
        self._v = ((rows + 0.5) / self._size[1]).astype(np.float32)
        self._colours = colour[rows, columns].astype(np.float32)

    def of(self, pyramid: Pyramid, view: View, guess: Photometry | None) -> Photometry | None:
        frame, scale = pyramid.suited(view, self._size)
        left, top, width, height = (part * scale for part in view.box(pyramid.size))
        x = (self._u * np.float32(width) + np.float32(left)).astype(np.intp)
        y = (self._v * np.float32(height) + np.float32(top)).astype(np.intp)
        if left >= 0 and top >= 0 and left + width <= frame.shape[1] and top + height <= frame.shape[0]:
            return estimate(frame[y, x].astype(np.float32), self._colours, self._weights, guess)
        shown = (x >= 0) & (y >= 0) & (x < frame.shape[1]) & (y < frame.shape[0])
        film = frame[y[shown], x[shown]].astype(np.float32)
        return estimate(film, self._colours[shown], self._weights[shown], guess)
