"""The gallery and the overview, as their command makes them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from vmevalkit.core.errors import UsageError
from vmevalkit.datasets.gallery import (
    HEIGHT,
    MOMENTS,
    OVERVIEW_WIDTH,
    draw_overview,
    measure_overview,
    write_gallery,
    write_overview,
)
from vmevalkit.media.image import read_image
from vmevalkit.tasks import TASKS

DOCS = Path(__file__).parents[2] / "docs"


def test_a_gallery_shows_what_it_names(tmp_path: Path) -> None:
    page = write_gallery(tmp_path / "GALLERY.md", ["maze", "object_subtraction"])
    names = re.findall(r"\]\((gallery/[a-z_]+\.png)\)", page.read_text("utf-8"))
    assert len(names) == len(TASKS["maze"].difficulties) + len(TASKS["object_subtraction"].difficulties)
    for name in names:
        strip = read_image(tmp_path / name)
        assert strip.shape[0] == HEIGHT and strip.shape[1] > len(MOMENTS) * HEIGHT - 1


def test_the_gallery_in_the_docs_has_every_task_at_every_difficulty() -> None:
    text = (DOCS / "GALLERY.md").read_text("utf-8")
    for task in TASKS.values():
        for difficulty in task.difficulties:
            assert f"(gallery/{task.name}_{difficulty}.png)" in text
            assert (DOCS / "gallery" / f"{task.name}_{difficulty}.png").is_file()


def test_tiles_of_an_overview_stand_by_group() -> None:
    names = ["sudoku", "chess", "rotation", "maze"]
    image = draw_overview(names)
    width = OVERVIEW_WIDTH // 9
    lines = [tuple(image[58, 24 + width * tile + width // 2]) for tile in range(4)]
    assert lines[0] == lines[1] != lines[2] != lines[3], "planning, planning, deduction, perception"
    assert np.array_equal(image[62:, : 2 * width], draw_overview(["chess", "maze"])[62:, : 2 * width])


def test_an_overview_has_a_row_for_each_nine_tasks() -> None:
    heights = [measure_overview(list(TASKS)[:count])[1] for count in (1, 9, 10)]
    assert heights[0] == heights[1] < heights[2]
    assert draw_overview(["maze"]).shape[:2] == measure_overview(["maze"])[::-1]


def test_a_tile_shows_the_dot_on_its_way() -> None:
    image = draw_overview(["maze"]).astype(int)
    is_dot = (np.abs(image - (0x22, 0xC5, 0x5E)) < 20).all(axis=2)
    assert 60 < is_dot[:, : OVERVIEW_WIDTH // 9].sum() < 600


def test_an_overview_is_a_png(tmp_path: Path) -> None:
    assert read_image(write_overview(tmp_path / "images" / "overview.png", ["sudoku"])).shape[1] == OVERVIEW_WIDTH
    with pytest.raises(UsageError, match=r"does not end in \.png"):
        write_overview(tmp_path / "overview.jpg", ["sudoku"])


def test_the_overview_in_the_docs_has_every_task() -> None:
    image = read_image(DOCS / "images" / "overview.png")
    assert (image.shape[1], image.shape[0]) == measure_overview(TASKS.list_own()), "vmevalkit gallery --overview"
