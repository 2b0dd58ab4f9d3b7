"""Scenes for the tests of registration: they look like the tasks' puzzles, but belong to none."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame


def maze(seed: int) -> Frame:
    """Thin black walls on white, 832 x 480."""
    rng = Random(f"maze:{seed}")
    canvas = Canvas(832, 480)
    rows, columns, cell, left, top = 7, 13, 60, 26, 30
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * cell, top + row * cell
            if row and rng.random() < 0.45:
                canvas.line([(x, y), (x + cell, y)], "#000000", 4)
            if column and rng.random() < 0.45:
                canvas.line([(x, y), (x, y + cell)], "#000000", 4)
    right, bottom = left + columns * cell, top + rows * cell
    canvas.line([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], "#000000", 4)
    canvas.circle(left + cell / 2, top + cell / 2, 16, "#00a000")
    canvas.circle(right - cell / 2, bottom - cell / 2, 16, "#d00000")
    return canvas.frame()


def board(seed: int) -> Frame:
    """A chess board with letters on it, up to the image's edge, 400 x 400."""
    rng = Random(f"board:{seed}")
    canvas = Canvas(400, 400)
    squares = [(row, column) for row in range(8) for column in range(8)]
    for row, column in squares:
        canvas.rectangle(column * 50, row * 50, 50, 50, "#f0d9b5" if (row + column) % 2 == 0 else "#b58863")
    for row, column in rng.sample(squares, 16):
        colour = "#ffffff" if rng.random() < 0.5 else "#101010"
        canvas.text(rng.choice("QKRN"), column * 50 + 25, row * 50 + 25, 40, colour, bold=True)
    return canvas.frame()


def shapes(seed: int) -> Frame:
    """Coloured discs and squares scattered on white, 256 x 256."""
    rng = Random(f"shapes:{seed}")
    canvas = Canvas(256, 256)
    places = rng.sample([(x, y) for x in range(4) for y in range(4)], 7)
    for column, row in places:
        x, y = 32 + 64 * column + rng.uniform(-8, 8), 32 + 64 * row + rng.uniform(-8, 8)
        colour, radius = rng.choice(["#e41a1c", "#377eb8", "#4daf4a", "#ffd92f", "#984ea3"]), rng.uniform(12, 20)
        if rng.random() < 0.5:
            canvas.circle(x, y, radius, colour)
        else:
            canvas.polygon(
                [
                    (x - radius, y - radius),
                    (x + radius, y - radius),
                    (x + radius, y + radius),
                    (x - radius, y + radius),
                ],
                colour,
            )
    return canvas.frame()


def sculpture(seed: int) -> Frame:
    """A snake of edged boxes in the middle of a white image, 400 x 400."""
    rng = Random(f"sculpture:{seed}")
    canvas = Canvas(400, 400)
    x, y = 180.0, 200.0
    for _ in range(9):
        side, lean = 30.0, 12.0
        front = [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]
        top = [(x, y), (x + lean, y - lean), (x + side + lean, y - lean), (x + side, y)]
        canvas.polygon(front, (0.56, 0.56, 0.72), "#000000", 1.5)
        canvas.polygon(top, (0.7, 0.7, 0.9), "#000000", 1.5)
        dx, dy = rng.choice([(side, 0), (-side, 0), (0, side), (lean, -lean)])
        x, y = min(300.0, max(90.0, x + dx)), min(300.0, max(90.0, y + dy))
    return canvas.frame()


SCENES: dict[str, Callable[[int], Frame]] = {"maze": maze, "board": board, "shapes": shapes, "sculpture": sculpture}
