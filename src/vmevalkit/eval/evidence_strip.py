"""The evidence strip of a video: the frames that its findings are about, with what was read drawn over them.

A finding has a row: some frames before it, the frame itself with what is wrong marked in red, and what follows. Only
these frames are decoded again, after the verdict, so that scoring keeps no frames in memory.
"""

from __future__ import annotations

import textwrap
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from vmevalkit.core.records import Finding, Placement
from vmevalkit.eval.pipeline import JudgedVideo, make_registrar, read_opening, working_size
from vmevalkit.eval.state_overlay import READ, REMARK, WRONG, StateOverlay
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.video import probe, read_frames
from vmevalkit.tasks.pictures.own_pictures import PreparedQuestion, prepare_question
from vmevalkit.tasks.task import AnyTask, FrameReading

WIDTH = 1000
"""Pixels."""
MAX_ROWS = 3
"""Times that are shown: first those of findings that gate, then by time."""
COLUMNS = 5
AROUND_S = 0.4
"""Seconds from the frame of a finding to the frames before and after it."""
_FOLLOW_S = 0.25
"""Seconds between frames that are registered only to follow a moving view."""
_SAME_S = 0.1
"""Findings whose times differ by no more than this share a row."""
_GAP, _CAPTION, _LINE, _LABEL = 5, 13.0, 18, 17
_LINE_LETTERS = 118
"""Letters of a bold line that fit."""
_SOFT, _RED, _AMBER = "#475569", "#dc2626", "#b45309"

Trace = Sequence[FrameReading[Any]]


@dataclass(frozen=True, slots=True)
class StripRow:
    """Findings at one time and the frames that show them."""

    findings: tuple[Finding, ...]
    frames: tuple[int, ...]
    """Indexes in the trace."""
    marked: int
    """The index of the frame in which what is wrong is marked."""


def choose_rows(findings: Sequence[Finding], trace: Trace) -> list[StripRow]:
    """Return the findings to show, in the order of time, and for each the frames before, at and after it."""
    times = [reading.seconds for reading in trace]
    by_frame: dict[int, list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: (not finding.gating, _seconds(finding, trace))):
        at = min(bisect_left(times, _seconds(finding, trace) - 1e-3), len(times) - 1)
        near = next((index for index in by_frame if abs(times[index] - times[at]) <= _SAME_S), at)
        by_frame.setdefault(near, []).append(finding)
    first = sorted(list(by_frame)[:MAX_ROWS])
    return [StripRow(tuple(by_frame[at]), _choose_frames(at, trace), at) for at in first]


def _seconds(finding: Finding, trace: Trace) -> float:
    """Return the time of a finding. One without a time is about the whole video, which the end shows best."""
    return trace[-1].seconds if finding.seconds is None else finding.seconds


def _choose_frames(at: int, trace: Trace) -> tuple[int, ...]:
    """Return the frames to show around one: earlier ones, the one before, the next that could be read, and the end."""
    times = [reading.seconds for reading in trace]
    last = len(times) - 1
    around = [bisect_left(times, times[at] + offset) for offset in (-AROUND_S, AROUND_S)]
    seen_again = next((index for index in range(at, last + 1) if trace[index].state is not None), last)
    wanted = [0, around[0], at - 1, at, seen_again, around[1], last]
    frames = sorted({min(max(index, 0), last) for index in wanted})
    while len(frames) > COLUMNS:
        frames.remove(next(index for index in frames if index not in (at, seen_again, at - 1)))
    return tuple(frames)


def make_evidence_strip(
    task: AnyTask, puzzle: Any, video: Path, judged: JudgedVideo, placement: Placement | None,
    first_frame: Frame | None = None, final_frame: Path | None = None,
) -> Frame | None:  # fmt: skip
    """Return the strip of a video; None where nothing was found in it."""
    rows = choose_rows(judged.score.findings, judged.trace) if judged.trace else []
    if not rows:
        return None
    needed = sorted({index for row in rows for index in row.frames})
    prepared = prepare_question(task, puzzle, first_frame, final_frame)
    shown = dict(zip(needed, _register_again(prepared, puzzle, video, placement, needed), strict=False))
    overlay = StateOverlay(prepared.task, puzzle)
    tile = (WIDTH - (COLUMNS - 1) * _GAP) // COLUMNS
    parts = [_draw_row(row, judged.trace, shown, overlay, tile) for row in rows]
    return np.concatenate([*parts, _draw_legend()])


