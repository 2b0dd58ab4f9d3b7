"""Reading a frame: the camera's pose, and whether the sculpture is still the same."""

from __future__ import annotations

from math import exp, inf, log

import numpy as np

from vmevalkit.media.sighting import Sighting
from vmevalkit.tasks.rotation_task.bank import ViewBank
from vmevalkit.tasks.rotation_task.pose import COARSE, Fit, Look, Pose, PoseFitter, look_at, painted
from vmevalkit.tasks.rotation_task.render import SHADE
from vmevalkit.tasks.rotation_task.scene import RotationPuzzle, Track, View, angle_between
from vmevalkit.tasks.rotation_task.structure import edit_fit, mirror_fit
from vmevalkit.tasks.rotation_task.table import table_under

GOOD = 0.006
"""A misfit that asks no question: heavy blur and compression leave no more."""
CLEAR = 0.003
"""Up to here nothing is doubted. More may be a voxel in front of others, which hardly shows."""
DOUBTFUL = 0.012
"""From here on the sculpture is looked for elsewhere, and its mirror image is tried."""
UNKNOWN = 0.09
"""From here on it is not this sculpture, whatever it is."""
_AS_GOOD = 0.0015  # a frame may fit worse than the one before by so much, and twice, without a closer look
_STRAY = 0.003  # of what stands beside the sculpture; more may be an added voxel
_UNLIKE = 0.5  # what the best view of a bank leaves unexplained of a frame that shows no sculpture
_FAINT = 6.0  # levels of contrast; less is an empty picture
_BETTER = 0.5  # another sculpture must leave at most this share of what the puzzle's own leaves
_MUCH_BETTER = 0.125  # ... and this share if it does not fit well itself
_STILL_BETTER = 0.75  # ... but this share is enough for a voxel that was added in the frame before
_LEAP = 0.5  # a view elsewhere must leave at most this share of what one nearby leaves
_COLOURED = 2.5  # colours leave more unexplained: coding blurs them more than light and dark
_RECHECK_S = 0.25  # a doubtful film is tried against other sculptures this often
_STILL = 0.3  # levels: two frames that differ less, on average, are the same
_FARTHEST_TURN_DEG = 25.0


class RotationReader:
    """Reads frames of one puzzle's films."""

    def __init__(self, puzzle: RotationPuzzle) -> None:
        self._puzzle = puzzle
        self._fitter = PoseFitter(puzzle)
        self._bank = ViewBank(self._fitter)
        self._last: tuple[Look, View] | None = None

    def read(self, sighting: Sighting, before: View | None) -> View | None:
        look = look_at(sighting.picture, sighting.seen)
        if self._last is not None and before is self._last[1] and _same(look, self._last[0]):
            return before
        view = _Reading(self._puzzle, self._fitter, self._bank, sighting, look, before).view()
        if view is not None:
            self._last = look, view
        return view


