"""Registration: find where a video shows a puzzle's first frame, and align every frame with it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from xxhash import xxh3_128

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Placement
from vmevalkit.media.alignment import AlignmentResult, Template, shrink_frame
from vmevalkit.media.colour_map import ColourMap
from vmevalkit.media.image import Frame, Size
from vmevalkit.media.photometry import LevelEstimator, Photometry, Triple, measure_same_share
from vmevalkit.media.pyramid import Pyramid
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.similarity import compute_similarity
from vmevalkit.media.video_reader import TimedFrame
from vmevalkit.media.view import ViewRect, extract_view, find_view_slices, find_visible_mask, find_visible_slices
from vmevalkit.media.view_search import drop_near_duplicates, guess_from_bars, guess_from_sizes, search_whole_frame

MATCH_THRESHOLD = 0.6
"""A video whose match scores less shows another image. Through letterboxes, crops, blur, noise and H.264 at a low
bitrate, the right image scored 0.88 and more, another one of the same task 0.56 and less."""

_FULL_BRIGHTNESS = 0.8
"""A first frame with less gain may be the start of a fade-in."""
_SAME_SCORE = 0.03
"""Scores that differ by less count as equal."""
_BRIGHTER = 1.15
"""Factor of the gain by which a frame is clearly brighter than another one."""
_GOOD_SCORE = 0.8
"""A match that needs no further search."""
_CLEAN_SCORE = 0.93
"""A match that shear and tilt could hardly improve."""
_DROP, _GAIN = 0.015, 0.01
"""Agreement that is lost from one frame to the next where a camera that shakes may have been followed to a wrong view,
and by which a wider search must agree better."""
_LOST, _FOUND = 0.5, 0.75
"""Fractions of the agreement at the start: below the first the view is lost, from the second on it is found again."""
_SPREAD_FACTOR = 1.5
"""How much more than at the start the video may differ from the image before a difference counts as a change."""
_SPREAD_LEVELS = 18.0
"""The least such difference, in levels: a third of a pixel beside a sharp edge."""
_SEARCH_INTERVAL = 4
"""Frames from one search for a lost view to the next."""
_MIN_TRUST, _FULL_TRUST = 0.2, 0.5
"""Mean weight of the points: below the first the view is lost, from the second on the alignment is used fully."""
_TRACKING_ROUNDS = 5
"""Gauss-Newton rounds for a frame that follows another."""
_LEVELS = ((48, 600, 12, 0.08), (96, 1500, 10, 0.04), (200, 3000, 8, 0.02))
"""Levels of the search, from coarse to fine: long side of the template, points, rounds and tether."""
_TETHER = 0.012
"""How far a view is expected to move from one frame to the next, as a fraction of its size."""
_MIN_PULL_PX, _STRAIGHT_PX = 0.25, 0.12
"""Pixels of the finest template: an upright view is warped where shear and tilt would move a corner by more than the
first, and a warped one is upright again where they move it by less than the second."""
_WARP_GAIN = 0.75
"""A warped view must leave less than this share of an upright view's disagreement. Else the view stays upright."""
_EXPLAINED_LEVELS = 24.0
"""A point that differs by more is not explained by a view."""
_MAX_STRETCH, _MAX_ZOOM = 1.2, 2.5
"""Most change of a tracked view's aspect ratio and size since it was found: a camera zooms, it does not stretch."""
_MAX_FOUND_STRETCH = 2.2
"""Most stretch of a view that is found again, relative to the image: a cut may show the image stretched to 16:9."""
_WRONG_PX = 0.6
"""Pixels of the finest template by which a view must have moved to be compared with where it was before."""
_STILL_SHARE = 0.15
"""The camera stands still if so many points are where they were, and not where the new view would have them."""
_HOME_LEVELS = 4.0
"""Levels by which a point must fit better where it was: less is noise."""
_BLANK_CONTRAST = 0.3
"""Where colours are not followed, a frame with less contrast than this share of the reference's is part of a fade."""
_FLAT_LEVELS = 1.5
"""Standard deviation of the levels of a frame that shows one colour alone."""
_OTHER_GROUND_LEVELS = 48.0
"""Levels by which the ground of another image differs."""
_SAME_SHARE = 0.98
"""Where so many points have the colours that they had when the view was last measured, neither the camera nor the light
has changed since: a camera that moves leaves no edge in its place, so what has changed is a part."""
_LIGHT_LEVELS = 40.0
"""Levels by which the light may change colours from one frame to the next without being tried on the whole image."""
_KEPT_MODELS = 32
"""Images whose templates are kept: in training, many videos of a question follow each other."""
_WHOLE_FRAME = ViewRect(0, 0, 1, 1)


