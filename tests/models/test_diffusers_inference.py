"""Real pipelines of diffusers with tiny random weights, through the adapter that runs the large ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from vmevalkit.core.errors import SetupError, UsageError
from vmevalkit.core.records import Placement, Request
from vmevalkit.media.image import Frame, encode_png
from vmevalkit.media.video import read_frames
from vmevalkit.models.catalogue import MODELS, list_missing, load_model

pytestmark = [pytest.mark.local, pytest.mark.filterwarnings("ignore")]

NAMES = (
    "ltx-video", "ltx-video-13b-distilled", "ltx-2", "wan-2.1-i2v-480p", "wan-2.1-flf2v-720p", "wan-2.1-vace-1.3b",
    "wan-2.2-i2v-a14b", "wan-2.2-ti2v-5b", "hunyuan-video-i2v", "hunyuan-video-1.5-i2v", "cogvideox-5b-i2v", "svd",
    "sana",
)  # fmt: skip
Video = Callable[..., tuple[list[Frame], Placement | None]]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from tiny_pipelines import TINY, save

    torch.set_num_threads(1)
    assert set(NAMES) == set(TINY)
    folder = tmp_path_factory.mktemp("weights")
    for name in NAMES:
        save(name, folder)
    return folder


@pytest.fixture
def video(tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch) -> Video:
    """Return a function that generates a video of a red and a black half: two steps, nine frames, no network."""
    settings = {"WEIGHTS": str(weights), "SIZE": "64x64", "STEPS": "2", "FRAMES": "9", "DEVICE": "cpu"}
    for name, value in settings.items():
        monkeypatch.setenv(f"VMEVALKIT_{name}", value)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    image = np.zeros((48, 64, 3), np.uint8)
    image[:, :32] = (200, 30, 30)
    (tmp_path / "first_frame.png").write_bytes(encode_png(image))

    def run(model: str, seed: int = 3, **parameters: object) -> tuple[list[Frame], Placement | None]:
        spec = MODELS[model]
        seconds = spec.choose_seconds(None, 8.0)
        request = Request(
            "q_0001", "slide the knob to the mark", tmp_path / "first_frame.png", seconds, seed=seed,
            parameters=parameters,
        )  # fmt: skip
        into = tmp_path / "video.mp4"
        placement = load_model(spec).generate(request, into)  # type: ignore[union-attr]
        return [timed.frame for timed in read_frames(into)], placement

    return run


@pytest.mark.parametrize("model", NAMES)
def test_a_pipeline_generates_the_same_frames_for_the_same_seed(model: str, video: Video) -> None:
    frames, placement = video(model)
    assert placement == Placement((64, 64), (0.0, 8.0, 64.0, 48.0), (0, 0, 0))
    assert 2 <= len(frames) <= 9
    assert frames[0].shape == (64, 64, 3)
    assert np.array_equal(frames, video(model)[0])
    assert not np.array_equal(frames, video(model, seed=4)[0])


def test_parameters_of_a_request_override_settings(video: Video) -> None:
    assert len(video("ltx-video", frames=17)[0]) == 17
    assert len(video("ltx-video")[0]) == 9


def test_without_padding_the_image_is_stretched(video: Video) -> None:
    assert video("ltx-video", auto_pad=False)[1] == Placement((64, 64), (0.0, 0.0, 64.0, 64.0))


def test_saved_weights_are_found(video: Video) -> None:
    assert list_missing(MODELS["svd"]) == []


def test_missing_weights_are_reported_with_the_download_command(
    video: Video, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    assert list_missing(MODELS["ltx-video-13b-dev"]) == ["weights: hf download Lightricks/LTX-Video-0.9.7-dev"]
    with pytest.raises(SetupError, match=r"13b-dev cannot be used here: weights: hf download Lightricks/LTX-Video-0"):
        video("ltx-video-13b-dev")
    index = tmp_path / "cache/models--Lightricks--LTX-Video-0.9.7-dev/snapshots/0123/model_index.json"
    index.parent.mkdir(parents=True)
    index.write_text("{}")
    with pytest.raises(
        SetupError, match=r"no usable weights in Lightricks/LTX-Video-0\.9\.7-dev with HF_HUB_OFFLINE set"
    ):
        video("ltx-video-13b-dev")


def test_unreadable_weights_are_reported(video: Video, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "weights" / "ltx-video"
    broken.mkdir(parents=True)
    (broken / "model_index.json").write_text(
        '{"_class_name": "LTXImageToVideoPipeline", "vae": ["diffusers", "AutoencoderKLLTXVideo"]}'
    )
    monkeypatch.setenv("VMEVALKIT_WEIGHTS", str(broken.parent))
    with pytest.raises(SetupError, match=r"ltx-video finds no usable weights in .*weights/ltx-video"):
        video("ltx-video")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("VMEVALKIT_DTYPE", "int4", "one of bfloat16, float16, float32"),
        ("VMEVALKIT_OFFLOAD", "disk", "one of none, model, sequential"),
        ("VMEVALKIT_OFFLOAD", "model", "offloading needs a GPU"),
        ("VMEVALKIT_SIZE", "60x64", "multiples of 32, as in 64x64"),
    ],
)
def test_an_invalid_setting_is_reported(
    video: Video, monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=message):
        video("ltx-video")


def test_half_precision_is_a_setting(video: Video, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = video("ltx-video")
    monkeypatch.setenv("VMEVALKIT_DTYPE", "bfloat16")
    half, _ = video("ltx-video")
    assert len(half) == len(whole)
    assert not np.array_equal(half, whole)


def test_an_output_of_another_shape_moves_the_placement() -> None:
    from vmevalkit.models.diffusers_inference import rescale_placement

    there = rescale_placement(Placement((64, 64), (0.0, 8.0, 64.0, 48.0), (0, 0, 0)), (128, 96))
    assert there == Placement((128, 96), (0.0, 0.0, 128.0, 96.0), (0, 0, 0))
