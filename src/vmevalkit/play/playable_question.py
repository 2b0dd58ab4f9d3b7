"""What the browser needs to show a puzzle, and the legal moves from what it shows."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import cv2
import numpy as np

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Question
from vmevalkit.media.image import encode_png
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.kit.looks import Patch, paint_looks
from vmevalkit.tasks.kit.move_task import MoveTask
from vmevalkit.tasks.kit.scene import Part, Scene
from vmevalkit.tasks.kit.scene_task import SceneTask
from vmevalkit.tasks.kit.turn_task import TurnTask
from vmevalkit.tasks.puzzle_loading import load_puzzle

FPS = 24.0
MOVE_FRAMES = 12
"""Frames of one legal move, which is half a second."""
MOST_MOVES = 60
"""Most legal moves that the browser is told of."""
_STEPS_PER_S = 5.0
"""How fast a part may be dragged, in units of the steps that a motion may always make from frame to frame."""
_MOST = 1e9


class PlayableQuestion:
    """One question of the scene kit, as the browser sees it."""

    def __init__(self, question: Question) -> None:
        task = TASKS[question.domain]
        if not isinstance(task, SceneTask):
            raise UsageError(f"{question.domain} is not a puzzle of the scene kit, so it cannot be played")
        self.question, self.task = question, task
        if "puzzle" not in question.metadata:
            raise UsageError(f"{question.folder} has no puzzle in its metadata; generate it with vmevalkit generate")
        self.puzzle = load_puzzle(task, question.metadata["puzzle"], question.folder)
        self.stage = task.stage(self.puzzle)

    def describe(self) -> dict[str, Any]:
        """Return everything that the browser needs, as JSON."""
        looks = paint_looks(self.stage, 1.0)
        names = sorted({look for kind in self.stage.kinds.values() for look in kind.looks if look})
        x, y = self.stage.size[0] // 2, self.stage.size[1] // 2
        sprites = {}
        for name in names:
            patch = looks.render(Part("", x, y, name))
            if patch is not None:
                sprites[name] = {"png": _encode_sprite(patch), "left": patch.left - x, "top": patch.top - y}
        task = self.task
        step_px = task.cell_px if isinstance(task, MoveTask) and not isinstance(task, TurnTask) else 0.0
        step_deg = task.step_deg if isinstance(task, TurnTask) else 0.0
        speed = _STEPS_PER_S * (task.motion.free_steps if task.motion else 1.0) / FPS
        return {
            "id": self.question.id, "title": task.title, "prompt": self.question.prompt, "fps": FPS,
            "size": self.stage.size, "ground": _encode_data(encode_png(self.stage.ground)), "sprites": sprites,
            "parts": [asdict(part) for part in self.stage.start.parts],
            "kinds": {name: {"looks": kind.looks, "moves": kind.moves, "turns": kind.turns}
                      for name, kind in self.stage.kinds.items()},
            "places": self._list_places(), "angles": self._list_angles(), "step_px": step_px, "step_deg": step_deg,
            "px_per_frame": speed * step_px, "deg_per_frame": speed * step_deg,
            "has_moves": isinstance(task, MoveTask),
        }  # fmt: skip

    def list_moves(self, parts: Sequence[Part]) -> list[list[list[dict[str, Any]]]]:
        """Return the legal moves from what is shown, each as the parts frame by frame; none where no arrangement is
        shown."""
        if not isinstance(self.task, MoveTask):
            return []
        found: list[list[list[dict[str, Any]]]] = []
        for at in self.task.candidates(self.puzzle, Scene(tuple(parts))):
            for after in self.task.moves(self.puzzle, at):
                times = [index / MOVE_FRAMES for index in range(1, MOVE_FRAMES + 1)]
                scenes = [self.task.move_between(self.puzzle, at, after, t) for t in times]
                found.append([[asdict(part) for part in scene.parts] for scene in scenes])
                if len(found) == MOST_MOVES:
                    return found
        return found

    def parse_parts(self, data: object) -> tuple[Part, ...]:
        """Return the parts of a scene that the browser sent. Raises UsageError where it could not be one."""
        width, height = self.stage.size
        parts: dict[str, Part] = {}
        for row in data if isinstance(data, list) else [data]:
            if not isinstance(row, dict):
                raise UsageError(f"a part is an object of JSON, not {row!r:.80}")
            name, look = row.get("name"), row.get("look")
            kind = self.stage.kinds.get(name) if isinstance(name, str) else None
            if kind is None or name in parts:
                raise UsageError(f"the puzzle has no part {name!r:.80}, or has it twice")
            if look not in kind.looks:
                raise UsageError(f"the part {name} cannot look like {look!r:.80}")
            x, y, angle, opacity = (_read_number(row, key) for key in ("x", "y", "angle", "opacity"))
            x, y = min(max(x, 0.0), float(width)), min(max(y, 0.0), float(height))
            parts[str(name)] = Part(str(name), x, y, str(look), angle % 360, min(max(opacity, 0.0), 1.0))
        # In the order of drawing, whatever the order of the message.
        return tuple(parts[part.name] for part in self.stage.start.parts if part.name in parts)

    def _list_places(self) -> dict[str, list[tuple[float, float]]]:
        """Return where each piece can be, so that one that is dropped nearby goes there."""
        task = self.task
        if not isinstance(task, MoveTask) or isinstance(task, TurnTask):
            return {}
        return {
            piece.name: [
                task.position(self.puzzle, piece, place)
                for place in task.places(self.puzzle, piece)
                if place is not None
            ]
            for piece in task.pieces(self.puzzle)
        }

    def _list_angles(self) -> dict[str, list[float]]:
        """Return the angles of each piece that turns in place."""
        task = self.task
        if not isinstance(task, TurnTask):
            return {}
        return {
            piece.name: [task.angle(self.puzzle, piece, place) for place in task.places(self.puzzle, piece)]
            for piece in task.pieces(self.puzzle)
        }


def _read_number(row: dict[str, Any], key: str) -> float:
    value = row.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < _MOST:
        raise UsageError(f"the {key} of the part {row.get('name')} is not a number: {value!r:.40}")
    return float(value)


def _encode_sprite(patch: Patch) -> str:
    alpha = patch.alpha[..., None]
    colour = np.clip(patch.colour / np.maximum(alpha, 1e-3), 0, 255)
    picture = np.concatenate([colour, np.clip(alpha * 255, 0, 255)], axis=2).round().astype(np.uint8)
    _, data = cv2.imencode(".png", cv2.cvtColor(picture, cv2.COLOR_RGBA2BGRA))
    return _encode_data(data.tobytes())


def _encode_data(png: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")
