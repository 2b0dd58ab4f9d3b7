"""Kinds of videos with known verdicts, to measure how often a scorer errs.

Each kind is a way to render a video for any task that offers what it needs, with the verdict that a careful viewer
gives. The verdicts were decided from what a user sees (the picture and the prompt) before any of the videos was scored.
"""

from __future__ import annotations

from collections.abc import Mapping

from vmevalkit.audit.kinds.camera_and_light import CAMERA_AND_LIGHT
from vmevalkit.audit.kinds.delivery import DELIVERY
from vmevalkit.audit.kinds.generic_cheats import GENERIC_CHEATS
from vmevalkit.audit.kinds.hidden_motion import HIDDEN_MOTION
from vmevalkit.audit.kinds.kind import VideoKind, find_offers
from vmevalkit.audit.kinds.maze import MAZE_KINDS
from vmevalkit.audit.kinds.object_subtraction import OBJECT_SUBTRACTION_KINDS
from vmevalkit.audit.kinds.part_cheats import PART_CHEATS
from vmevalkit.audit.kinds.part_honest import PART_HONEST
from vmevalkit.audit.kinds.raven import RAVEN_KINDS
from vmevalkit.audit.kinds.rotation import ROTATION_KINDS
from vmevalkit.audit.kinds.rotation_puzzle_cheats import ROTATION_PUZZLE_CHEATS
from vmevalkit.audit.kinds.rotation_puzzle_honest import ROTATION_PUZZLE_HONEST
from vmevalkit.audit.kinds.round_2_delivery import ROUND_2_DELIVERY
from vmevalkit.audit.kinds.round_2_generic import ROUND_2_GENERIC
from vmevalkit.audit.kinds.round_2_maze import ROUND_2_MAZE
from vmevalkit.audit.kinds.round_2_object_subtraction import ROUND_2_OBJECT_SUBTRACTION
from vmevalkit.audit.kinds.round_2_players import ROUND_2_PLAYERS
from vmevalkit.audit.kinds.round_2_raven import ROUND_2_RAVEN
from vmevalkit.audit.kinds.round_2_rotation import ROUND_2_ROTATION
from vmevalkit.audit.kinds.round_2_rotation_puzzle import ROUND_2_ROTATION_PUZZLE
from vmevalkit.audit.kinds.round_2_sudoku import ROUND_2_SUDOKU
from vmevalkit.audit.kinds.sudoku import SUDOKU_KINDS
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.task import AnyTask

if "chess" in list(TASKS):  # ``in TASKS`` knows the name without its package
    from vmevalkit.audit.kinds.chess_cheats import CHESS_CHEATS
    from vmevalkit.audit.kinds.chess_honest import CHESS_HONEST
    from vmevalkit.audit.kinds.round_2_chess import ROUND_2_CHESS
else:
    CHESS_CHEATS = CHESS_HONEST = ROUND_2_CHESS = ()

__all__ = ["KINDS", "PARTS", "ROUNDS", "ROUND_1", "ROUND_2", "VideoKind", "find_kinds", "find_offers"]

ROUND_1: tuple[VideoKind, ...] = (
    *CAMERA_AND_LIGHT,
    *DELIVERY,
    *GENERIC_CHEATS,
    *HIDDEN_MOTION,
    *CHESS_HONEST,
    *CHESS_CHEATS,
    *MAZE_KINDS,
    *OBJECT_SUBTRACTION_KINDS,
    *RAVEN_KINDS,
    *ROTATION_KINDS,
    *ROTATION_PUZZLE_HONEST,
    *ROTATION_PUZZLE_CHEATS,
    *SUDOKU_KINDS,
)
"""All kinds of the first round."""
ROUND_2: tuple[VideoKind, ...] = (
    *ROUND_2_DELIVERY,
    *ROUND_2_PLAYERS,
    *ROUND_2_GENERIC,
    *ROUND_2_CHESS,
    *ROUND_2_MAZE,
    *ROUND_2_OBJECT_SUBTRACTION,
    *ROUND_2_RAVEN,
    *ROUND_2_ROTATION,
    *ROUND_2_ROTATION_PUZZLE,
    *ROUND_2_SUDOKU,
)
"""All kinds of the second round, written after the rules were mended by what the first round showed."""
PARTS: tuple[VideoKind, ...] = (*PART_HONEST, *PART_CHEATS)
"""Kinds of every puzzle of the kit."""
ROUNDS: Mapping[str, tuple[VideoKind, ...]] = {"round_1": ROUND_1, "round_2": ROUND_2, "parts": PARTS}
KINDS: Mapping[str, VideoKind] = {kind.name: kind for kinds in ROUNDS.values() for kind in kinds}


def find_kinds(task: AnyTask) -> list[VideoKind]:
    """Return the kinds whose needs the task meets."""
    return [kind for kind in KINDS.values() if kind.serves(task)]
