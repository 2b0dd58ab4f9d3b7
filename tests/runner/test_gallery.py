"""The gallery, as its command makes it."""

from __future__ import annotations

import re
from pathlib import Path

from vmevalkit.media.picture import read_picture
from vmevalkit.runner.gallery import HEIGHT, MOMENTS, write_gallery
from vmevalkit.tasks import TASKS

DOCS = Path(__file__).parents[2] / "docs"


def test_a_gallery_shows_what_it_names(tmp_path: Path) -> None:
    page = write_gallery(tmp_path / "GALLERY.md", ["maze", "object_subtraction"])
    shown = re.findall(r"\]\((gallery/[a-z_]+\.png)\)", page.read_text("utf-8"))
    assert len(shown) == len(TASKS["maze"].difficulties) + len(TASKS["object_subtraction"].difficulties)
    for name in shown:
        strip = read_picture(tmp_path / name)
        assert strip.shape[0] == HEIGHT and strip.shape[1] > len(MOMENTS) * HEIGHT - 1


def test_the_gallery_in_the_docs_has_every_task_at_every_difficulty() -> None:
    text = (DOCS / "GALLERY.md").read_text("utf-8")
    for task in TASKS.values():
        for difficulty in task.difficulties:
            assert f"(gallery/{task.name}_{difficulty}.png)" in text
            assert (DOCS / "gallery" / f"{task.name}_{difficulty}.png").is_file()
