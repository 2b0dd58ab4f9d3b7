"""Reading a frame: the pose of the camera, and whether the sculpture is still the same."""

from __future__ import annotations

from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.rotation_task.parts import COARSE, Pose, assign_colours
from vmevalkit.tasks.rotation_task.pose import ObservedFrame, PoseFit, PoseFitter, observe_frame
from vmevalkit.tasks.rotation_task.render import SHADE
from vmevalkit.tasks.rotation_task.scene import Track, View, VoxelPuzzle, angle_between
from vmevalkit.tasks.rotation_task.snakes import Voxels
from vmevalkit.tasks.rotation_task.structure import fit_edited, fit_mirror_image
from vmevalkit.tasks.rotation_task.tabletop import has_table
from vmevalkit.tasks.rotation_task.templates import ViewTemplates

GOOD = 0.006
"""The misfit of a good fit: heavy blur and compression leave no more."""
CLEAR = 0.003
"""The misfit up to which there is no doubt. More may be a voxel in front of others, which is hardly visible."""
DOUBTFUL = 0.012
"""The misfit from which on other poses and the mirror image are tried."""
UNKNOWN = 0.09
"""The misfit from which on the frame shows another sculpture."""
_USUAL_GROWTH = 0.0015  # a frame may fit worse than twice the previous one by so much without another search
_MAX_STRAY = 0.003  # what is beside the sculpture; more may be an added voxel
_UNLIKE = 0.5  # what the best template leaves unexplained of a frame without a sculpture
_MIN_CONTRAST = 6.0  # levels; an image with less is empty
_BETTER = 0.5  # another sculpture must leave at most this share of what the puzzle's own leaves
_MUCH_BETTER = 0.125  # ... and this share if it does not fit well itself
_STILL_BETTER = 0.75  # ... but this share is enough for a voxel that was added in the previous frame
_FAR_BETTER = 0.5  # a view elsewhere must leave at most this share of what one nearby leaves
_COLOURED = 2.5  # colours leave more unexplained: coding blurs them more than light and dark
_CHECK_INTERVAL_S = 0.25  # a doubtful video is compared with other sculptures this often
_SAME_LEVELS = 0.3  # two frames that differ less, on average, are the same
_MAX_TURN_DEG = 25.0
_NEAR_DEG = 3.0  # a fit that is farther from the predicted azimuth is compared with the templates
_MAX_ROUNDS = 16  # of a fit; near a view along an axis it takes small steps


class RotationReader:
    """Reads frames of one puzzle's videos."""

    def __init__(self, puzzle: VoxelPuzzle) -> None:
        self._puzzle = puzzle
        self._fitter = PoseFitter(puzzle)
        self._templates = ViewTemplates(self._fitter)
        self._last: tuple[ObservedFrame, View] | None = None

    def read(self, frame: RegisteredFrame, before: View | None) -> View | None:
        """Return the view that a frame shows, or None where it shows no sculpture."""
        observed = observe_frame(frame.image, frame.visible)
        if self._last is not None and before is self._last[1] and _is_same(observed, self._last[0]):
            return before
        view = _FrameSearch(self._puzzle, self._fitter, self._templates, frame, observed, before).find_view()
        if view is not None:
            self._last = observed, view
        return view


