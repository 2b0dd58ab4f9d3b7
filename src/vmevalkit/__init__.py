"""VMEvalKit measures whether video-generation models can reason.

It generates puzzles with known answers, lets a model generate a video of the solution, and reads the video back into
puzzle states.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vmevalkit.core.errors import VMEvalKitError
    from vmevalkit.core.records import Finding, Placement, Question, Request, Run, Score
    from vmevalkit.datasets.create import create_dataset, list_tasks
    from vmevalkit.eval.api import score_frames, score_video
    from vmevalkit.results.table import load_results
    from vmevalkit.reward.reward_function import RewardFunction
    from vmevalkit.runs.run_model import run_model
    from vmevalkit.store.questions import load_question, load_questions
    from vmevalkit.tasks import TASKS

__version__ = "0.9.0"

# Public names load at use: `import vmevalkit` costs milliseconds.
_HOMES = {
    "Finding": "vmevalkit.core.records",
    "Placement": "vmevalkit.core.records",
    "Question": "vmevalkit.core.records",
    "Request": "vmevalkit.core.records",
    "RewardFunction": "vmevalkit.reward.reward_function",
    "Run": "vmevalkit.core.records",
    "Score": "vmevalkit.core.records",
    "TASKS": "vmevalkit.tasks",
    "VMEvalKitError": "vmevalkit.core.errors",
    "create_dataset": "vmevalkit.datasets.create",
    "list_tasks": "vmevalkit.datasets.create",
    "load_question": "vmevalkit.store.questions",
    "load_questions": "vmevalkit.store.questions",
    "load_results": "vmevalkit.results.table",
    "run_model": "vmevalkit.runs.run_model",
    "score_frames": "vmevalkit.eval.api",
    "score_video": "vmevalkit.eval.api",
}

__all__ = [
    "Finding",
    "Placement",
    "Question",
    "Request",
    "RewardFunction",
    "Run",
    "Score",
    "TASKS",
    "VMEvalKitError",
    "__version__",
    "create_dataset",
    "list_tasks",
    "load_question",
    "load_questions",
    "load_results",
    "run_model",
    "score_frames",
    "score_video",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'vmevalkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
