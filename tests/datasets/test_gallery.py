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
    OVERVIEW_MOMENTS,
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


def test_an_overview_has_the_cards_of_a_group_side_by_side() -> None:
    one, two, four = (draw_overview(names) for names in (["maze"], ["chess", "maze"], ["chess", "maze", "raven"]))
    assert one.shape == two.shape and one.shape[1] == OVERVIEW_WIDTH
    assert four.shape[0] - one.shape[0] > 150  # raven belongs to another group, with a heading of its own
    # The maze judges the process, so its card comes first.
    third = OVERVIEW_WIDTH // 3
    assert np.array_equal(one[:, :third], two[:, :third]) and not np.array_equal(one, two)


def test_a_card_shows_the_dot_on_its_way() -> None:
    image = draw_overview(["maze"])
    is_dot = (np.abs(image.astype(int) - (0x22, 0xC5, 0x5E)) < 30).all(axis=2)
    columns = np.flatnonzero(is_dot.any(axis=0))
    dots = np.split(columns, np.flatnonzero(np.diff(columns) > 20) + 1)
    assert len(dots) == len(OVERVIEW_MOMENTS)
    heights = {round(float(np.flatnonzero(is_dot[:, dot].any(axis=1)).mean())) for dot in dots}
    assert len(heights) > 1


def test_an_overview_is_a_png(tmp_path: Path) -> None:
    assert read_image(write_overview(tmp_path / "images" / "overview.png", ["sudoku"])).shape[1] == OVERVIEW_WIDTH
    with pytest.raises(UsageError, match=r"does not end in \.png"):
        write_overview(tmp_path / "overview.jpg", ["sudoku"])


def test_the_overview_in_the_docs_has_every_task() -> None:
    image = read_image(DOCS / "images" / "overview.png")
    assert (image.shape[1], image.shape[0]) == measure_overview(TASKS.list_own()), "vmevalkit gallery --overview"
