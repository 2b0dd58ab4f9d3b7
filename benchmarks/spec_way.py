"""The specification's way of drawing a question: a fresh matplotlib figure, a temporary PNG, reload, resize.

Kept as the reference that our own drawing is compared with; nothing else uses it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from PIL import Image, ImageDraw, ImageFont

CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
FACES = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]


def _voxels(voxels: Any, elev: float, azim: float, path: Path) -> None:
    figure, axes = plt.subplots(1, 1, figsize=(8, 8), subplot_kw={"projection": "3d"})
    faces = [[tuple(corner) for corner in (CORNERS + voxel)[list(face)]] for voxel in voxels for face in FACES]
    colours = [(0.7, 0.7, 0.9)] * len(faces)
    axes.add_collection3d(Poly3DCollection(faces, facecolors=colours, linewidths=0.8, edgecolors="black", alpha=0.8))
    points = np.concatenate([CORNERS + voxel for voxel in voxels])
    centre, reach = points.mean(axis=0), np.ptp(points, axis=0).max() / 2 * 1.2
    axes.set_xlim(centre[0] - reach, centre[0] + reach)
    axes.set_ylim(centre[1] - reach, centre[1] + reach)
    axes.set_zlim(centre[2] - reach, centre[2] + reach)
    axes.set_proj_type("persp")
    axes.set_axis_off()
    axes.view_init(elev=elev, azim=azim)
    aside = path.with_name(path.stem + "_temp.png")
    figure.savefig(aside, bbox_inches="tight", pad_inches=0.1, dpi=150)
    plt.close(figure)
    with Image.open(aside) as image:
        side = min(image.size)
        left, top = (image.width - side) // 2, (image.height - side) // 2
        square = image.convert("RGB").crop((left, top, left + side, top + side))
        square.resize((400, 400), Image.Resampling.LANCZOS).save(path)
    aside.unlink()


def _rotation(puzzle: Any, folder: Path) -> None:
    _voxels(puzzle.voxels, puzzle.elev_deg, puzzle.azim_deg, folder / "first_frame.png")
    _voxels(puzzle.voxels, puzzle.elev_deg, puzzle.azim_deg + 180, folder / "final_frame.png")


def _maze_picture(raster: np.ndarray, dot: tuple[int, int], flag: tuple[int, int], path: Path) -> None:
    figure, axes = plt.subplots(figsize=(8.32, 4.80), dpi=100)
    axes.imshow(raster, cmap="gray", vmin=0, vmax=1)
    axes.set_xticks([])  # this and the next four are the library's, whose plain plot the specification takes
    axes.set_yticks([])
    axes.set_xlabel("")
    axes.set_ylabel("")
    axes.axis("off")
    axes.plot(flag[1], flag[0], marker="^", markersize=18, color="#ef4444")
    axes.plot(dot[1], dot[0], marker="o", markersize=18, color="#22c55e")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _maze(puzzle: Any, folder: Path) -> None:
    unit = 14
    n = puzzle.grid_n
    raster = np.zeros((n * unit + 1, n * unit + 1))
    for row in range(n):
        for col in range(n):
            raster[row * unit + 1 : (row + 1) * unit, col * unit + 1 : (col + 1) * unit] = 1
    for (r0, c0), (r1, c1) in puzzle.passages:
        if r0 == r1:
            raster[r0 * unit + 1 : (r0 + 1) * unit, max(c0, c1) * unit] = 1
        else:
            raster[max(r0, r1) * unit, c0 * unit + 1 : (c0 + 1) * unit] = 1
    centre = {cell: (cell[0] * unit + unit // 2, cell[1] * unit + unit // 2) for cell in (puzzle.start, puzzle.goal)}
    _maze_picture(raster, centre[puzzle.start], centre[puzzle.goal], folder / "first_frame.png")
    _maze_picture(raster, centre[puzzle.goal], centre[puzzle.goal], folder / "final_frame.png")


def _sudoku_picture(digits: Any, order: int, path: Path) -> None:
    figure, axes = plt.subplots(1, 1, figsize=(6, 6))
    for i in range(order + 1):
        axes.axhline(y=i, color="black", linewidth=2)
        axes.axvline(x=i, color="black", linewidth=2)
    for number, digit in enumerate(digits):
        i, j = divmod(number, order)
        if digit:
            axes.text(
                j + 0.5, order - 0.5 - i, str(digit), fontsize=24, ha="center", va="center", fontweight="bold",
                color="blue",
            )  # fmt: skip
        else:
            corner = (j, order - 1 - i)
            axes.add_patch(plt.Rectangle(corner, 1, 1, linewidth=0, facecolor="lightgray", alpha=0.3))
    axes.set_xlim(0, order)
    axes.set_ylim(0, order)
    axes.set_aspect("equal")
    axes.axis("off")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _sudoku(puzzle: Any, folder: Path) -> None:
    _sudoku_picture(puzzle.givens, puzzle.order, folder / "first_frame.png")
    _sudoku_picture(puzzle.solution, puzzle.order, folder / "final_frame.png")


def _object_patch(thing: Any) -> Any:
    x, y, half = thing.x, thing.y, thing.size / 2
    if thing.shape == "cube":
        return plt.Rectangle((x - half, y - half), 2 * half, 2 * half, facecolor=thing.colour)
    if thing.shape == "sphere":
        return plt.Circle((x, y), half, facecolor=thing.colour)
    top, high = (half / 3, half) if thing.shape == "cone" else (0.0, half * np.sqrt(3) / 2)
    corners = [(x - top, y - high), (x + top, y - high), (x + half, y + high), (x - half, y + high)]
    return plt.Polygon(corners, facecolor=thing.colour)


def _objects_picture(things: Any, canvas: int, path: Path) -> None:
    figure, axes = plt.subplots(figsize=(canvas / 100, canvas / 100), dpi=100)
    axes.set_xlim(0, canvas)
    axes.set_ylim(canvas, 0)
    axes.set_aspect("equal")
    axes.axis("off")
    for thing in things:
        axes.add_patch(_object_patch(thing))
    figure.subplots_adjust(left=0, right=1, top=1, bottom=0)
    figure.savefig(path, dpi=100, facecolor="white")
    plt.close(figure)


def _object_subtraction(puzzle: Any, folder: Path) -> None:
    _objects_picture(puzzle.things, puzzle.canvas, folder / "first_frame.png")
    _objects_picture(puzzle.kept, puzzle.canvas, folder / "final_frame.png")


CHESSMEN = dict(zip("PNBRQKpnbrqk", "♙♘♗♖♕♔♟♞♝♜♛♚", strict=True))


def _cairosvg() -> Any:
    """The module, or None where the system has no cairo library."""
    try:
        import cairosvg
    except (ImportError, OSError):
        return None
    return cairosvg


def chess_way() -> str:
    return "CairoSVG" if _cairosvg() else "Pillow, as there is no cairo library here (apt-get install libcairo2)"


def _chess_board(fen: str, path: Path) -> None:
    """As SVG through CairoSVG; without it the specification draws the board with Pillow."""
    import chess
    import chess.svg

    board = chess.Board(fen)
    cairosvg = _cairosvg()
    if cairosvg is None:
        _chess_board_by_pillow(board, path)
    else:
        cairosvg.svg2png(bytestring=chess.svg.board(board=board, size=400).encode("utf-8"), write_to=str(path))


def _chess_board_by_pillow(board: Any, path: Path) -> None:
    image = Image.new("RGB", (400, 400), "white")
    pen = ImageDraw.Draw(image)
    font = ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf", 40)
    for row in range(8):
        for col in range(8):
            colour = (240, 217, 181) if (row + col) % 2 == 0 else (181, 136, 99)
            pen.rectangle((col * 50, row * 50, col * 50 + 50, row * 50 + 50), fill=colour)
            piece = board.piece_at((7 - row) * 8 + col)
            if piece is not None:
                pen.text((col * 50 + 25, row * 50 + 25), CHESSMEN[piece.symbol()], "black", font, anchor="mm")
    image.save(path)


def _chess(puzzle: Any, folder: Path) -> None:
    import chess

    board = chess.Board(puzzle.fen)
    _chess_board(board.fen(), folder / "first_frame.png")
    board.push_uci(puzzle.mates[0])
    _chess_board(board.fen(), folder / "final_frame.png")


RAVEN_COLOURS = {
    "red": (214, 36, 40), "blue": (0, 84, 200), "green": (0, 165, 80),
    "orange": (246, 166, 0), "purple": (164, 64, 196), "black": (32, 32, 32),
}  # fmt: skip
RAVEN_PLACES = {
    1: [(75, 75)],
    2: [(48, 75), (102, 75)],
    3: [(75, 49), (48, 98), (102, 98)],
    4: [(48, 48), (102, 48), (48, 102), (102, 102)],
}
RAVEN_CORNERS = {"triangle": 3, "arrow": 3, "half_disc": 3, "square": 4, "star": 10}


def _raven_tile(tile: Any) -> Image.Image:
    image = Image.new("RGB", (150, 150), "white")
    pen = ImageDraw.Draw(image)
    fill = RAVEN_COLOURS[tile.colour]
    for x, y in RAVEN_PLACES[tile.number]:
        if tile.shape in ("circle", "ring"):
            pen.ellipse((x - 20, y - 20, x + 20, y + 20), fill=fill)
        else:
            pen.regular_polygon((x, y, 21), RAVEN_CORNERS.get(tile.shape, 4), -tile.angle_deg, fill=fill)
    pen.rectangle((0, 0, 149, 149), outline="black", width=2)
    return image


def _raven_question() -> Image.Image:
    image = Image.new("RGB", (150, 150), "white")
    pen = ImageDraw.Draw(image)
    font = ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans-Bold.ttf", 86)
    pen.text((75, 75), "?", (90, 90, 90), font, anchor="mm")
    pen.rectangle((0, 0, 149, 149), outline="black", width=2)
    return image


def _raven_picture(tiles: Any, hide_last: bool, path: Path) -> None:
    image = Image.new("RGB", (450, 450), "white")
    for place, tile in enumerate(tiles):
        row, col = divmod(place, 3)
        drawn = _raven_question() if hide_last and place == 8 else _raven_tile(tile)
        image.paste(drawn, (col * 150, row * 150))
    image.save(path)


def _raven(puzzle: Any, folder: Path) -> None:
    _raven_picture(puzzle.tiles, True, folder / "first_frame.png")
    _raven_picture(puzzle.tiles, False, folder / "final_frame.png")


PIPE_ENDS = {"top": (0, 1), "right": (1, 0), "bottom": (0, -1), "left": (-1, 0)}


def _pipes_picture(puzzle: Any, turned: bool, path: Path) -> None:
    width, height, square, spacing = 768, 512, 140, 20
    figure, axes = plt.subplots(figsize=(width / 100, height / 100), dpi=100)
    figure.patch.set_facecolor("#f8fafc")
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.set_aspect("equal")
    axes.axis("off")
    pitch = square + spacing
    left, top = (width - pitch * (puzzle.cols - 1)) / 2, (height + pitch * (puzzle.rows - 1)) / 2
    for number, tile in enumerate(puzzle.squares):
        row, col = divmod(number, puzzle.cols)
        x, y = left + col * pitch, top - row * pitch
        angle = np.radians(-tile.initial_angle if turned else 0)
        for side in tile.sides:
            dx, dy = PIPE_ENDS[side]
            end_x, end_y = dx * np.cos(angle) - dy * np.sin(angle), dx * np.sin(angle) + dy * np.cos(angle)
            axes.plot([x, x + end_x * square / 2], [y, y + end_y * square / 2], color="#3b82f6", linewidth=26)
    figure.subplots_adjust(left=0, right=1, top=1, bottom=0)
    figure.savefig(path, dpi=100, facecolor="#f8fafc")
    plt.close(figure)


def _rotation_puzzle(puzzle: Any, folder: Path) -> None:
    _pipes_picture(puzzle, True, folder / "first_frame.png")
    _pipes_picture(puzzle, False, folder / "final_frame.png")


DRAW: dict[str, Callable[[Any, Path], None]] = {
    "maze": _maze,
    "rotation": _rotation,
    "sudoku": _sudoku,
    "object_subtraction": _object_subtraction,
    "chess": _chess,
    "raven": _raven,
    "rotation_puzzle": _rotation_puzzle,
}


def write_question(task: str, puzzle: Any, prompt: str, metadata: dict[str, Any], folder: Path) -> None:
    """One question, the specification's way."""
    folder.mkdir(parents=True)
    DRAW[task](puzzle, folder)
    (folder / "prompt.txt").write_text(prompt)
    (folder / "question_metadata.json").write_text(json.dumps(metadata, indent=2))
