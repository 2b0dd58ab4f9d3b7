"""The rows, what is ready here, and how others add models."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from vmevalkit.core.errors import SetupError, UnknownName, UsageError
from vmevalkit.core.registry import Registry
from vmevalkit.core.settings import setting
from vmevalkit.models import catalogue
from vmevalkit.models.catalogue import MODELS, load, missing
from vmevalkit.models.model import ModelSpec

VARIANTS = ("", "-ultra-fast", "-lora", "-lora-ultra-fast")
NAMED_BY_THE_REFERENCE = {
    "luma-ray-2", "luma-ray-flash-2", "veo-2", "veo-2.0-generate", "veo-3.0-generate", "veo-3.0-fast-generate",
    "veo-3.1-generate", "veo-3.1", "veo-3.1-720p", "veo-3.1-fast", "veo-3.1-fast-720p",
    *(f"wavespeed-wan-{version}-i2v-{size}{variant}"
      for version in ("2.1", "2.2") for size in ("480p", "720p") for variant in VARIANTS),
    "wavespeed-wan-2.2-i2v-5b-720p", "wavespeed-wan-2.2-i2v-5b-720p-lora",
    "runway-gen4-turbo", "runway-gen4-aleph", "runway-gen3a-turbo", "openai-sora-2", "openai-sora-2-pro",
    "ltx-video", "ltx-video-13b-distilled", "hunyuan-video-i2v", "videocrafter2-512", "dynamicrafter-256",
    "dynamicrafter-512", "dynamicrafter-1024", "morphic-frames-to-video", "svd", "sana", "wan-2.1-flf2v-720p",
    "wan-2.1-i2v-480p", "wan-2.1-i2v-720p", "wan-2.1-vace-14b", "wan-2.1-vace-1.3b", "wan-2.2-i2v-a14b",
    "wan-2.2-ti2v-5b",
}  # fmt: skip
OF_THE_SPECIFICATION = {"ltx-video-13b-dev", "ltx-video-2b-distilled"}
SUCCESSORS = {
    "veo-3.1-fast-generate", "gemini-omni-1.2-flash", "runway-gen4.5", "runway-veo3.1", "runway-seedance2",
    "runway-kling3.0-pro", "runway-hailuo3", "runway-wan3", "luma-ray-3.2", "wavespeed-wan-2.2-image-to-video",
    "ltx-2", "hunyuan-video-1.5-i2v", "cogvideox-5b-i2v", "cogvideox1.5-5b-i2v", "sana-video-2b-480p",
}  # fmt: skip


def test_every_model_that_was_named_is_there() -> None:
    assert len(NAMED_BY_THE_REFERENCE) == 51
    assert set(MODELS) >= NAMED_BY_THE_REFERENCE | OF_THE_SPECIFICATION | SUCCESSORS


@pytest.mark.parametrize("spec", MODELS.values(), ids=lambda spec: spec.name)
class TestRow:
    def test_it_is_complete(self, spec: ModelSpec) -> None:
        assert spec.vendor_id and spec.family and spec.description and spec.provider
        assert spec.adapter.startswith("vmevalkit.models.") and ":" in spec.adapter
        assert all(width > 0 and height > 0 for width, height in spec.sizes)
        assert len(set(spec.sizes)) == len(spec.sizes)
        assert all(seconds > 0 for seconds in spec.durations_s)

    def test_its_price_says_when_and_where_it_was_read(self, spec: ModelSpec) -> None:
        if spec.price is not None:
            assert spec.charged and spec.price.usd > 0
            assert spec.price.as_of == "2026-11-16" and "." in spec.price.source
            assert spec.cost_usd(8.0) == pytest.approx(8 * spec.price.usd)
        else:
            assert spec.cost_usd(8.0) == (None if spec.charged else 0.0)

    def test_a_key_is_needed_where_a_film_costs(self, spec: ModelSpec) -> None:
        assert spec.charged == bool(spec.keys and spec.provider != "external")
        if spec.charged:
            assert spec.endpoint and spec.home and spec.extra and spec.packages

    def test_a_retired_one_names_one_that_lives(self, spec: ModelSpec) -> None:
        if spec.status == "retired":
            assert spec.replacement is not None and MODELS[spec.replacement].status == "live"
        else:
            assert spec.retired_on is None and spec.replacement is None

    def test_its_extra_is_one_of_the_package(self, spec: ModelSpec) -> None:
        text = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
        assert spec.extra is None or f"\n{spec.extra} = [" in text

    def test_eight_seconds_are_asked_for_where_they_can_be(self, spec: ModelSpec) -> None:
        seconds = spec.seconds_for(None, 8.0)
        assert seconds == 8.0 or seconds in spec.durations_s
        if 8.0 in spec.durations_s:
            assert seconds == 8.0


def test_a_name_that_is_nearly_right_is_told() -> None:
    with pytest.raises(UnknownName, match="no model 'luma-ray2'; did you mean 'luma-ray-2'"):
        MODELS["luma-ray2"]


def test_nothing_heavy_is_imported_to_look() -> None:
    heavy = ["torch", "diffusers", "openai", "google.genai", "runwayml", "lumaai", "httpx", "cv2", "numpy"]
    code = (
        "from vmevalkit.models.catalogue import MODELS, missing\n"
        "for spec in MODELS.values(): missing(spec)\n"
        f"import sys; print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class TestReadiness:
    SPEC = ModelSpec("clay-1", "clay", "clay.v1", "clay", adapter="vmevalkit.models.external_inference:ExternalVideos")

    def test_a_missing_package_comes_with_its_pip_line(self) -> None:
        spec = replace(self.SPEC, extra="clay", packages=("json", "no_such_package", "no_such.part"))
        told = "pip install 'vmevalkit[clay]' (no no_such_package, no_such.part)"
        assert missing(spec) == [told]
        with pytest.raises(SetupError) as caught:
            load(spec)
        assert str(caught.value) == f"clay-1 cannot be used here: {told}"

    def test_a_package_without_an_extra_is_named_itself(self) -> None:
        assert missing(replace(self.SPEC, packages=("no_such_package",))) == [
            "pip install no_such_package (no no_such_package)"
        ]

    def test_a_missing_key_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        spec = replace(self.SPEC, keys=("CLAY_KEY|CLAY_TOKEN", "CLAY_PROJECT"))
        for name in ("CLAY_KEY", "CLAY_TOKEN", "CLAY_PROJECT"):
            monkeypatch.delenv(name, raising=False)
        assert missing(spec) == ["set CLAY_KEY or CLAY_TOKEN", "set CLAY_PROJECT"]
        monkeypatch.setenv("CLAY_TOKEN", "canary")
        with pytest.raises(SetupError, match="set CLAY_PROJECT") as caught:
            load(spec)
        assert "canary" not in str(caught.value)
        monkeypatch.setenv("CLAY_PROJECT", "mud")
        assert missing(spec) == []
        assert load(spec).spec is spec

    def test_an_adapter_that_is_not_there_is_named(self) -> None:
        with pytest.raises(SetupError, match=r"'vmevalkit\.models\.clay:Clay' of clay-1 cannot be imported"):
            load(replace(self.SPEC, adapter="vmevalkit.models.clay:Clay"))

    def test_weights_are_found_by_name_by_id_and_in_the_cache(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        spec = replace(MODELS["svd"], packages=())
        monkeypatch.setenv("VMEVALKIT_WEIGHTS", str(tmp_path / "weights"))
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
        assert missing(spec) == [f"weights: hf download {spec.vendor_id}"]
        cached = f"models--{spec.vendor_id.replace('/', '--')}/snapshots/0123"
        for place in (f"weights/{spec.name}", f"weights/{spec.vendor_id}", f"hub/{cached}"):
            folder = tmp_path / place
            folder.mkdir(parents=True)
            assert missing(spec) != []
            index = folder / "model_index.json"
            index.write_text("{}")
            assert missing(spec) == []
            index.unlink()

    def test_a_checkout_without_its_weights_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DYNAMICRAFTER_HOME", str(tmp_path))
        [told] = missing(MODELS["dynamicrafter-512"])
        assert told.startswith("weights: put checkpoints/dynamicrafter_512_v1/model.ckpt in DYNAMICRAFTER_HOME")


class TestRetired:
    def test_it_is_refused_with_its_replacement(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
        with pytest.raises(UsageError, match=r"retired by openai since 2026-09-24; use veo-3\.1-generate instead"):
            load(MODELS["openai-sora-2"])

    def test_the_providers_own_address_does_not_bring_it_back(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "https://api.openai.com/v1")
        with pytest.raises(UsageError, match="retired"):
            load(MODELS["openai-sora-2"])

    def test_another_service_does(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "https://videos.example/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "canary")
        MODELS["openai-sora-2"].refuse_retired()
        assert MODELS["openai-sora-2"].served_elsewhere


def fresh() -> Registry[ModelSpec]:
    """The catalogue looked up again."""
    return Registry("model", catalogue._find)


CLAY = """
from vmevalkit.models.model import ModelSpec

