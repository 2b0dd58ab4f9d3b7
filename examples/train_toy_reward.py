"""Train a toy generator with two rewards: one that looks at the final frame alone, and the package's own.

The generator moves the dot of a small maze. It may move in any direction, through walls too, or jump to the flag. It is
trained by policy gradients with group-relative advantages, as GRPO does. Which videos are legal solutions is known from
the moves, without looking at a frame. Two minutes on one core; it writes the two learning curves.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from vmevalkit import RewardFunction
from vmevalkit.core.jsonable import from_json
from vmevalkit.tasks import TASKS

MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))
JUMP = len(MOVES)
MOST_ACTIONS = 8
FPS, FRAMES_PER_MOVE, LEAD, HOLD = 12, 3, 2, 7
SIZE = (416, 240)
STEP = 0.6
JUMP_LOGIT = -2.0
"""At first one action in thirty is a jump: the fault of a generator that is rarely seen, until a reward pays for it."""

Video = NDArray[np.uint8]


@dataclass
class Maze:
    """One question: what the generator needs to draw videos, and to know which are legal."""

    question_id: str
    puzzle: Any
    logits: NDArray[np.float64]
    """Of each action in each cell: the generator's weights."""
    rewards: dict[tuple[int, ...], float] = field(default_factory=dict)
    """Of the videos that were scored: the same actions give the same video."""
    frames: dict[tuple[float, float], Video] = field(default_factory=dict)

    def sample_actions(self, rng: np.random.Generator) -> tuple[int, ...]:
        """Return the actions of one video: until the dot is at the flag, or there are enough."""
        actions: list[int] = []
        while len(actions) < MOST_ACTIONS and self.walk(actions)[-1] != self.puzzle.goal:
            actions.append(int(rng.choice(JUMP + 1, p=self.probabilities(self.walk(actions)[-1]))))
        return tuple(actions)

    def probabilities(self, cell: tuple[int, int]) -> NDArray[np.float64]:
        shares = np.exp(self.logits[cell] - self.logits[cell].max())
        return np.asarray(shares / shares.sum())

    def walk(self, actions: tuple[int, ...] | list[int]) -> list[tuple[int, int]]:
        """Return the cells that the dot visits. A move out of the maze leaves it where it is."""
        cells = [self.puzzle.start]
        for action in actions:
            row, column = cells[-1]
            if action == JUMP:
                cells.append(self.puzzle.goal)
                continue
            after = row + MOVES[action][0], column + MOVES[action][1]
            cells.append(after if min(after) >= 0 and max(after) < self.puzzle.grid_n else cells[-1])
        return cells

    def is_legal_solution(self, actions: tuple[int, ...]) -> bool:
        """Return whether the dot gets to the flag without a jump and without crossing a wall."""
        cells = self.walk(actions)
        is_open = all(
            one == other or tuple(sorted((one, other))) in self.puzzle.passages for one, other in pairwise(cells)
        )
        return JUMP not in actions and is_open and cells[-1] == self.puzzle.goal

    def is_cheat(self, actions: tuple[int, ...]) -> bool:
        return self.walk(actions)[-1] == self.puzzle.goal and not self.is_legal_solution(actions)

    def draw_video(self, actions: tuple[int, ...]) -> Video:
        cells = self.walk(actions)
        points = [(column + 0.5, row + 0.5) for row, column in cells]
        shown = [points[0]] * LEAD
        for action, one, other in zip(actions, points, points[1:], strict=False):
            times = [1.0] if action == JUMP else np.linspace(0, 1, FRAMES_PER_MOVE + 1)[1:]
            shown += [(one[0] + t * (other[0] - one[0]), one[1] + t * (other[1] - one[1])) for t in times]
        return np.stack([self._draw_frame(point) for point in [*shown, *[shown[-1]] * HOLD]])

    def _draw_frame(self, point: tuple[float, float]) -> Video:
        if point not in self.frames:
            task = TASKS["maze"]
            state = replace(task.solution(self.puzzle, 0.0), dots=(point,))
            self.frames[point] = np.asarray(
                cv2.resize(task.draw(self.puzzle, state), SIZE, interpolation=cv2.INTER_AREA)
            )
        return self.frames[point]