class _FrameSearch:
    """The search for the view of one frame, from the most likely to the least likely."""

    def __init__(
        self,
        puzzle: VoxelPuzzle,
        fitter: PoseFitter,
        templates: ViewTemplates,
        frame: RegisteredFrame,
        observed: ObservedFrame,
        before: View | None,
    ) -> None:
        self._puzzle, self._fitter, self._templates = puzzle, fitter, templates
        self._frame, self._observed, self._before = frame, observed, before
        self._coarse: ObservedFrame | None = None
        self._track = before.track if before is not None else None
        self._lenience = _COLOURED if puzzle.colours else 1.0
        self._start = self._predict_pose()

    def _predict_pose(self) -> Pose:
        """Return the first view's pose at the start, later the last pose and its last rotation."""
        if self._before is None:
            return np.array([self._puzzle.azim_deg, self._puzzle.elev_deg, 0.0, 0.0, 0.0])
        pose = self._recall_pose(self._before)
        if self._track is not None:
            pose[0] += self._track.turn_deg
        return pose

    def _recall_pose(self, before: View) -> Pose:
        """Return the last pose, as if the camera had stopped.

        What hides a part of the sculpture pulls at its place more than at its rotation, so the place is where it was
        last recognised.
        """
        pose = np.array([before.azim_deg, before.elev_deg, log(before.zoom), *before.shift])
        if self._track is not None and self._track.place:
            pose[1:] = self._track.place
        return pose

    def find_view(self) -> View | None:
        near = self._fit_nearby()
        fit = self._follow(near)
        if self._is_plausible(fit) and fit.voxels != self._puzzle.voxels:
            return self._make_view(self._prefer_own(fit), is_checked=True)
        if self._is_clear(fit) or not self._is_check_due(fit):
            return self._make_view(fit, is_checked=False)
        found = self._search(fit, near)
        return None if found is None else self._make_view(found, is_checked=True)

    def _is_plausible(self, fit: PoseFit) -> bool:
        return fit.misfit <= DOUBTFUL * self._lenience

    def _is_clear(self, fit: PoseFit) -> bool:
        return fit.misfit <= CLEAR * self._lenience and fit.stray <= _MAX_STRAY

    def _is_check_due(self, fit: PoseFit) -> bool:
        """Return whether to try other sculptures: at once when a doubt is new or has changed, then at intervals."""
        track = self._track
        if track is None or not track.checked_misfit / 2 < fit.misfit < 1.3 * track.checked_misfit + 0.004:
            return True
        return not 0 <= self._frame.seconds - track.checked_s < _CHECK_INTERVAL_S

    def _fit_nearby(self) -> PoseFit:
        """Return the fit of the previous frame's sculpture near the predicted pose."""
        voxels = self._before.voxels if self._before is not None else ()
        return self._fitter.fit(self._observed, voxels or self._puzzle.voxels, self._start, 2, thorough=True)

    def _follow(self, near: PoseFit) -> PoseFit:
        """Return a fit of the same sculpture, from farther away if that explains more."""
        if self._is_as_usual(near) and abs(near.pose[0] - self._start[0]) < 0.8:
            return near
        if self._before is not None and not self._before.voxels and not self._is_check_due(near):
            return near
        fits = [near]
        start = near.pose
        if not self._is_plausible(near) and self._before is not None:
            start = self._recall_pose(self._before)
            fits.append(self._fitter.fit(self._observed, near.voxels, start, _MAX_ROUNDS, thorough=True))
        fit = min([*fits, self._fit_coarse_to_fine(near.voxels, start)], key=_misfit)
        is_near = abs(fit.pose[0] - self._start[0]) < _NEAR_DEG
        if self._is_as_usual(fit) or (is_near and fit.misfit <= GOOD * self._lenience) or not self._is_plausible(fit):
            return fit
        starts = self._templates.find_nearest(self._observed, self._start, 2)
        return _choose_better(fit, [self._fit_coarse_to_fine(fit.voxels, pose) for pose, _ in starts])

    def _is_as_usual(self, fit: PoseFit) -> bool:
        """Return whether it fits about as well as the previous frame: a bad image is bad in all frames."""
        usual = self._track.misfit if self._track is not None else 0.0
        return self._is_plausible(fit) and fit.misfit <= (2 * usual + _USUAL_GROWTH) * self._lenience

    def _prefer_own(self, fit: PoseFit) -> PoseFit:
        """Return the fit of another sculpture, or of the puzzle's own if that is nearly as good."""
        own = self._fitter.fit(self._observed, self._puzzle.voxels, fit.pose, 2)
        return fit if self._explains_more(fit, own) or self._still_explains_more(fit, own) else own

    def _fit_coarse_to_fine(self, voxels: Voxels, start: Pose) -> PoseFit:
        rough = self._fitter.fit(self._observe_coarsely(), voxels, start, 3)
        return self._fitter.fit(self._observed, voxels, rough.pose, _MAX_ROUNDS, thorough=True)

    def _observe_coarsely(self) -> ObservedFrame:
        if self._coarse is None:
            self._coarse = observe_frame(self._frame.image, self._frame.visible, COARSE)
        return self._coarse

    def _search(self, fit: PoseFit, near: PoseFit) -> PoseFit | None:
        """Return the sculpture itself from anywhere, its mirror image, or an edited one; None where there is none."""
        own, unlike = self._fit_from_anywhere(fit)
        if self._is_clear(own):
            return own
        if own.contrast < _MIN_CONTRAST or (unlike > _UNLIKE and own.misfit > _UNLIKE):
            return None
        others = [fit] if fit.voxels != self._puzzle.voxels else []
        if not self._is_plausible(own):
            coarse = self._observe_coarsely()
            others.append(fit_mirror_image(self._fitter, self._templates, self._observed, coarse, self._start))
        if not any(self._explains_more(other, own) for other in others):
            others += self._fit_edits(own, near)
        best = min(others, key=_unexplained, default=own)
        return best if self._explains_more(best, own) else own

    def _explains_more(self, other: PoseFit, own: PoseFit) -> bool:
        """Return whether another sculpture explains so much more than the puzzle's own that it must be the right one.

        What a hand hides looks like a lost voxel. But a hand hides parts of voxels, so such a sculpture does not fit
        well either.
        """
        is_good = other.misfit <= max(GOOD * self._lenience, _MUCH_BETTER * own.misfit)
        return is_good and _unexplained(other) < _BETTER * _unexplained(own)

    def _still_explains_more(self, other: PoseFit, own: PoseFit) -> bool:
        """Return whether a voxel that was added before is still visible. A lost voxel may only be hidden."""
        added = set(other.voxels) - set(own.voxels)
        return bool(added) and not self._is_clear(own) and _unexplained(other) < _STILL_BETTER * _unexplained(own)

    def _fit_edits(self, own: PoseFit, near: PoseFit) -> list[PoseFit]:
        """Return fits of edited sculptures, from the predicted pose and from the best pose of the puzzle's own."""
        starts = [near] if near.voxels == own.voxels else []
        if not starts or np.abs(near.pose - own.pose)[:2].max() > 1:
            starts.append(own)
        return [edited for start in starts if (edited := fit_edited(self._fitter, self._observed, start)) is not None]

    def _fit_from_anywhere(self, fit: PoseFit) -> tuple[PoseFit, float]:
        """Return the best fit of the puzzle's own sculpture, and what the best template leaves unexplained."""
        own = fit if fit.voxels == self._puzzle.voxels else self._fit_coarse_to_fine(self._puzzle.voxels, fit.pose)
        starts = self._templates.find_nearest(self._observed, self._start, 2)
        if not self._is_plausible(own):
            own = _choose_better(own, [self._fit_coarse_to_fine(self._puzzle.voxels, pose) for pose, _ in starts])
        return own, starts[0][1]

    def _make_view(self, fit: PoseFit, is_checked: bool) -> View | None:
        if fit.contrast < _MIN_CONTRAST:
            return None
        background = self._fitter.renderer.find_background(fit.palette)
        return View(
            azim_deg=float(fit.pose[0]) % 360,
            elev_deg=float(fit.pose[1]),
            voxels=fit.voxels if fit.misfit <= UNKNOWN else (),
            paint=_read_paint(self._puzzle, fit),
            zoom=exp(fit.pose[2]),
            shift=(float(fit.pose[3]), float(fit.pose[4])),
            has_table=has_table(self._puzzle, self._observed, fit, background),
            track=self._make_track(fit, is_checked),
        )

    def _make_track(self, fit: PoseFit, is_checked: bool) -> Track:
        before, track = self._before, self._track
        turn_deg = angle_between(before.azim_deg, float(fit.pose[0])) if before is not None else 0.0
        if self._is_clear(fit):  # the next doubt is checked at once
            checked_s, checked_misfit = -inf, fit.misfit
        elif track is None or is_checked:
            checked_s, checked_misfit = self._frame.seconds, fit.misfit
        else:
            checked_s, checked_misfit = track.checked_s, track.checked_misfit
        return Track(
            turn_deg=turn_deg if abs(turn_deg) < _MAX_TURN_DEG else 0.0,
            misfit=fit.misfit,
            checked_s=checked_s,
            checked_misfit=checked_misfit,
            clutter=_measure_clutter(fit),
            place=tuple(fit.pose[1:].tolist()) if self._is_plausible(fit) or track is None else track.place,
        )


