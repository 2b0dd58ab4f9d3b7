"""Reading of a frame back into a scene: for each square the pose of its pipe, its colour and whether it is visible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import dist

from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.rotation_puzzle_task.camera_motion import PipeMatch, estimate_camera, find_shifted_camera
from vmevalkit.tasks.rotation_puzzle_task.frame_analysis import FrameAnalysis, clamp_opacity
from vmevalkit.tasks.rotation_puzzle_task.pipes import KINDS
from vmevalkit.tasks.rotation_puzzle_task.planes import WORK_SCALE, FramePlanes, compute_planes, cut_patch
from vmevalkit.tasks.rotation_puzzle_task.puzzle import RotationPuzzle
from vmevalkit.tasks.rotation_puzzle_task.render import draw_scene
from vmevalkit.tasks.rotation_puzzle_task.scene import (
    BLUE,
    NEW,
    OTHER,
    Pipe,
    PipeCamera,
    PipeScene,
    build_scene,
    get_layout,
)
from vmevalkit.tasks.rotation_puzzle_task.solution import get_solution_scene
from vmevalkit.tasks.rotation_puzzle_task.templates import get_templates
from vmevalkit.tasks.rotation_puzzle_task.unmatched_pipes import (
    MAX_MISFIT,
    FittedPipe,
    find_best_shape,
    find_unmatched_pipes,
    fit_dissolve,
    fit_shape_near,
)

_GOOD_MISFIT = 0.13
"""A fit with a smaller misfit is not checked for a dissolve."""
_MIN_OPACITY = 0.3
"""A pipe with less ink does not count as visible."""
_MAX_OCCLUSION = 0.55
"""A square of which a larger share is covered cannot be read."""
_PARTIAL_OCCLUSION = 0.01
"""A square without a clear pipe of which a larger share is covered may look so because it is covered."""
_PARTIAL_MISFIT, _MIN_DISTINCTION = 0.22, 0.3
"""Where a square is partly covered, the misfit must be smaller, and the best other angle worse by this much."""
_UNEXPLAINED_INK = 0.35
"""Ink beyond that of the known pipes, as a share of a pipe's, from which further pipes are searched for."""
_AT_HOME_PX = 15.0
"""A pipe that was within this distance of its square is used to estimate the camera."""
_MIN_CLEAR_SHARE = 0.5
"""Where a smaller share of the pipes is clearly where they were, the camera may have moved far."""
_MIN_PRESENT_SHARE = 0.5
"""The share of the squares that must be visible or covered in a readable frame."""


