from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Request
from vmevalkit.media.image import encode_png
from vmevalkit.models.catalogue import MODELS
from vmevalkit.models.local_params import LocalParams, compute_frame_count, fit_first_frame  # compute_frame_count

LOCAL = [spec for spec in MODELS.values() if spec.provider in ("diffusers", "external")]


@pytest.fixture
def request_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    for name in ("SIZE", "FRAMES", "STEPS", "GUIDANCE"):
        monkeypatch.delenv(f"VMEVALKIT_{name}", raising=False)
    (tmp_path / "first_frame.png").write_bytes(encode_png(np.full((400, 400, 3), 200, np.uint8)))
    return Request("maze_0001", "Go.", tmp_path / "first_frame.png", 5.0)


@given(
    seconds=st.floats(0.1, 20), fps=st.sampled_from([7.0, 8.0, 16.0, 24.0, 25.0]), step=st.sampled_from([1, 4, 8, 16])
)
def test_the_frame_count_suits_the_pipeline_and_is_nearest_to_the_length(seconds: float, fps: float, step: int) -> None:
    count = compute_frame_count(seconds, fps, step)
    assert count > 1 and (count - 1) % step == 0
    assert abs((count - 1) - seconds * fps) <= max(step / 2, step - seconds * fps) + 1e-9


@pytest.mark.parametrize(
    ("model", "seconds", "frames"),
    [
        ("ltx-video", 8.0, 193),
        ("ltx-2", 5.0, 121),
        ("wan-2.1-i2v-480p", 5.0, 81),
        ("wan-2.2-ti2v-5b", 5.0, 121),
        ("hunyuan-video-i2v", 5.0, 121),
        ("cogvideox-5b-i2v", 6.0, 49),
        ("cogvideox1.5-5b-i2v", 10.0, 161),
        ("svd", 3.57, 25),
        ("sana", 5.0, 81),
    ],
)
def test_the_lengths_of_the_catalogue_give_supported_frame_counts(
    request_: Request, model: str, seconds: float, frames: int
) -> None:
    assert seconds in MODELS[model].durations_s
    assert LocalParams.from_request(MODELS[model], replace(request_, seconds=seconds)).frames == frames


@pytest.mark.parametrize("spec", LOCAL, ids=lambda spec: spec.name)
def test_every_size_of_a_row_can_be_generated(request_: Request, spec: object) -> None:
    from vmevalkit.models.model import ModelSpec

    assert isinstance(spec, ModelSpec)
    for size in spec.sizes:
        assert LocalParams.from_request(spec, replace(request_, size=size, seconds=spec.durations_s[-1])).size == size
    params = LocalParams.from_request(spec, replace(request_, seconds=spec.durations_s[-1]))
    frame, placement = fit_first_frame(spec, request_, params.size)
    assert frame.shape == (params.size[1], params.size[0], 3)
    assert placement.canvas == params.size
    assert placement.box[2] == placement.box[3]  # a square stays a square


def test_a_parameter_overrides_a_setting_and_a_setting_overrides_the_row(
    request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = MODELS["ltx-video-13b-distilled"]
    assert LocalParams.from_request(spec, request_).steps == 8
    monkeypatch.setenv("VMEVALKIT_STEPS", "12")
    monkeypatch.setenv("VMEVALKIT_SIZE", "96x64")
    params = LocalParams.from_request(spec, request_)
    assert (params.steps, params.size, params.guidance) == (12, (96, 64), 1.0)
    params = LocalParams.from_request(
        spec, replace(request_, size=(832, 480), parameters={"steps": 4, "guidance": 2.5})
    )
    assert (params.steps, params.size, params.guidance) == (4, (832, 480), 2.5)


def test_without_a_seed_each_question_and_sample_gets_its_own(request_: Request) -> None:
    spec = MODELS["svd"]
    seeds = {
        LocalParams.from_request(spec, request).seed
        for request in (request_, replace(request_, sample=1), replace(request_, question_id="maze_0002"))
    }
    assert len(seeds) == 3
    assert (
        LocalParams.from_request(spec, replace(request_, seed=-1)).seed == LocalParams.from_request(spec, request_).seed
    )
    assert LocalParams.from_request(spec, replace(request_, seed=7)).seed == 7


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("VMEVALKIT_SIZE", "big", "write width and height as in 832x480"),
        ("VMEVALKIT_SIZE", "100x64", "multiples of 16, as in 96x64"),
        ("VMEVALKIT_FRAMES", "many", "VMEVALKIT_FRAMES is 'many', which is not a valid int"),
        ("VMEVALKIT_FRAMES", "1", "at least 2"),
        ("VMEVALKIT_GUIDANCE", "high", "which is not a valid float"),
    ],
)
def test_an_invalid_setting_is_reported(
    request_: Request, monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=message):
        LocalParams.from_request(MODELS["wan-2.1-i2v-480p"], request_)
