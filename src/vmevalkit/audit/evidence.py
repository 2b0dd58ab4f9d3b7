"""One film of an audit, kept to be looked at: the film, a filmstrip and the score."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np

from vmevalkit.audit.audit import Examiner, Job, Trial
from vmevalkit.audit.scorers import Scorer
from vmevalkit.core.jsonable import to_json
from vmevalkit.media.canvas import side_by_side
from vmevalkit.media.picture import Frame, encode_png
from vmevalkit.media.video import read_frames
from vmevalkit.store.commit import prepare_for, write_file

FRAMES = 8
HEIGHT = 180
"""Of a filmstrip, in pixels."""


def keep(job: Job, scorer: Scorer, folder: Path) -> tuple[Trial, Path]:
    """Make, score and keep the film of a job; returns its trial and the filmstrip's path."""
    name = str(job.recipe).replace("/", "-")
    film = folder / f"{name}.mp4"
    prepare_for(film)
    trial = Examiner(scorer).keep(job, film)
    strip = folder / f"{name}.png"
    write_file(strip, encode_png(filmstrip(film)))
    write_file(folder / f"{name}.json", json.dumps(to_json(trial.score), indent=2) + "\n")
    return trial, strip


def filmstrip(film: Path, frames: int = FRAMES) -> Frame:
    """Pictures at equal distances over the whole film, the first and the last among them."""
    shown = [timed.frame for timed in read_frames(film)]
    places = np.linspace(0, len(shown) - 1, min(frames, len(shown))).round().astype(int)
    return side_by_side(_shrunk(shown[place]) for place in places)


def _shrunk(frame: Frame) -> Frame:
    width = round(frame.shape[1] * HEIGHT / frame.shape[0])
    return np.asarray(cv2.resize(frame, (width, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