@dataclass(frozen=True, slots=True)
class Match:
    """How the first frames of a video show the image."""

    score: float
    """From 0 to 1; see MATCH_THRESHOLD."""
    view: ViewRect
    photometry: Photometry
    seconds: float
    """Time of the frame that matched best."""

    @property
    def gain(self) -> Triple:
        return self.photometry.gain

    @property
    def offset(self) -> Triple:
        return self.photometry.offset


class Registrar:
    """Registers one video with one image: ``start`` with its first frames, then ``register`` each frame."""

    def __init__(
        self, reference: Frame, reading_size: Size, placement: Placement | None = None, follow: bool = True,
        follow_light: bool = True, colour_map: ColourMap | None = None, file: tuple[Size, ViewRect] | None = None,
    ) -> None:  # fmt: skip
        """``follow`` says whether the view is tracked, ``follow_light`` whether the colours are where it is not.

        ``colour_map`` is applied to registered frames: from the reference's colours to those that readers know.
        ``file`` is the size of the picture that models are given, and where it shows the reference.
        """
        if min(reading_size) < 1:
            raise UsageError(f"the reading size is {reading_size[0]}x{reading_size[1]}; both must be at least 1")
        self._size = reference.shape[1], reference.shape[0]
        self._reading_size = reading_size
        self._follow, self._follow_light = follow, follow_light
        self._colour_map = colour_map
        self._file = file
        self._placed_view = None if placement is None else ViewRect.from_placement(placement)
        self._templates, level_estimator = _find_model(reference)
        self._level_estimator = copy(level_estimator)  # it notes what it finds in a video
        self._measured: Frame | None = None
        self._has_settled = True
        self._small_reference = shrink_frame(reference, reading_size)
        self._min_contrast = _BLANK_CONTRAST * _measure_contrast(reference, _WHOLE_FRAME)
        self._alignment: AlignmentResult | None = None
        self._previous_view: ViewRect | None = None
        self._home_view = _WHOLE_FRAME
        self._found_view = _WHOLE_FRAME
        self._start_view = _WHOLE_FRAME
        self._photometry = Photometry()
        self._usual_agreement = 1.0
        self._lost_frames = 0

    @property
    def view(self) -> ViewRect | None:
        """Where the video last showed the image; None before the start."""
        return None if self._alignment is None else self._alignment.view

    @property
    def has_settled(self) -> bool:
        """Whether the same frame again would be found in the same place: after a cut the view nears the image over
        several frames."""
        return self._has_settled

    def start(self, frames: Sequence[TimedFrame]) -> Match:
        """Find the image in the best of the frames. A video may fade in, so any of them may be the best."""
        if not frames:
            raise UsageError("cannot register a video without frames: pass those of its start")
        matches = [self._match(frames[0], thorough=False)]
        if matches[0].score < _GOOD_SCORE or min(matches[0].gain) < _FULL_BRIGHTNESS:
            others = frames[1:]
            step = max(1, len(others) // 4)
            matches += [self._match(timed, thorough=False) for timed in others[::-1][::step]]
            best = max(matches, key=lambda match: match.score)
            if best.score < _GOOD_SCORE:
                timed = next(timed for timed in frames if timed.seconds == best.seconds)
                matches.append(self._match(timed, thorough=True))
        best = max(matches, key=lambda match: match.score)
        # Of equal matches, the brightest: in a fade a dark or pale frame may score best.
        equal = [match for match in matches if self._is_as_good(match, best)]
        best = max(equal, key=lambda match: sum(match.gain))
        frame = next(timed.frame for timed in frames if timed.seconds == best.seconds)
        alignment = AlignmentResult(best.view, 1.0)
        if self._templates[-1].is_usable:
            alignment = self._templates[-1].align(Pyramid(frame), best.view, 0, _TETHER)
        self._set_found(_widen_spread(alignment))
        self._start_view = alignment.view
        self._usual_agreement = max(0.3, alignment.agreement)
        self._photometry = best.photometry
        return best

    def register(self, timed: TimedFrame) -> RegisteredFrame:
        """Return the frame aligned with the reference. Parts that the video does not show are taken from the reference
        and marked as not seen."""
        if self._alignment is None:
            self.start([timed])
        assert self._alignment is not None
        if self._follow:
            self._track(timed.frame)
        elif self._follow_light:
            self._estimate_light(Pyramid(timed.frame, self._alignment.view))
        view = self._alignment.view
        is_blank = self._is_pale(timed.frame, view)
        image = self._photometry.correct_levels(extract_view(timed.frame, view, self._reading_size))
        visible = find_visible_mask(view, (timed.frame.shape[1], timed.frame.shape[0]), self._reading_size)
        if visible is not None:
            image = np.where(visible[..., None], image, self._small_reference)
        if self._colour_map is not None:
            image = self._colour_map.apply(image)
        return RegisteredFrame(image, timed.seconds, visible, is_blank)

    def _is_pale(self, frame: Frame, view: ViewRect) -> bool:
        """Return whether the frame is too pale to be read. Frames that are followed are found pale by their match."""
        if self._follow and self._follow_light:
            # A card in the ground's own colour is no empty scene: that still has its lines.
            return self._min_contrast > _FLAT_LEVELS and _measure_contrast(frame, view) < _FLAT_LEVELS
        # Where all parts have moved away from their first places, the ground alone is seen there: that is not pale.
        # On another ground, as on an end card, it is another image.
        has_ground_only = self._level_estimator.is_blank or not self._follow_light
        if self._follow_light and has_ground_only and self._level_estimator.ground_shift > _OTHER_GROUND_LEVELS:
            return True
        return has_ground_only and _measure_contrast(frame, view) < self._min_contrast

    def _is_as_good(self, match: Match, best: Match) -> bool:
        """Return whether a match is as good as the best one. Where it is much brighter, it need only be good."""
        is_brighter = sum(match.gain) > _BRIGHTER * sum(best.gain)
        return match.score >= (_GOOD_SCORE if is_brighter else best.score - _SAME_SCORE)

    def _match(self, timed: TimedFrame, thorough: bool) -> Match:
        """Return the best of several first guesses in one frame. All are aligned coarsely, the best ones finely."""
        pyramid = Pyramid(timed.frame)
        best = Match(0.0, self._placed_view or _WHOLE_FRAME, Photometry(), timed.seconds)
        if self._placed_view is not None and not thorough:
            best = self._keep_better(
                best, self._refine(pyramid, self._align_coarsely(pyramid, self._placed_view)), pyramid
            )
            if best.score >= _GOOD_SCORE:
                return best
        guesses = self._search_guesses(pyramid) if thorough else self._quick_guesses(pyramid)
        coarse = sorted((self._align_coarsely(pyramid, guess) for guess in guesses), key=lambda fit: -fit.agreement)
        for view in drop_near_duplicates((result.view for result in coarse), 0.02)[:4]:
            best = self._keep_better(best, self._refine(pyramid, AlignmentResult(view, 0.0)), pyramid)
            if best.score >= _GOOD_SCORE:
                break
        return best

    def _quick_guesses(self, pyramid: Pyramid) -> list[ViewRect]:
        template = self._templates[-1]
        small, _ = pyramid.select_level(_WHOLE_FRAME, template.size)
        within = [] if self._file is None else guess_from_sizes(self._file[0], pyramid.size)
        return drop_near_duplicates(
            [
                *(self._file[1].place_in(view) for view in within if self._file is not None),
                *guess_from_sizes(self._size, pyramid.size),
                *guess_from_bars(template.colour, small),
            ]
        )

    def _search_guesses(self, pyramid: Pyramid) -> list[ViewRect]:
        small, _ = pyramid.select_level(_WHOLE_FRAME, self._templates[-1].size)
        return search_whole_frame(self._templates[-1].colour, small)

    def _align_coarsely(self, pyramid: Pyramid, guess: ViewRect) -> AlignmentResult:
        return self._align_at_level(pyramid, AlignmentResult(guess, 0.0), 0)

    def _refine(self, pyramid: Pyramid, alignment: AlignmentResult) -> AlignmentResult:
        for level in range(1, len(_LEVELS)):
            alignment = self._align_at_level(pyramid, alignment, level)
        return alignment

    def _warp(self, pyramid: Pyramid, alignment: AlignmentResult) -> AlignmentResult:
        """Return an alignment whose view may be sheared and tilted."""
        for level in range(len(_LEVELS)):
            alignment = self._align_at_level(pyramid, alignment, level, warp=True)
        return alignment

    def _align_at_level(
        self, pyramid: Pyramid, alignment: AlignmentResult, level: int, warp: bool = False
    ) -> AlignmentResult:
        _, _, rounds, tether = _LEVELS[level]
        if not self._templates[level].is_usable:
            return alignment
        after = self._templates[level].align(pyramid, alignment.view, rounds, tether, warp=warp)
        if after.view.is_plausible:
            return after
        return AlignmentResult(alignment.view, min(alignment.agreement, after.agreement))

    def _keep_better(self, best: Match, alignment: AlignmentResult, pyramid: Pyramid) -> Match:
        upright = self._rate(alignment.view, best.seconds, pyramid)
        if upright.score < _CLEAN_SCORE:
            warped = self._rate(self._warp(pyramid, alignment).view, best.seconds, pyramid)
            if 1 - warped.score < _WARP_GAIN * (1 - upright.score):
                upright = warped
        return upright if upright.score > best.score else best

    def _rate(self, view: ViewRect, seconds: float, pyramid: Pyramid) -> Match:
        """Return how well a view shows the image."""
        template = self._templates[-1]
        photometry = self._level_estimator.estimate(pyramid, view, None) or Photometry()
        image = photometry.correct_levels(extract_view(pyramid.frame, view, template.size))
        visible = find_visible_slices(view, pyramid.size, template.size)
        score = compute_similarity(template.colour, image, visible)
        return Match(score, view, photometry, seconds)

    def _track(self, frame: Frame) -> None:
        """Follow the view to this frame. Where that fails, the last good view stays."""
        if not self._templates[-1].is_usable:
            return
        assert self._alignment is not None
        last = self._alignment.view
        self._has_settled = True
        if self._is_unmoved(frame):
            self._previous_view = last
            return
        start = last if self._previous_view is None else last.extrapolate_from(self._previous_view)
        pyramid = Pyramid(frame, start)
        alignment = self._align_next(pyramid, start, self._alignment)
        if alignment.agreement < self._alignment.agreement - _DROP:
            alignment = self._align_widely(pyramid, last, alignment)
        if self._is_credible(alignment, _LOST) and self._is_near_found(alignment.view):
            self._previous_view = last
            view = start.interpolate_to(alignment.view, (alignment.trust - _MIN_TRUST) / (_FULL_TRUST - _MIN_TRUST))
            if self._is_back_at_start(pyramid, replace(alignment, view=view)):
                view, self._previous_view = self._start_view, None
                self._found_view = self._home_view = view
            elif self._stands_still(pyramid, view):
                view, self._previous_view = self._home_view, None
            self._alignment = replace(alignment, view=view, spread=self._alignment.spread)
        else:
            self._previous_view = None
            pyramid = Pyramid(frame)
            found = self._recover(pyramid)
            if found is None:
                self._lost_frames += 1
                return
            self._set_found(_widen_spread(found))
        self._lost_frames = 0
        self._estimate_light(pyramid)
        # After a cut the view nears the image over several frames: until it rests there, each of them is measured.
        view, size = self._alignment.view, self._templates[-1].size
        self._has_settled = last.measure_distance(view) * max(size) < _WRONG_PX
        self._measured = self._templates[-1].sample_pixels(frame, view) if self._has_settled else None

    def _is_unmoved(self, frame: Frame) -> bool:
        """Return whether the camera and the light are as they were when both were last measured."""
        if self._measured is None or self._lost_frames:
            return False
        assert self._alignment is not None
        pixels = self._templates[-1].sample_pixels(frame, self._alignment.view)
        return measure_same_share(pixels, self._measured) >= _SAME_SHARE

    def _estimate_light(self, pyramid: Pyramid) -> None:
        assert self._alignment is not None
        found = self._level_estimator.estimate(pyramid, self._alignment.view, self._photometry)
        if found is not None and not self._distorts(pyramid.frame, found):
            self._photometry = found

    def _distorts(self, frame: Frame, found: Photometry) -> bool:
        """Return whether a light that was found changes colours much and explains the frame less than the last one.

        Light is measured where the image is flat. In a picture full of textures those places have few colours, and what
        fits them may say nothing of the others."""
        template, last = self._templates[-1], self._photometry
        assert self._alignment is not None
        expected = [template.colours @ light.matrix.T + light.offset for light in (last, found)]
        if np.percentile(np.abs(expected[1] - expected[0]), 95) < _LIGHT_LEVELS:
            return False
        pixels = template.sample_pixels(frame, self._alignment.view).astype(np.float32)
        off = [np.minimum(np.abs(pixels - each).max(axis=1), 2 * _LIGHT_LEVELS).mean() for each in expected]
        return bool(off[1] > off[0])

    def _set_found(self, alignment: AlignmentResult) -> None:
        self._alignment = alignment
        self._found_view = self._home_view = alignment.view

    def _align_next(self, pyramid: Pyramid, start: ViewRect, last: AlignmentResult) -> AlignmentResult:
        """Return the alignment of a frame that follows another. A view is warped only where that explains clearly more:
        an upright view has fewer unknowns that something in front of the image could move."""
        template = self._templates[-1]
        if start.is_upright:
            upright = template.align(pyramid, start, _TRACKING_ROUNDS, _TETHER, last)
            if upright.pull_px < _MIN_PULL_PX:
                return upright
            warped = template.align(pyramid, upright.view, _TRACKING_ROUNDS, _TETHER, last, warp=True)
            return warped if warped.view.is_plausible and self._explains_more(pyramid, warped, upright) else upright
        warped = template.align(pyramid, start, _TRACKING_ROUNDS, _TETHER, last, warp=True)
        straight = warped.view.straighten()
        if warped.view.measure_distance(straight) * max(template.size) < _STRAIGHT_PX:
            return replace(warped, view=straight)
        return warped

    def _align_widely(self, pyramid: Pyramid, last: ViewRect, near: AlignmentResult) -> AlignmentResult:
        """Return the alignment from a coarse search around the last view, or the near one where that agrees as well.

        A thin line that moves by more than its width from one frame to the next does not pull at the finest level.
        A camera that shakes shows the image in its shape. A view that a large thing takes along, while the rest of the
        image stands still, is stretched between both."""
        assert self._alignment is not None
        coarse = AlignmentResult(last, 0.0)
        for level in range(len(_LEVELS) - 1):
            coarse = self._align_at_level(pyramid, coarse, level)
        wide = self._align_next(pyramid, coarse.view, self._alignment)
        if _measure_stretch(last, wide.view) * max(self._templates[-1].size) >= _WRONG_PX:
            return near
        return wide if wide.agreement > near.agreement + _GAIN and wide.trust > near.trust else near

    def _explains_more(self, pyramid: Pyramid, warped: AlignmentResult, upright: AlignmentResult) -> bool:
        """Return whether a warped view explains clearly more of the points that either view explains."""
        template = self._templates[-1]
        costs = np.stack([template.compute_residuals(pyramid, each.view, each) for each in (warped, upright)])
        costs = np.minimum(costs / _EXPLAINED_LEVELS, 1) ** 2
        costs = costs[:, costs.min(axis=0) < 1]
        return bool(costs[0].sum() < _WARP_GAIN * costs[1].sum())

    def _is_back_at_start(self, pyramid: Pyramid, found: AlignmentResult) -> bool:
        """Return whether the image is where it was at the start, and not in the view that was followed: one slide may
        push another out of the frame, and a board looks like itself two squares further."""
        template, views = self._templates[-1], (self._start_view, found.view)
        if self._start_view.measure_distance(found.view) * max(template.size) < _WRONG_PX:
            return False
        at_start, there = (template.count_explained(pyramid, view, found, _SPREAD_LEVELS) for view in views)
        return at_start - there >= _STILL_SHARE * len(template.levels)

    def _stands_still(self, pyramid: Pyramid, view: ViewRect) -> bool:
        """Return whether the camera has not moved, though the view found seems to have.

        A camera that moves leaves nothing in its place. So where many points are exactly where they were, and not where
        the view would have them, something else has moved.
        """
        template = self._templates[-1]
        assert self._alignment is not None
        if self._home_view.measure_distance(view) * max(template.size) < _WRONG_PX:
            return False
        there = template.compute_residuals(pyramid, view, self._alignment)
        home = template.compute_residuals(pyramid, self._home_view, self._alignment)
        is_home = (home < _SPREAD_LEVELS) & (home < 0.5 * there - _HOME_LEVELS)
        if np.count_nonzero(is_home) >= _STILL_SHARE * len(home):
            return True
        self._home_view = view
        return False

    def _is_near_found(self, view: ViewRect) -> bool:
        """Return whether the view has the size and shape that it had when it was found, within what a camera does."""
        wider, higher = view.width / self._found_view.width, view.height / self._found_view.height
        is_near_shape = 1 / _MAX_STRETCH <= wider / higher <= _MAX_STRETCH
        return is_near_shape and min(wider, higher) >= 1 / _MAX_ZOOM and max(wider, higher) <= _MAX_ZOOM

    def _is_credible(self, alignment: AlignmentResult, fraction: float) -> bool:
        agrees = alignment.agreement >= fraction * self._usual_agreement
        return alignment.view.is_plausible and agrees and alignment.trust >= _MIN_TRUST

    def _recover(self, pyramid: Pyramid) -> AlignmentResult | None:
        """Search around the last good view and at the quick guesses. A search is slow, so not every frame has one."""
        assert self._alignment is not None
        if self._lost_frames > 1 and self._lost_frames % _SEARCH_INTERVAL:
            return None
        views = [self._alignment.view, *self._quick_guesses(pyramid)] if self._lost_frames else [self._alignment.view]
        coarse = max((self._align_coarsely(pyramid, view) for view in views), key=lambda result: result.agreement)
        alignment = self._refine(pyramid, coarse)
        if not self._is_credible(alignment, _FOUND):
            alignment = self._warp(pyramid, alignment)
        width, height = alignment.view.width * pyramid.size[0], alignment.view.height * pyramid.size[1]
        stretch = (width / height) / (self._size[0] / self._size[1])
        has_shape = 1 / _MAX_FOUND_STRETCH <= stretch <= _MAX_FOUND_STRETCH or self._is_near_found(alignment.view)
        return alignment if has_shape and self._is_credible(alignment, _FOUND) else None


_models: OrderedDict[bytes, tuple[list[Template], LevelEstimator]] = OrderedDict()


def _find_model(reference: Frame) -> tuple[list[Template], LevelEstimator]:
    """Return the templates of an image, and what estimates its levels. Those of the last images are kept."""
    key = xxh3_128(np.ascontiguousarray(reference).data).digest() + repr(reference.shape).encode()
    if key not in _models:
        templates = [Template(reference, side, points) for side, points, _, _ in _LEVELS]
        _models[key] = templates, LevelEstimator(templates[-1].colour)
        while len(_models) > _KEPT_MODELS:
            _models.popitem(last=False)
    _models.move_to_end(key)
    return _models[key]


def _measure_contrast(frame: Frame, view: ViewRect) -> float:
    rows, columns = find_view_slices(view, (frame.shape[1], frame.shape[0]))
    return float(frame[rows, columns][::8, ::8].std())


def _measure_stretch(before: ViewRect, after: ViewRect) -> float:
    """Return by which share of its size a view has become wider or higher than it would by a zoom."""
    return abs((after.width / before.width) / (after.height / before.height) - 1)


def _widen_spread(alignment: AlignmentResult) -> AlignmentResult:
    return replace(alignment, spread=max(_SPREAD_LEVELS, _SPREAD_FACTOR * alignment.spread))
