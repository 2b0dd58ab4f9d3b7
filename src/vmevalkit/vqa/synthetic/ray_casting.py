"""The certificate of questions about views: rays are cast at the sculpture, without the code that drew the images.

For every option the silhouette that it would give is computed and compared with the image. Exactly the option that is
marked as the answer must match.
"""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import Uncertified
from vmevalkit.media.image import Frame
from vmevalkit.vqa.synthetic.question import SyntheticQuestion
from vmevalkit.vqa.synthetic.voxel_questions import CAMERA_MOVES, SIDES

STEP = 4
"""Pixels between two rays."""
MATCHES, DIFFERS = 0.96, 0.90
"""Overlap (intersection over union) of two silhouettes: at least so much for the answer, at most so much for others."""
_WHITE = 250


def certify_views(question: SyntheticQuestion) -> None:
    """Raise Uncertified unless the marked option, and no other, explains the last image."""
    scene, images = question.scene, question.images
    _require_match(scene, images[0], scene["azim_deg"], scene["elev_deg"], "first")
    if question.kind == "side_of_view":
        quarter = 90.0 * SIDES.index(scene["second"])
        _require_match(scene, images[1], scene["azim_deg"] + quarter, scene["elev_deg"], "second")
    shown = read_silhouette(images[-1])
    for option in question.options:
        overlap = measure_overlap(cast_silhouette(scene, *_camera_of_option(question, option)), shown)
        is_answer = option == question.correct_option
        if is_answer and overlap < MATCHES:
            raise Uncertified(f"the answer {option!r} explains only {overlap:.2f} of the last image")
        if not is_answer and overlap > DIFFERS:
            raise Uncertified(f"{option!r} explains {overlap:.2f} of the last image and is not the answer")


def _camera_of_option(question: SyntheticQuestion, option: str) -> tuple[float, float, float]:
    """Return azimuth, elevation and zoom of the last image if the option were true."""
    scene = question.scene
    if question.kind == "side_of_view":
        return scene["azim_deg"] + 90.0 * SIDES.index(option), scene["elev_deg"] + scene["tilt_deg"], 1.0
    turn, tilt, zoom = CAMERA_MOVES[option]
    return scene["azim_deg"] + turn * scene["turn_deg"], scene["elev_deg"] + tilt * scene["tilt_deg"], zoom


def _require_match(scene: dict[str, Any], image: Frame, azim_deg: float, elev_deg: float, name: str) -> None:
    overlap = measure_overlap(cast_silhouette(scene, azim_deg, elev_deg, 1.0), read_silhouette(image))
    if overlap < MATCHES:
        raise Uncertified(f"the sculpture explains only {overlap:.2f} of the {name} image")


def cast_silhouette(
    scene: dict[str, Any], azim_deg: float, elev_deg: float, zoom: float, side: int = 400
) -> NDArray[np.bool_]:
    """Return which rays of a grid meet a voxel, for a camera in this direction from the sculpture's centre."""
    a, e = radians(azim_deg), radians(elev_deg)
    towards = np.array([cos(e) * cos(a), cos(e) * sin(a), sin(e)])
    right = np.array([-sin(a), cos(a), 0.0])
    up = np.cross(towards, right)
    eye = np.array(scene["centre"]) + scene["distance"] * towards
    places = ((np.arange(STEP // 2, side, STEP) + 0.5) / side - 0.5) / zoom  # the middle of a pixel
    across = places / scene["lens"]
    above = (-places - scene["lift"]) / scene["lens"]
    rays = (
        -scene["distance"] * towards + across[None, :, None] * right[None, None] + above[:, None, None] * up[None, None]
    )
    met = np.zeros(rays.shape[:2], np.bool_)
    with np.errstate(divide="ignore", invalid="ignore"):
        for voxel in np.array(scene["voxels"], np.float64):
            near, far = (voxel - 0.5 - eye) / rays, (voxel + 0.5 - eye) / rays
            enter = np.minimum(near, far).max(axis=2)
            leave = np.maximum(near, far).min(axis=2)
            met |= enter <= leave
    return met


def read_silhouette(image: Frame) -> NDArray[np.bool_]:
    """Return which points of the same grid are not background."""
    half = STEP // 2
    return np.asarray((image[half::STEP, half::STEP] < _WHITE).any(axis=2))


def measure_overlap(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    """Return intersection over union."""
    union = int((one | other).sum())
    return int((one & other).sum()) / union if union else 1.0
