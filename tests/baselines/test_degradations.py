"""What degradations do to videos, and what they keep."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dot_task import HEIGHT, TASK, WIDTH, where
from vmevalkit.baselines.baseline import render_degraded, write_degraded
from vmevalkit.baselines.degradations import DEGRADATIONS, DegradedVideo
from vmevalkit.baselines.tricks import TRICKS
from vmevalkit.core.errors import UnknownName
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.fitting import fit
from vmevalkit.media.image import Frame
from vmevalkit.media.video import probe, read_frames

PUZZLE = TASK.sample(rng_for("degradations"), TASK.preset())
FIRST = TASK.first_frame(PUZZLE)


def frame_at(
    degradation: str, trick: str = "static", seed: object = 0, canvas: tuple[int, int] | None = None
) -> DegradedVideo:
    return render_degraded(
        TASK, PUZZLE, TRICKS[trick], DEGRADATIONS[degradation], rng_for(degradation, seed), 3.0, 12.0, canvas
    )


def frames(degradation: str, trick: str = "static", seed: object = 0) -> list[Frame]:
    return list(frame_at(degradation, trick, seed).frames)


def mean_difference(a: Frame, b: Frame) -> float:
    return float(np.abs(a.astype(int) - b.astype(int)).mean())


def test_the_names_do_not_change() -> None:
    assert list(DEGRADATIONS) == [
        "plain", "letterbox_black", "letterbox_grey", "letterbox_white", "cover", "stretch", "zoom_75", "gain_offset",
        "blur", "noise_grain", "crf35", "odd_size", "fps8", "fps16", "fps24", "fps30", "audio", "hand", "caption",
        "fade_in", "end_card",
    ]  # fmt: skip


def test_plain_changes_nothing() -> None:
    assert all(np.array_equal(frame, FIRST) for frame in frames("plain"))


@pytest.mark.parametrize("name", sorted(DEGRADATIONS))
def test_every_video_is_encoded_and_decoded_with_one_size_and_rate(name: str, tmp_path: Path) -> None:
    degraded = frame_at(name, "oracle")
    path = tmp_path / "video.mp4"
    write_degraded(degraded, path)
    info = probe(path)
    shown = list(read_frames(path))
    assert info.codec == "h264"
    assert info.fps == pytest.approx(degraded.fps)
    assert shown[-1].seconds + 1 / degraded.fps == pytest.approx(info.seconds, abs=0.05)
    assert len({timed.frame.shape for timed in shown}) == 1


@pytest.mark.parametrize("name", sorted(DEGRADATIONS))
def test_the_same_generator_gives_the_same_video(name: str) -> None:
    pairs = zip(frames(name, "oracle"), frames(name, "oracle"), strict=True)
    assert all(np.array_equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["letterbox_black", "letterbox_grey", "letterbox_white", "cover", "stretch"])
def test_a_fit_returns_its_placement(name: str, seed: int) -> None:
    degraded = frame_at(name, seed=seed)
    placement = degraded.placement
    assert placement is not None
    frame = next(degraded.frames)
    assert placement.canvas == (frame.shape[1], frame.shape[0])
    assert placement.canvas[0] % 2 == placement.canvas[1] % 2 == 0
    mode = "letterbox" if name.startswith("letterbox") else name
    expected, same = fit(FIRST, placement.canvas, mode, placement.colour or (0, 0, 0))
    assert same == placement
    assert np.array_equal(frame, expected)


def test_fits_have_the_described_shape() -> None:
    for seed in range(20):
        _, _, width, height = frame_at("stretch", seed=seed).placement.box  # type: ignore[union-attr]
        assert 0.06 < abs(width / height / (WIDTH / HEIGHT) - 1) < 0.14
        cover = frame_at("cover", seed=seed).placement
        assert cover is not None
        lost = 1 - (cover.canvas[0] * cover.canvas[1]) / (cover.box[2] * cover.box[3])
        assert 0.05 < lost < 0.13
        bars = frame_at("letterbox_grey", seed=seed).placement
        assert bars is not None
        assert bars.colour == (128, 128, 128)
        assert 0.05 < 1 - (bars.box[2] * bars.box[3]) / (bars.canvas[0] * bars.canvas[1]) < 0.36


@pytest.mark.parametrize(
    "name", sorted(name for name, degradation in DEGRADATIONS.items() if not degradation.choose_fit)
)
def test_other_degradations_have_no_placement(name: str) -> None:
    assert frame_at(name).placement is None


def test_a_canvas_size_can_be_chosen() -> None:
    plain = frame_at("plain", canvas=(320, 240))
    assert plain.placement is not None
    assert plain.placement.box == (0.0, 26.0, 320.0, 187.0)
    white = frame_at("letterbox_white", canvas=(320, 240))
    assert next(white.frames)[0, 0, 0] in (251, 252, 253)
    assert frame_at("plain", canvas=(WIDTH, HEIGHT)).placement is None


def test_zoom_ends_at_three_quarters() -> None:
    shown = frames("zoom_75")
    assert np.array_equal(shown[0], FIRST)
    dark = [(frame.min(axis=2) < 150).any(axis=0) for frame in (shown[0], shown[-1])]
    before, after = (np.ptp(np.flatnonzero(columns)) for columns in dark)
    assert after / before == pytest.approx(0.75, abs=0.02)
    assert tuple(shown[-1][0, 0]) == tuple(FIRST[0, 0])


def test_gain_offset_shifts_by_thirteen_levels_with_a_cast() -> None:
    line = tuple(np.argwhere((FIRST.max(axis=2) < 150) & (np.ptp(FIRST, axis=2) == 0))[0])  # grey: no saturation
    shifts = np.array([frames("gain_offset", seed=seed)[0][line].astype(int) - FIRST[line] for seed in range(8)])
    assert set(np.sign(shifts.mean(axis=1))) == {-1, 1}
    assert np.abs(np.abs(shifts) - 13).max() <= 5
    assert np.median(np.ptp(shifts, axis=1)) >= 2


def test_grain_differs_in_each_frame() -> None:
    shown = frames("noise_grain")
    assert 3 < mean_difference(shown[0], FIRST) < 8
    assert mean_difference(shown[0], shown[1]) > 3


def test_blur_softens() -> None:
    def sharpness(frame: Frame) -> int:
        return int(np.abs(np.diff(frame.astype(int), axis=1)).max())

    assert sharpness(frames("blur")[0]) < 0.6 * sharpness(FIRST)


def test_odd_sizes_are_odd() -> None:
    for seed in range(5):
        height, width, _ = frames("odd_size", seed=seed)[0].shape
        assert height % 2 == width % 2 == 1
        assert 0.7 < width / WIDTH < 0.97


@pytest.mark.parametrize("rate", [8, 16, 24, 30])
@pytest.mark.parametrize("trick", ["oracle", "fps8"])
def test_frame_rates_keep_the_timing(rate: int, trick: str) -> None:
    degraded = frame_at(f"fps{rate}", trick)
    shown = list(degraded.frames)
    assert degraded.fps == rate
    assert len(shown) == 3 * rate
    middle = where(shown[round(1.3 * rate)])
    assert middle == pytest.approx(0.5, abs=0.08)


@pytest.mark.parametrize("name", ["hand", "caption"])
def test_an_overlay_enters_late_covers_a_part_and_leaves(name: str) -> None:
    for seed in range(12):
        covered = [(frame != FIRST).any(axis=2).mean() for frame in frames(name, seed=seed)]
        assert covered[0] == 0
        assert max(covered[-8:]) == 0
        assert 0.01 < max(covered) < 0.35
        assert sum(share > 0 for share in covered) >= 6


def test_fade_in_starts_black_and_ends_before_the_motion() -> None:
    shown = frames("fade_in", "oracle")
    assert shown[0].max() == 0
    assert np.array_equal(shown[5], FIRST)
    assert len(shown) == 40


def test_end_card_fades_to_black_after_the_final_frame() -> None:
    shown = frames("end_card", "oracle")
    assert shown[-1].max() == 0
    assert sum(np.array_equal(frame, TASK.final_frame(PUZZLE)) for frame in shown) >= 6


def test_low_bitrate_and_audio_are_options_of_the_encoder() -> None:
    assert frame_at("crf35").crf == 35
    assert frame_at("audio").audio


def test_an_unknown_degradation_gets_the_nearest_name() -> None:
    with pytest.raises(UnknownName, match="no degradation 'zoom_57'; did you mean 'zoom_75'"):
        DEGRADATIONS["zoom_57"]
