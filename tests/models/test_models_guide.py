"""docs/models: the prices are those of the catalogue, the pages are complete, and the example model works."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from vmevalkit.cli.models import group_prices
from vmevalkit.core.records import Request
from vmevalkit.core.registry import Registry
from vmevalkit.jobs.limits import LIMITS, limits_of
from vmevalkit.media.image import encode_png
from vmevalkit.media.video import read_frames
from vmevalkit.models import catalogue
from vmevalkit.models.catalogue import MODELS, load_model

GUIDE = (Path(__file__).parents[2] / "docs" / "models" / "README.md").read_text("utf-8")


def test_every_page_is_listed() -> None:
    pages = {path.name for path in (Path(__file__).parents[2] / "docs" / "models").glob("*.md")} - {"README.md"}
    assert set(re.findall(r"\]\(([a-z_]+\.md)\)", GUIDE)) == pages


@pytest.mark.parametrize("provider", list(LIMITS))
def test_a_providers_page_has_its_keys_its_rate_limits_and_its_verification(provider: str) -> None:
    page = {"vertex": "veo", "luma-agents": "luma"}.get(provider, provider)
    text = (Path(__file__).parents[2] / "docs" / "models" / f"{page}.md").read_text("utf-8")
    limits = limits_of(provider)
    rates = f"{limits.in_flight} jobs in flight, {limits.orders_per_minute:g} submits per minute"
    assert f"{rates}, a poll every {limits.poll_every_s:g} s" in text
    for spec in (spec for spec in MODELS.values() if spec.provider == provider):
        assert all(f"`{name}`" in text for key in spec.keys for name in key.split("|"))
    assert "Never against the live service." in text


def test_the_prices_are_those_of_the_rows() -> None:
    listed = re.findall(r"^\| (\S+) \| (\$.+) \| (\d{4}-\d\d-\d\d) \| (.+) \|$", GUIDE, re.M)
    priced = [spec for spec in MODELS.values() if spec.all_prices]
    known = [
        (spec.name, "; ".join(map(str, prices)), day, source)
        for spec in priced
        for (day, source), prices in group_prices(spec).items()
    ]
    assert listed == known


def test_the_example_model_generates_a_video(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [text] = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.M | re.S)
    (tmp_path / "still.py").write_text(text)
    monkeypatch.setenv("VMEVALKIT_MODELS", str(tmp_path / "still.py"))
    models = Registry("model", catalogue.find_models)
    image = tmp_path / "first_frame.png"
    image.write_bytes(encode_png(np.full((48, 64, 3), 90, np.uint8)))
    video = tmp_path / "video.mp4"
    assert load_model(models["still"]).generate(Request("q", "Stand.", image, 2.0), video) is None  # type: ignore[union-attr]
    frames = [timed.frame for timed in read_frames(video)]
    assert len(frames) == 16
    assert abs(int(frames[-1].mean()) - 90) < 4