def _choose_better(near: PoseFit, far: list[PoseFit]) -> PoseFit:
    """Return the best fit. A far one must be much better: half of an image may be covered by something."""
    best = min(far, key=_misfit)
    return best if best.misfit < _FAR_BETTER * near.misfit else near


def _misfit(fit: PoseFit) -> float:
    return fit.misfit


def _unexplained(fit: PoseFit) -> float:
    return fit.misfit + fit.stray


def _measure_clutter(fit: PoseFit) -> float:
    """Return how much beside the sculpture is not plain background."""
    return fit.stray + (float(fit.backdrop[1:].sum(axis=0).mean()) if fit.backdrop is not None else 0.0)


def _is_same(a: ObservedFrame, b: ObservedFrame) -> bool:
    return (a.visible is None) == (b.visible is None) and float(np.abs(a.pixels - b.pixels).mean()) < _SAME_LEVELS


def _read_paint(puzzle: VoxelPuzzle, fit: PoseFit) -> tuple[str, ...]:
    """Return the colours of the sculpture in the frame."""
    if not puzzle.colours:
        return (_format_colour(fit.palette[:, 1] / (SHADE.max() if puzzle.look.is_shaded else 1.0)),)
    own = assign_colours(puzzle, fit.voxels)
    levels = np.array([[int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] for colour in own])
    return tuple(_format_colour(colour) for colour in levels @ fit.palette[:, :3].T + fit.palette[:, 3])


def _format_colour(levels: NDArray[np.float64]) -> str:
    return "#" + "".join(f"{round(min(max(level, 0.0), 255.0)):02x}" for level in levels)
