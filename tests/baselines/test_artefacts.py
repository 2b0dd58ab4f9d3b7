"""What artefacts do to films, and what they keep."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dot_task import HEIGHT, TASK, WIDTH, where
from vmevalkit.baselines.artefacts import ARTEFACTS, Take
from vmevalkit.baselines.baseline import film, write
from vmevalkit.baselines.tricks import TRICKS
from vmevalkit.core.errors import UnknownName
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.fitting import fit
from vmevalkit.media.picture import Frame
from vmevalkit.media.video import probe, read_frames

PUZZLE = TASK.sample(rng_for("artefacts"), TASK.preset())
FIRST = TASK.first_frame(PUZZLE)


def shot(artefact: str, trick: str = "static", seed: object = 0, canvas: tuple[int, int] | None = None) -> Take:
    return film(TASK, PUZZLE, TRICKS[trick], ARTEFACTS[artefact], rng_for(artefact, seed), 3.0, 12.0, canvas)


def frames(artefact: str, trick: str = "static", seed: object = 0) -> list[Frame]:
    return list(shot(artefact, trick, seed).frames)


def unlike(a: Frame, b: Frame) -> float:
    return float(np.abs(a.astype(int) - b.astype(int)).mean())


def test_the_names_are_fixed() -> None:
    assert list(ARTEFACTS) == [
        "plain", "letterbox_black", "letterbox_grey", "letterbox_white", "cover", "stretch", "zoom_75", "gain_offset",
        "blur", "noise_grain", "crf35", "odd_size", "fps8", "fps16", "fps24", "fps30", "audio", "hand", "caption",
        "fade_in", "end_card",
    ]  # fmt: skip


def test_plain_changes_nothing() -> None:
    assert all(np.array_equal(frame, FIRST) for frame in frames("plain"))


@pytest.mark.parametrize("name", sorted(ARTEFACTS))
def test_every_film_is_encoded_and_decoded_with_one_size_and_rate(name: str, tmp_path: Path) -> None:
    take = shot(name, "oracle")
    path = tmp_path / "film.mp4"
    write(take, path)
    info = probe(path)
    shown = list(read_frames(path))
    assert info.codec == "h264"
    assert info.fps == pytest.approx(take.fps)
    assert shown[-1].seconds + 1 / take.fps == pytest.approx(info.seconds, abs=0.05)
    assert len({timed.frame.shape for timed in shown}) == 1


@pytest.mark.parametrize("name", sorted(ARTEFACTS))
def test_the_same_generator_gives_the_same_film(name: str) -> None:
    pairs = zip(frames(name, "oracle"), frames(name, "oracle"), strict=True)
    assert all(np.array_equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["letterbox_black", "letterbox_grey", "letterbox_white", "cover", "stretch"])
def test_fits_keep_their_placement(name: str, seed: int) -> None:
    take = shot(name, seed=seed)
    placement = take.placement
    assert placement is not None
    frame = next(take.frames)
    assert placement.canvas == (frame.shape[1], frame.shape[0])
    assert placement.canvas[0] % 2 == placement.canvas[1] % 2 == 0
    mode = "letterbox" if name.startswith("letterbox") else name
    expected, same = fit(FIRST, placement.canvas, mode, placement.colour or (0, 0, 0))
    assert same == placement
    assert np.array_equal(frame, expected)


def test_fits_have_the_promised_shape() -> None:
    for seed in range(20):
        _, _, width, height = shot("stretch", seed=seed).placement.box  # type: ignore[union-attr]
        assert 0.06 < abs(width / height / (WIDTH / HEIGHT) - 1) < 0.14
        cover = shot("cover", seed=seed).placement
        assert cover is not None
        lost = 1 - (cover.canvas[0] * cover.canvas[1]) / (cover.box[2] * cover.box[3])
        assert 0.05 < lost < 0.13
        bars = shot("letterbox_grey", seed=seed).placement
        assert bars is not None
        assert bars.colour == (128, 128, 128)
        assert 0.05 < 1 - (bars.box[2] * bars.box[3]) / (bars.canvas[0] * bars.canvas[1]) < 0.36


@pytest.mark.parametrize("name", sorted(name for name, artefact in ARTEFACTS.items() if not artefact.fits))
def test_other_artefacts_have_no_placement(name: str) -> None:
    assert shot(name).placement is None


def test_a_canvas_can_be_asked_for() -> None:
    plain = shot("plain", canvas=(320, 240))
    assert plain.placement is not None
    assert plain.placement.box == (0.0, 26.0, 320.0, 187.0)
    white = shot("letterbox_white", canvas=(320, 240))
    assert next(white.frames)[0, 0, 0] in (251, 252, 253)
    assert shot("plain", canvas=(WIDTH, HEIGHT)).placement is None


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


def test_grain_is_another_in_each_frame() -> None:
    shown = frames("noise_grain")
    assert 3 < unlike(shown[0], FIRST) < 8
    assert unlike(shown[0], shown[1]) > 3


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
def test_rates_keep_the_time_line(rate: int, trick: str) -> None:
    take = shot(f"fps{rate}", trick)
    shown = list(take.frames)
    assert take.fps == rate
    assert len(shown) == 3 * rate
    middle = where(shown[round(1.3 * rate)])
    assert middle == pytest.approx(0.5, abs=0.08)


@pytest.mark.parametrize("name", ["hand", "caption"])
def test_what_passes_over_the_film_comes_late_covers_a_part_and_leaves(name: str) -> None:
    for seed in range(12):
        covered = [(frame != FIRST).any(axis=2).mean() for frame in frames(name, seed=seed)]
        assert covered[0] == 0
        assert max(covered[-8:]) == 0
        assert 0.01 < max(covered) < 0.35
        assert sum(share > 0 for share in covered) >= 6


def test_fade_in_comes_from_black_and_ends_before_the_motion() -> None:
    shown = frames("fade_in", "oracle")
    assert shown[0].max() == 0
    assert np.array_equal(shown[5], FIRST)
    assert len(shown) == 40


def test_end_card_goes_black_after_the_end_was_shown() -> None:
    shown = frames("end_card", "oracle")
    assert shown[-1].max() == 0
    assert sum(np.array_equal(frame, TASK.final_frame(PUZZLE)) for frame in shown) >= 6


def test_low_rate_and_sound_are_options_of_the_encoder() -> None:
    assert shot("crf35").crf == 35
    assert shot("audio").audio


def test_an_unknown_artefact_gets_the_nearest_name() -> None:
    with pytest.raises(UnknownName, match="no artefact 'zoom_57'; did you mean 'zoom_75'"):
        ARTEFACTS["zoom_57"]