class FinalFrameReward:
    """Pays for a last frame that looks like the solved image."""

    def __call__(self, mazes: list[Maze], videos: list[Video]) -> list[float]:
        rewards = []
        for maze, video in zip(mazes, videos, strict=True):
            task = TASKS["maze"]
            wanted = cv2.resize(task.final_frame(maze.puzzle), SIZE, interpolation=cv2.INTER_AREA).astype(float)
            left, whole = np.abs(video[-1] - wanted).mean(), np.abs(video[0] - wanted).mean()
            rewards.append(float(np.clip(1 - left / whole, 0, 1)))
        return rewards


class RuleReward:
    """Pays for legal progress, and in full for a legal solution."""

    def __init__(self, function: RewardFunction) -> None:
        self._function = function

    def __call__(self, mazes: list[Maze], videos: list[Video]) -> list[float]:
        return self._function(videos, [maze.question_id for maze in mazes], FPS).rewards


def make_mazes(function: RewardFunction) -> list[Maze]:
    mazes = []
    for name, question in function.questions.items():
        puzzle = from_json(TASKS["maze"].puzzle_type, question.metadata["puzzle"])
        logits = np.zeros((puzzle.grid_n, puzzle.grid_n, JUMP + 1))
        logits[..., JUMP] = JUMP_LOGIT
        mazes.append(Maze(name, puzzle, logits))
    return mazes


def train(mazes: list[Maze], reward: Any, iterations: int, group: int, seed: int) -> NDArray[np.float64]:
    """Return mean reward, share of legal solutions and share of cheats for each iteration. A cheat gets to the flag by
    a jump or through a wall."""
    rng = np.random.default_rng(seed)
    curve = []
    for _ in range(iterations):
        batch = [(maze, [maze.sample_actions(rng) for _ in range(group)]) for maze in mazes]
        new = {
            (maze.question_id, actions): maze for maze, each in batch for actions in each if actions not in maze.rewards
        }
        scored = reward(list(new.values()), [maze.draw_video(actions) for (_, actions), maze in new.items()])
        for ((_, actions), maze), value in zip(new.items(), scored, strict=True):
            maze.rewards[actions] = value
        for maze, each in batch:
            values = np.array([maze.rewards[actions] for actions in each])
            advantages = (values - values.mean()) / (values.std() + 0.05)
            gradient = np.zeros_like(maze.logits)
            for actions, advantage in zip(each, advantages, strict=True):
                for action, cell in zip(actions, maze.walk(actions), strict=False):
                    gradient[cell] -= advantage * maze.probabilities(cell)
                    gradient[(*cell, action)] += advantage
            maze.logits += STEP * gradient / group**0.5
        samples = [(maze, actions) for maze, each in batch for actions in each]
        curve.append(
            (
                np.mean([maze.rewards[actions] for maze, actions in samples]),
                np.mean([maze.is_legal_solution(actions) for maze, actions in samples]),
                np.mean([maze.is_cheat(actions) for maze, actions in samples]),
            )
        )
    return np.array(curve)


def draw_curves(curves: dict[str, NDArray[np.float64]], path: Path) -> None:
    figure, axes = plt.subplots(1, len(curves), figsize=(9.6, 3.4), sharey=True, layout="constrained")
    for axis, (title, curve) in zip(axes, curves.items(), strict=True):
        names = ("reward that is trained on", "legal solutions", "at the flag by a jump or through a wall")
        lines = ("-", "--", ":")
        for values, label, colour, line in zip(curve.T, names, ("#1f5fa8", "#1a7f37", "#c2410c"), lines, strict=True):
            axis.plot(np.arange(len(values)), values, line, label=label, color=colour, lw=2)
        axis.set(title=title, xlabel="iteration", ylim=(-0.02, 1.04))
        axis.grid(alpha=0.25)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    axes[0].set_ylabel("mean over the videos of an iteration")
    axes[0].legend(loc="center right", frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--group", type=int, default=16, help="videos of each maze in an iteration")
    parser.add_argument("--mazes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("training.png"))
    options = parser.parse_args()
    with RewardFunction(tasks=["maze"], n=options.mazes, seed=options.seed, workers=options.workers) as function:
        curves = {}
        for title, reward in (("Final-frame reward", FinalFrameReward()), ("RewardFunction", RuleReward(function))):
            curves[title] = train(make_mazes(function), reward, options.iterations, options.group, options.seed)
            value, legal, cheats = curves[title][-5:].mean(axis=0)
            print(f"{title}: reward {value:.2f}, legal solutions {legal:.0%}, cheats {cheats:.0%}")
    draw_curves(curves, options.out)
    print(options.out)


if __name__ == "__main__":
    main()