class _Reading:
    """One frame being read, from the likeliest to the least likely."""

    def __init__(
        self,
        puzzle: RotationPuzzle,
        fitter: PoseFitter,
        bank: ViewBank,
        sighting: Sighting,
        look: Look,
        before: View | None,
    ) -> None:
        self._puzzle, self._fitter, self._bank = puzzle, fitter, bank
        self._sighting, self._look, self._before = sighting, look, before
        self._soft: Look | None = None
        self._track = before.track if before is not None else None
        self._lenience = _COLOURED if puzzle.colours else 1.0
        self._start = self._expected()

    def _expected(self) -> Pose:
        """Where the camera should be now: at the start, or as far on as it went last time."""
        if self._before is None:
            return np.array([self._puzzle.azim_deg, self._puzzle.elev_deg, 0.0, 0.0, 0.0])
        pose = self._resting(self._before)
        if self._track is not None:
            pose[0] += self._track.turn_deg
        return pose

    def _resting(self, before: View) -> Pose:
        """Where the camera would be if it came to rest.

        What hides a part of the sculpture pulls at its place more than at its turn, so the place is where it was last
        made out.
        """
        pose = _pose(before)
        if self._track is not None and self._track.place:
            pose[1:] = self._track.place
        return pose

    def view(self) -> View | None:
        near = self._near()
        fit = self._follow(near)
        if self._plausible(fit) and fit.voxels != self._puzzle.voxels:
            return self._view(self._rival(fit), checked=True)
        if self._clear(fit):
            return self._view(fit, checked=False)
        if not self._check_is_due(fit):
            return self._view(fit, checked=False)
        found = self._search(fit, near)
        return None if found is None else self._view(found, checked=True)

    def _plausible(self, fit: Fit) -> bool:
        return fit.misfit <= DOUBTFUL * self._lenience

    def _clear(self, fit: Fit) -> bool:
        return fit.misfit <= CLEAR * self._lenience and fit.stray <= _STRAY

    def _check_is_due(self, fit: Fit) -> bool:
        """Doubts are looked into at once when they are new or others, and then now and again."""
        track = self._track
        if track is None or not track.misfit_checked / 2 < fit.misfit < 1.3 * track.misfit_checked + 0.004:
            return True
        return not 0 <= self._sighting.seconds - track.checked_s < _RECHECK_S

    def _near(self) -> Fit:
        """The sculpture of the frame before, a step further on; what does not fit hardly pulls at the pose."""
        voxels = self._before.voxels if self._before is not None else ()
        return self._fitter.fit(self._look, voxels or self._puzzle.voxels, self._start, 2, thorough=True)

    def _follow(self, near: Fit) -> Fit:
        """The same, from further away if that explains more."""
        if self._as_usual(near) and abs(near.pose[0] - self._start[0]) < 0.8:
            return near
        if self._before is not None and not self._before.voxels and not self._check_is_due(near):
            return near
        fits = [near]
        start = near.pose
        if not self._plausible(near) and self._before is not None:
            start = self._resting(self._before)
            fits.append(self._fitter.fit(self._look, near.voxels, start, 8, thorough=True))
        fit = min([*fits, self._home_in(near.voxels, start)], key=_misfit)
        if self._as_usual(fit) or fit.misfit <= GOOD * self._lenience or not self._plausible(fit):
            return fit
        views = self._bank.nearest(self._look, self._start, 2)
        return _better(fit, [self._home_in(fit.voxels, pose) for pose, _ in views])

    def _as_usual(self, fit: Fit) -> bool:
        """Whether it fits about as well as the frame before: a bad picture is bad in all its frames."""
        usual = self._track.misfit if self._track is not None else 0.0
        return self._plausible(fit) and fit.misfit <= (2 * usual + _AS_GOOD) * self._lenience

    def _rival(self, fit: Fit) -> Fit:
        """Another sculpture was seen before and is seen again, unless the puzzle's own does nearly as well."""
        own = self._fitter.fit(self._look, self._puzzle.voxels, fit.pose, 2)
        return fit if self._explains_more(fit, own) or self._still_explains_more(fit, own) else own

    def _home_in(self, voxels: tuple[tuple[int, int, int], ...], start: Pose) -> Fit:
        """From further away: blurred first, then finely."""
        rough = self._fitter.fit(self._blurred(), voxels, start, 3)
        return self._fitter.fit(self._look, voxels, rough.pose, 8, thorough=True)

    def _blurred(self) -> Look:
        if self._soft is None:
            self._soft = look_at(self._sighting.picture, self._sighting.seen, COARSE)
        return self._soft

    def _search(self, fit: Fit, near: Fit) -> Fit | None:
        """The sculpture itself from anywhere, its mirror image, an edited one; None where there is none at all."""
        own, unlike = self._from_anywhere(fit)
        if self._clear(own):
            return own
        if own.contrast < _FAINT or (unlike > _UNLIKE and own.misfit > _UNLIKE):
            return None
        others = [fit] if fit.voxels != self._puzzle.voxels else []
        if not self._plausible(own):
            others.append(mirror_fit(self._fitter, self._bank, self._look, self._blurred(), self._start))
        if all(other.misfit > _BETTER * own.misfit for other in others):
            others += self._edited(own, near)
        best = min(others, key=_unexplained, default=own)
        return best if self._explains_more(best, own) else own

    def _explains_more(self, other: Fit, own: Fit) -> bool:
        """Whether another sculpture explains so much more than the puzzle's own that it must be the one.

        What a hand hides looks like a voxel lost; but a hand hides parts of voxels, so that such a sculpture does not
        fit well either.
        """
        well = other.misfit <= max(GOOD * self._lenience, _MUCH_BETTER * own.misfit)
        return well and _unexplained(other) < _BETTER * _unexplained(own)

    def _still_explains_more(self, other: Fit, own: Fit) -> bool:
        """Whether a voxel that was added before still shows. One that was lost may be hidden, which is no such sign."""
        added = set(other.voxels) - set(own.voxels)
        return bool(added) and not self._clear(own) and _unexplained(other) < _STILL_BETTER * _unexplained(own)

    def _edited(self, own: Fit, near: Fit) -> list[Fit]:
        """Edits are looked for from where the camera was expected, and from where the sculpture fits best."""
        starts = [near] if near.voxels == own.voxels else []
        if not starts or np.abs(near.pose - own.pose)[:2].max() > 1:
            starts.append(own)
        return [edited for start in starts if (edited := edit_fit(self._fitter, self._look, start)) is not None]

    def _from_anywhere(self, fit: Fit) -> tuple[Fit, float]:
        """The best fit of the puzzle's own sculpture, and what the bank's best view leaves unexplained."""
        own = fit if fit.voxels == self._puzzle.voxels else self._home_in(self._puzzle.voxels, fit.pose)
        views = self._bank.nearest(self._look, self._start, 2)
        if not self._plausible(own):
            own = _better(own, [self._home_in(self._puzzle.voxels, pose) for pose, _ in views])
        return own, views[0][1]

    def _place(self, fit: Fit) -> tuple[float, ...]:
        if self._plausible(fit) or self._track is None:
            return tuple(fit.pose[1:].tolist())
        return self._track.place

    def _view(self, fit: Fit, checked: bool) -> View | None:
        if fit.contrast < _FAINT:
            return None
        before, track, seconds = self._before, self._track, self._sighting.seconds
        turn_deg = angle_between(before.azim_deg, float(fit.pose[0])) if before is not None else 0.0
        if self._clear(fit):  # the next doubt is looked into at once
            checked_s, misfit_checked = -inf, fit.misfit
        elif track is None or checked:
            checked_s, misfit_checked = seconds, fit.misfit
        else:
            checked_s, misfit_checked = track.checked_s, track.misfit_checked
        return View(
            azim_deg=float(fit.pose[0]) % 360,
            elev_deg=float(fit.pose[1]),
            voxels=fit.voxels if fit.misfit <= UNKNOWN else (),
            paint=_paint(self._puzzle, fit),
            zoom=exp(fit.pose[2]),
            shift=(float(fit.pose[3]), float(fit.pose[4])),
            table=table_under(self._puzzle, self._look, fit, self._fitter.background(fit.palette)),
            track=Track(
                turn_deg=turn_deg if abs(turn_deg) < _FARTHEST_TURN_DEG else 0.0,
                misfit=fit.misfit,
                checked_s=checked_s,
                misfit_checked=misfit_checked,
                clutter=_clutter(fit),
                place=self._place(fit),
            ),
        )