class PipeReader:
    """Reader of the frames of one puzzle."""

    def __init__(self, puzzle: RotationPuzzle) -> None:
        layout = get_layout(puzzle.rows, puzzle.cols)
        self._centres = layout.centres
        self._start = get_solution_scene(puzzle, 0.0)
        self._kinds = [pipe.shape for pipe in self._start.pipes]
        self._square = layout.square
        self._templates = {kind: get_templates(kind, layout.square * WORK_SCALE) for kind in KINDS}

    def read(self, frame: RegisteredFrame, before: PipeScene | None) -> PipeScene | None:
        """Return the scene, or None where most squares are missing. A covered pipe keeps its last known state."""
        planes = compute_planes(frame)
        if planes is None:
            return None
        last = before or self._start
        analysis, clear, unclear = self._find_clear_pipes(planes, last, last.camera)
        if len(clear) < _MIN_CLEAR_SHARE * len(self._centres):
            far = find_shifted_camera(planes, draw_scene(self._square, last), last.camera)
            shifted = self._find_clear_pipes(planes, last, far)
            if len(shifted[1]) > len(clear):
                (analysis, clear, unclear), last = shifted, replace(last, camera=far)
        camera = self._estimate_camera(last, clear)
        if camera.has_moved_from(analysis.camera):
            analysis, clear, unclear = self._find_clear_pipes(planes, last, camera)
            camera = self._estimate_camera(replace(last, camera=camera), clear)
        pipes = [pipe for home, fitted in clear.items() for pipe in self._read_clear(analysis, home, fitted, camera)]
        missing: list[int] = []
        for home in unclear:
            found = self._read_unclear(analysis, self._get_last_pipe(last, home), camera)
            pipes += found
            missing += [] if found else [home]
        pipes += self._find_unmatched(analysis, pipes, missing, camera)
        present = {pipe.home for pipe in pipes if pipe.home != NEW and pipe.shape != OTHER}
        has_visible = any(pipe.is_visible for pipe in pipes)
        if len(present) < _MIN_PRESENT_SHARE * len(self._centres) or not has_visible:
            return None
        return build_scene(pipes, camera)

    def _find_clear_pipes(
        self, planes: FramePlanes, last: PipeScene, camera: PipeCamera
    ) -> tuple[FrameAnalysis, dict[int, FittedPipe], list[int]]:
        """Return the analysis, the pipes that are clearly where they were, and the squares without such a pipe."""
        analysis = FrameAnalysis(planes, camera, self._templates)
        clear: dict[int, FittedPipe] = {}
        unclear: list[int] = []
        for home, kind in enumerate(self._kinds):
            pipe = self._get_last_pipe(last, home)
            place = camera.project((pipe.x, pipe.y))
            occlusion = analysis.measure_occlusion(place)
            fitted = None
            if occlusion <= _MAX_OCCLUSION:
                cut = analysis.cut_occlusion if occlusion else None
                fitted = fit_shape_near(self._templates[kind], planes.blue, place, camera.zoom, cut)
            if fitted is not None and _is_clear(fitted, occlusion > 0):
                clear[home] = fitted
            else:
                unclear.append(home)
        return analysis, clear, unclear

    def _get_last_pipe(self, scene: PipeScene, home: int) -> Pipe:
        """Return the pipe as it was last visible, or as in the first frame."""
        known = scene.pipes_at(home)
        return known[0] if known else self._start.pipes[home]

    def _estimate_camera(self, last: PipeScene, clear: dict[int, FittedPipe]) -> PipeCamera:
        """Return the camera from the pipes that were at their squares."""
        matches = []
        for home, fitted in clear.items():
            pipe = self._get_last_pipe(last, home)
            if dist((pipe.x, pipe.y), self._centres[home]) < _AT_HOME_PX:
                matches.append(PipeMatch(self._centres[home], fitted.place))
        return estimate_camera(matches, last.camera)

    def _read_clear(self, analysis: FrameAnalysis, home: int, fitted: FittedPipe, camera: PipeCamera) -> list[Pipe]:
        """Return a pipe that is clearly visible; both pipes where it dissolves into another one."""
        if fitted.fit.misfit > _GOOD_MISFIT and not analysis.measure_occlusion(fitted.place):
            templates = self._templates[fitted.shape]
            patch = cut_patch(analysis.planes.blue, fitted.place, analysis.camera.zoom, templates.side)
            both = fit_dissolve(templates, patch, fitted.fit)
            if both is not None:
                x, y = camera.unproject(fitted.place)
                return [Pipe(home, fitted.shape, angle, x, y, opacity=clamp_opacity(share)) for angle, share in both]
        return [analysis.make_pipe(home, fitted, self._square, camera)]

    def _read_unclear(self, analysis: FrameAnalysis, last: Pipe, camera: PipeCamera) -> list[Pipe]:
        """Return what is at a place that does not clearly show its pipe; nothing where no pipe can be recognised."""
        zoom = analysis.camera.zoom
        place = analysis.camera.project((last.x, last.y))
        occlusion = analysis.measure_occlusion(place)
        if occlusion > 0:
            recoloured = find_best_shape(self._templates.values(), analysis.dark, place, zoom)
            if recoloured is not None and not analysis.has_foreign_ring(recoloured.place):
                pipe = analysis.make_pipe(last.home, recoloured, self._square, camera, is_dark=True)
                if pipe.colour != BLUE:
                    return [pipe]
        if occlusion > _PARTIAL_OCCLUSION:
            return [replace(last, is_visible=False)]
        templates = self._templates[self._kinds[last.home]]
        patch = cut_patch(analysis.planes.blue, place, zoom, templates.side)
        both = fit_dissolve(templates, patch, templates.fit(patch))
        if both is not None:
            return [
                Pipe(last.home, templates.shape, angle, last.x, last.y, opacity=clamp_opacity(share))
                for angle, share in both
            ]
        reshaped = find_best_shape(self._templates.values(), analysis.planes.blue, place, zoom)
        return [] if reshaped is None else [analysis.make_pipe(last.home, reshaped, self._square, camera)]

    def _find_unmatched(
        self, analysis: FrameAnalysis, pipes: Sequence[Pipe], missing: Sequence[int], camera: PipeCamera
    ) -> list[Pipe]:
        """Return pipes that left their squares, things that replaced them, and new pipes."""
        margin = _UNEXPLAINED_INK * self._templates["L"].area * camera.zoom**2
        if not missing and analysis.measure_ink() < self._sum_pipe_areas(pipes, camera) + margin:
            return []
        known = [
            FittedPipe(
                pipe.shape,
                camera.project((pipe.x, pipe.y)),
                self._templates[pipe.shape].make_exact_fit(pipe.angle_deg),
            )
            for pipe in pipes
            if pipe.shape != OTHER
        ]
        found = find_unmatched_pipes(analysis.planes, known, list(self._templates.values()), camera.zoom)
        remaining = list(missing)
        unmatched = []
        for fitted in sorted(found, key=lambda candidate: (candidate.shape == OTHER, candidate.fit.misfit)):
            place = camera.unproject(fitted.place)
            home = min(remaining, key=lambda number: dist(self._centres[number], place), default=NEW)
            if home != NEW:
                remaining.remove(home)
            unmatched.append(analysis.make_pipe(home, fitted, self._square, camera))
        return unmatched

    def _sum_pipe_areas(self, pipes: Iterable[Pipe], camera: PipeCamera) -> float:
        """Return the area that the pipes should cover, in pixels."""
        total = sum(self._templates[pipe.shape].area * pipe.opacity for pipe in pipes if pipe.shape != OTHER)
        return camera.zoom**2 * total


def _is_clear(fitted: FittedPipe, is_partly_covered: bool) -> bool:
    fit = fitted.fit
    if fit.misfit > MAX_MISFIT or fit.opacity < _MIN_OPACITY or fit.misfit > 0.6 * fit.opacity:
        return False
    is_distinct = fit.misfit < _PARTIAL_MISFIT and fit.alternative_misfit > fit.misfit + _MIN_DISTINCTION
    return not is_partly_covered or is_distinct