def _register_again(
    prepared: PreparedQuestion, puzzle: Any, video: Path, placement: Placement | None, needed: Sequence[int]
) -> Iterator[RegisteredFrame]:  # fmt: skip
    """Yield the frames with these indexes, aligned as they were read. The video is decoded up to the last of them."""
    info = probe(video)
    frames = read_frames(video, within=working_size(prepared.task, puzzle, (info.width, info.height)))
    opening, frames = read_opening(frames)
    registrar = make_registrar(prepared, puzzle, placement)
    registrar.start(opening)
    remaining, next_s = list(needed), 0.0
    for index, timed in enumerate(frames):
        is_needed = index == remaining[0]
        if is_needed or timed.seconds >= next_s:
            registered = registrar.register(timed)
            next_s = timed.seconds + _FOLLOW_S
        if is_needed:
            yield registered
            del remaining[0]
        if not remaining:
            return


def _draw_row(
    row: StripRow, trace: Trace, shown: dict[int, RegisteredFrame], overlay: StateOverlay, tile: int
) -> Frame:
    tiles = []
    is_gating = any(finding.gating for finding in row.findings)
    # What is true of a whole video has no frame of its own.
    mark = None if all(finding.seconds is None for finding in row.findings) else WRONG if is_gating else REMARK
    for before, index in pairwise((-1, *row.frames)):
        if index not in shown:  # a damaged file may decode to fewer frames than before
            continue
        reference = trace[before].state if before >= 0 else None
        picture = overlay.draw(shown[index], trace[index], tile, mark if index == row.marked else None, reference)
        tiles.append((picture, trace[index], mark is not None and index == row.marked))
    lines = [
        (line, finding.gating)
        for finding in row.findings
        for line in textwrap.wrap(_write_caption(finding), _LINE_LETTERS) or [""]
    ]
    top = 6 + _LINE * len(lines)
    high = max((picture.shape[0] for picture, _, _ in tiles), default=0)
    canvas = Canvas(WIDTH, top + high + _LABEL + 6)
    for number, (line, is_red) in enumerate(lines):
        colour = _RED if is_red else _AMBER
        canvas.text(line, 2, 4 + _LINE * (number + 0.5), _CAPTION, fill=colour, anchor="left", bold=is_red)
    strong = _RED if is_gating else _AMBER
    for column, (picture, reading, is_marked) in enumerate(tiles):
        x = column * (tile + _GAP)
        canvas.paste(picture, x, top)
        label = f"{reading.seconds:.2f} s" + ("" if reading.state is not None else ", not readable")
        middle = x + picture.shape[1] / 2
        colour = strong if is_marked else _SOFT
        canvas.text(label, middle, top + high + _LABEL / 2, 12.0, fill=colour, bold=is_marked)
    return canvas.frame()


def _draw_legend() -> Frame:
    canvas = Canvas(WIDTH, _LINE)
    x = 2.0
    for colour, words in (
        (READ, "read, other than in the first frame"), (WRONG, "wrong"), (REMARK, "remark, or not explained"),
    ):  # fmt: skip
        canvas.rectangle(x, 5, 8, 8, "#{:02x}{:02x}{:02x}".format(*colour))
        canvas.text(words, x + 13, _LINE / 2, 11.0, fill=_SOFT, anchor="left")
        x += 25 + 6.8 * len(words)
    return canvas.frame()


def _write_caption(finding: Finding) -> str:
    at = "" if finding.seconds is None else f"{finding.seconds:.2f} s  "
    weight = "" if finding.gating else " (remark)"
    return f"{at}{finding.name.replace('_', ' ')}{weight}: {finding.detail}"