class Clay:
    def __init__(self, spec):
        self.spec = spec

ROWS = [ModelSpec(f"clay-{n}", "clay", f"clay.v{n}", "clay", adapter=f"{__name__}:Clay") for n in (1, 2)]
ONE = ModelSpec("mud", "clay", "mud", "clay", adapter=f"{__name__}:Clay")
WRONG = [1]
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package that adds models, as pip would leave it; returns its list of entry points."""
    (tmp_path / "claypackage.py").write_text(CLAY)
    about = tmp_path / "claypackage-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: claypackage\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "claypackage", raising=False)
    return about / "entry_points.txt"


class TestOfOthers:
    def test_a_package_adds_models_by_an_entry_point(self, package: Path) -> None:
        package.write_text("[vmevalkit.models]\nclay = claypackage:ROWS\nmud = claypackage:ONE\n")
        models = fresh()
        assert {"clay-1", "clay-2", "mud"} <= set(models)
        assert len(models) == len(MODELS) + 3
        assert load(models["mud"]).spec.name == "mud"

    @pytest.mark.parametrize(
        ("line", "told"),
        [
            ("broken = claypackage:NOTHING", "the entry point broken = claypackage:NOTHING cannot be loaded"),
            ("broken = claypackage:WRONG", "gives int among its rows"),
            ("broken = claypackage:Clay", "gives type; it must give a ModelSpec"),
        ],
    )
    def test_a_broken_one_is_named(self, package: Path, line: str, told: str) -> None:
        package.write_text(f"[vmevalkit.models]\n{line}\n")
        with pytest.raises(SetupError, match=told):
            len(fresh())

    def test_two_of_one_name_are_refused(self, package: Path) -> None:
        package.write_text("[vmevalkit.models]\nclay = claypackage:ONE\nagain = claypackage:ONE\n")
        with pytest.raises(SetupError, match="two models are called 'mud'"):
            len(fresh())

    def test_a_file_of_ones_own_adds_models(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        mine, more = tmp_path / "mine.py", tmp_path / "more.py"
        mine.write_text(CLAY)
        more.write_text(CLAY.replace("clay-", "loam-"))
        monkeypatch.setenv("VMEVALKIT_MODELS", os.pathsep.join((str(mine), str(more))))
        models = fresh()
        assert {"clay-1", "clay-2", "loam-1", "loam-2"} <= set(models)
        assert type(load(models["loam-2"])).__module__ == "vmevalkit_model_more"
        assert setting("VMEVALKIT_MODELS")

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            (None, "which is no Python file"),
            ("ROWS = 1 / 0", "cannot be loaded: division by zero"),
            ("", "gives NoneType"),
        ],
    )
    def test_a_wrong_file_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, told: str
    ) -> None:
        path = tmp_path / "mine.py"
        if text is not None:
            path.write_text(text)
        monkeypatch.setenv("VMEVALKIT_MODELS", str(path))
        with pytest.raises(SetupError, match=told):
            len(fresh())
