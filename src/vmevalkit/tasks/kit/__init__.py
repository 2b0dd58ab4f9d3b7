"""The scene kit: a puzzle in one file. What a puzzle file needs is imported from here."""

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.media.canvas import Canvas
from vmevalkit.tasks.evidence import MotionLimits
from vmevalkit.tasks.kit.board_layout import BoardLayout
from vmevalkit.tasks.kit.drawing import SHAPES, draw_grid, draw_shape
from vmevalkit.tasks.kit.fill_task import Answer, FillTask
from vmevalkit.tasks.kit.move_task import Arrangement, MoveTask, Piece
from vmevalkit.tasks.kit.palette import PALETTE
from vmevalkit.tasks.kit.scene import Part, Scene
from vmevalkit.tasks.kit.turn_task import TurnTask

__all__ = [
    "PALETTE",
    "SHAPES",
    "Answer",
    "Arrangement",
    "BoardLayout",
    "Canvas",
    "FillTask",
    "MotionLimits",
    "MoveTask",
    "Part",
    "Piece",
    "Scene",
    "TurnTask",
    "Uncertified",
    "UsageError",
    "draw_grid",
    "draw_shape",
]
