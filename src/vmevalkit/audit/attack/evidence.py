"""What is kept of a program: its video, a filmstrip, the program and one sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from vmevalkit.audit.attack.drawing import draw_run
from vmevalkit.audit.attack.program import Program, format_program
from vmevalkit.audit.attack.symbolic import run_program
from vmevalkit.audit.attack.trials import Trial
from vmevalkit.core.jsonable import digest, to_json
from vmevalkit.media.filmstrip import make_filmstrip
from vmevalkit.media.image import encode_png
from vmevalkit.media.video import write_video
from vmevalkit.store.atomic import write_file


def save_trial(trial: Trial, sentence: str, folder: Path) -> Path:
    """Write a trial's files into a folder of its own in ``folder``, and return that."""
    program = replace(trial.program, expected=trial.label.verdict if trial.label.is_sure else "", note=sentence)
    place = folder / f"{program.task}_{trial.label.verdict}_{digest(replace(program, note=''))[:8]}"
    write_strip(program, place)
    write_file(place / "program.json", format_program(program))
    write_file(place / "finding.txt", sentence + "\n")
    write_file(place / "score.json", json.dumps(to_json(trial.score), indent=2) + "\n")
    return place


def write_strip(program: Program, place: Path) -> Path:
    """Write the video of a program and its filmstrip, and return the path of the strip."""
    run = run_program(program)
    video, strip = place / "video.mp4", place / "strip.png"
    write_video(video, draw_run(run), run.fps, crf=12)
    write_file(strip, encode_png(make_filmstrip(video, count=12, height=150)))
    return strip