def _better(here: Fit, far: list[Fit]) -> Fit:
    """The best fit. One that would be a leap must be much better: half of a picture may be covered by something."""
    there = min(far, key=_misfit)
    return there if there.misfit < _LEAP * here.misfit else here


def _misfit(fit: Fit) -> float:
    return fit.misfit


def _unexplained(fit: Fit) -> float:
    return fit.misfit + fit.stray


def _clutter(fit: Fit) -> float:
    return fit.stray + (float(fit.backdrop[1:].sum(axis=0).mean()) if fit.backdrop is not None else 0.0)


def _pose(view: View) -> Pose:
    return np.array([view.azim_deg, view.elev_deg, log(view.zoom), *view.shift])


def _same(look: Look, other: Look) -> bool:
    return (look.seen is None) == (other.seen is None) and float(np.abs(look.pixels - other.pixels).mean()) < _STILL


def _paint(puzzle: RotationPuzzle, fit: Fit) -> tuple[str, ...]:
    """The colours that the sculpture has in the frame."""
    if not puzzle.colours:
        return (_hex(fit.palette[:, 1] / SHADE.max()),)
    own = painted(puzzle, fit.voxels)
    levels = np.array([[int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] for colour in own])
    return tuple(_hex(colour) for colour in levels @ fit.palette[:, :3].T + fit.palette[:, 3])


def _hex(levels: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    return "#" + "".join(f"{round(min(max(level, 0.0), 255.0)):02x}" for level in levels)
