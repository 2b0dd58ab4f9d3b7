"""docs/models/README.md: its prices are the catalogue's, and its model of one's own works."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from vmevalkit.core.records import Request
from vmevalkit.core.registry import Registry
from vmevalkit.media.picture import encode_png
from vmevalkit.media.video import read_frames
from vmevalkit.models import catalogue
from vmevalkit.models.catalogue import MODELS, load

GUIDE = (Path(__file__).parents[2] / "docs" / "models" / "README.md").read_text("utf-8")


def test_every_page_is_there() -> None:
    pages = {path.name for path in (Path(__file__).parents[2] / "docs" / "models").glob("*.md")} - {"README.md"}
    assert set(re.findall(r"\]\(([a-z]+\.md)\)", GUIDE)) == pages


def test_the_prices_are_those_of_the_rows() -> None:
    told = re.findall(r"^\| (\S+) \| \$(\S+) \| (.+) \|$", GUIDE, re.M)
    known = [(spec.name, f"{spec.price.usd:.2f}", spec.price.source) for spec in MODELS.values() if spec.price]
    assert told == known
    assert all(spec.price is None or spec.price.per == "second" for spec in MODELS.values())


def test_the_model_of_ones_own_films(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [text] = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.M | re.S)
    (tmp_path / "still.py").write_text(text)
    monkeypatch.setenv("VMEVALKIT_MODELS", str(tmp_path / "still.py"))
    models = Registry("model", catalogue._find)
    picture = tmp_path / "first_frame.png"
    picture.write_bytes(encode_png(np.full((48, 64, 3), 90, np.uint8)))
    film = tmp_path / "film.mp4"
    assert load(models["still"]).generate(Request("q", "Stand.", picture, 2.0), film) is None  # type: ignore[union-attr]
    frames = [timed.frame for timed in read_frames(film)]
    assert len(frames) == 16
    assert abs(int(frames[-1].mean()) - 90) < 4
