"""Whether the motion of the parts was shown, where the way to the answer counts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from vmevalkit.core.records import Finding
from vmevalkit.media.residual import Blob
from vmevalkit.tasks import evidence
from vmevalkit.tasks.evidence import PartReading
from vmevalkit.tasks.task import AnyTask, FrameReading

Trace = Sequence[FrameReading[Any]]


def check_motion(task: AnyTask, puzzle: Any, trace: Trace) -> list[Finding]:
    """Return the findings on the motion of each moving part, where the way to the answer counts. The worst part speaks
    for all."""
    if task.motion is None:
        return []
    start = task.moving_parts(puzzle, task.solution(puzzle, 0.0))
    first_s = trace[0].seconds - (trace[1].seconds - trace[0].seconds if len(trace) > 1 else 0.0)
    readings = _read_parts(task, puzzle, trace)
    found: dict[str, Finding] = {}
    for part, position in start.items():
        positions = [PartReading(first_s, position), *(each[part] for each in readings)]
        for finding in evidence.check_motion(positions, _counter(task, puzzle, part), task.motion):
            found.setdefault(finding.name, finding)
    return list(found.values())


def _read_parts(task: AnyTask, puzzle: Any, trace: Trace) -> list[dict[Hashable, PartReading]]:
    """Return the position of each moving part in each frame. A part with something else over it was not seen."""
    names = list(task.moving_parts(puzzle, task.solution(puzzle, 0.0)))
    blobs: tuple[Blob, ...] = ()
    result = []
    for reading in trace:
        if reading.state is None:
            result.append({name: PartReading(reading.seconds, None, reading.is_covered) for name in names})
            continue
        blobs = reading.blobs if reading.blobs is not None else blobs
        positions, boxes = task.moving_parts(puzzle, reading.state), task.part_boxes(puzzle, reading.state)
        covered = {
            name for name, box in boxes.items() if any(blob.overlaps(box) for blob in blobs if not blob.is_style)
        }
        result.append(
            {
                name: PartReading(reading.seconds, None if name in covered else positions.get(name), name in covered)
                for name in names
            }
        )
    return result


def _counter(task: AnyTask, puzzle: Any, part: Hashable) -> Any:
    return lambda before, after: task.count_steps(puzzle, part, before, after)
