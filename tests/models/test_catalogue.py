"""The rows, which models are ready, and plugins that add models."""

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
from vmevalkit.models.catalogue import MODELS, list_missing, load_model
from vmevalkit.models.model import ModelSpec

VARIANTS = ("", "-ultra-fast", "-lora", "-lora-ultra-fast")
REFERENCE_MODELS = {
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
SPECIFICATION_MODELS = {"ltx-video-13b-dev", "ltx-video-2b-distilled"}
SUCCESSORS = {
    "veo-3.1-fast-generate", "gemini-omni-1.2-flash", "runway-gen4.5", "runway-veo3.1", "runway-seedance2",
    "runway-kling3.0-pro", "runway-hailuo3", "runway-wan3", "luma-ray-3.2", "wavespeed-wan-2.2-image-to-video",
    "ltx-2", "hunyuan-video-1.5-i2v", "cogvideox-5b-i2v", "cogvideox1.5-5b-i2v", "sana-video-2b-480p",
}  # fmt: skip


def test_the_catalogue_has_every_named_model() -> None:
    assert len(REFERENCE_MODELS) == 51
    assert set(MODELS) >= REFERENCE_MODELS | SPECIFICATION_MODELS | SUCCESSORS


@pytest.mark.parametrize("spec", MODELS.values(), ids=lambda spec: spec.name)
class TestRow:
    def test_the_row_is_complete(self, spec: ModelSpec) -> None:
        assert spec.vendor_id and spec.family and spec.description and spec.provider
        assert spec.adapter.startswith("vmevalkit.models.") and ":" in spec.adapter
        assert all(width > 0 and height > 0 for width, height in spec.sizes)
        assert len(set(spec.sizes)) == len(spec.sizes)
        assert all(seconds > 0 for seconds in spec.durations_s)

    def test_the_price_has_a_date_and_a_source(self, spec: ModelSpec) -> None:
        for price in spec.all_prices:
            assert spec.charged and price.usd > 0
            assert price.as_of.startswith("2026-11-") and "." in price.source
            assert price.tier is None or price.tier in {min(size) for size in spec.sizes}
        if spec.price is not None:
            assert spec.cost_usd(8.0) == pytest.approx(8 * spec.price.usd)
        elif spec.prices:
            assert all(spec.cost_usd(seconds) for seconds in spec.durations_s)
        else:
            assert spec.cost_usd(8.0) == (None if spec.charged else 0.0)

    def test_a_charged_model_needs_a_key(self, spec: ModelSpec) -> None:
        assert spec.charged == bool(spec.keys and spec.provider != "external")
        if spec.charged:
            assert spec.endpoint and spec.provider_host and spec.extra and spec.packages

    def test_a_retired_model_names_a_live_replacement(self, spec: ModelSpec) -> None:
        if spec.status == "retired":
            assert spec.replacement is not None and MODELS[spec.replacement].status == "live"
        else:
            assert spec.retired_on is None and spec.replacement is None

    def test_the_extra_exists_in_the_package(self, spec: ModelSpec) -> None:
        text = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
        assert spec.extra is None or f"\n{spec.extra} = [" in text

    def test_eight_seconds_are_chosen_where_supported(self, spec: ModelSpec) -> None:
        seconds = spec.choose_seconds(None, 8.0)
        assert seconds == 8.0 or seconds in spec.durations_s
        if 8.0 in spec.durations_s:
            assert seconds == 8.0


def test_a_misspelt_name_gets_a_suggestion() -> None:
    with pytest.raises(UnknownName, match="no model 'luma-ray2'; did you mean 'luma-ray-2'"):
        MODELS["luma-ray2"]


def test_listing_models_imports_nothing_heavy() -> None:
    heavy = ["torch", "diffusers", "openai", "google.genai", "runwayml", "lumaai", "httpx", "cv2", "numpy"]
    code = (
        "from vmevalkit.models.catalogue import MODELS, list_missing\n"
        "for spec in MODELS.values(): list_missing(spec)\n"
        f"import sys; print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class TestReadiness:
    SPEC = ModelSpec("clay-1", "clay", "clay.v1", "clay", adapter="vmevalkit.models.external_inference:ExternalVideos")

    def test_a_missing_package_is_reported_with_the_install_command(self) -> None:
        spec = replace(self.SPEC, extra="clay", packages=("json", "no_such_package", "no_such.part"))
        message = 'pip install "vmevalkit[clay]" (no no_such_package, no_such.part)'
        assert list_missing(spec) == [message]
        with pytest.raises(SetupError) as caught:
            load_model(spec)
        assert str(caught.value) == f"clay-1 cannot be used here: {message}"

    def test_a_package_without_an_extra_is_installed_by_its_name(self) -> None:
        assert list_missing(replace(self.SPEC, packages=("no_such_package",))) == [
            "pip install no_such_package (no no_such_package)"
        ]

    def test_a_missing_key_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        spec = replace(self.SPEC, keys=("CLAY_KEY|CLAY_TOKEN", "CLAY_PROJECT"))
        for name in ("CLAY_KEY", "CLAY_TOKEN", "CLAY_PROJECT"):
            monkeypatch.delenv(name, raising=False)
        assert list_missing(spec) == ["set CLAY_KEY or CLAY_TOKEN", "set CLAY_PROJECT"]
        monkeypatch.setenv("CLAY_TOKEN", "canary")
        with pytest.raises(SetupError, match="set CLAY_PROJECT") as caught:
            load_model(spec)
        assert "canary" not in str(caught.value)
        monkeypatch.setenv("CLAY_PROJECT", "mud")
        assert list_missing(spec) == []
        assert load_model(spec).spec is spec

    def test_a_missing_adapter_is_reported(self) -> None:
        with pytest.raises(SetupError, match=r"'vmevalkit\.models\.clay:Clay' of clay-1 cannot be imported"):
            load_model(replace(self.SPEC, adapter="vmevalkit.models.clay:Clay"))

    def test_weights_are_found_by_name_by_id_and_in_the_cache(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        spec = replace(MODELS["svd"], packages=())
        monkeypatch.setenv("VMEVALKIT_WEIGHTS", str(tmp_path / "weights"))
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
        assert list_missing(spec) == [f"weights: hf download {spec.vendor_id}"]
        cached = f"models--{spec.vendor_id.replace('/', '--')}/snapshots/0123"
        for place in (f"weights/{spec.name}", f"weights/{spec.vendor_id}", f"hub/{cached}"):
            folder = tmp_path / place
            folder.mkdir(parents=True)
            assert list_missing(spec) != []
            index = folder / "model_index.json"
            index.write_text("{}")
            assert list_missing(spec) == []
            index.unlink()

    def test_a_checkout_without_weights_is_reported(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DYNAMICRAFTER_HOME", str(tmp_path))
        [message] = list_missing(MODELS["dynamicrafter-512"])
        assert message.startswith("weights: put checkpoints/dynamicrafter_512_v1/model.ckpt in DYNAMICRAFTER_HOME")


class TestRetired:
    def test_a_retired_model_is_refused_with_its_replacement(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
        with pytest.raises(UsageError, match=r"retired by openai since 2026-09-24; use veo-3\.1-generate instead"):
            load_model(MODELS["openai-sora-2"])

    def test_the_providers_own_address_does_not_make_it_available(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "https://api.openai.com/v1")
        with pytest.raises(UsageError, match="retired"):
            load_model(MODELS["openai-sora-2"])

    def test_another_service_makes_it_available(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "https://videos.example/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "canary")
        MODELS["openai-sora-2"].refuse_retired()
        assert MODELS["openai-sora-2"].is_served_elsewhere


def reload_catalogue() -> Registry[ModelSpec]:
    """Return the catalogue, loaded again."""
    return Registry("model", catalogue.find_models)


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
    """Install a package that adds models, as pip would, and return the path of its entry points."""
    (tmp_path / "claypackage.py").write_text(CLAY)
    about = tmp_path / "claypackage-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: claypackage\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "claypackage", raising=False)
    return about / "entry_points.txt"


class TestPlugins:
    def test_a_package_adds_models_by_an_entry_point(self, package: Path) -> None:
        package.write_text("[vmevalkit.models]\nclay = claypackage:ROWS\nmud = claypackage:ONE\n")
        models = reload_catalogue()
        assert {"clay-1", "clay-2", "mud"} <= set(models)
        assert len(models) == len(MODELS) + 3
        assert load_model(models["mud"]).spec.name == "mud"

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("broken = claypackage:NOTHING", "the entry point broken = claypackage:NOTHING cannot be loaded"),
            ("broken = claypackage:WRONG", "gives int among its rows"),
            ("broken = claypackage:Clay", "gives type; it must give a ModelSpec"),
        ],
    )
    def test_a_broken_entry_point_is_reported(self, package: Path, line: str, message: str) -> None:
        package.write_text(f"[vmevalkit.models]\n{line}\n")
        with pytest.raises(SetupError, match=message):
            len(reload_catalogue())

    def test_two_models_with_the_same_name_are_refused(self, package: Path) -> None:
        package.write_text("[vmevalkit.models]\nclay = claypackage:ONE\nagain = claypackage:ONE\n")
        with pytest.raises(SetupError, match="two models are called 'mud'"):
            len(reload_catalogue())

    def test_a_users_file_adds_models(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        mine, more = tmp_path / "mine.py", tmp_path / "more.py"
        mine.write_text(CLAY)
        more.write_text(CLAY.replace("clay-", "loam-"))
        monkeypatch.setenv("VMEVALKIT_MODELS", os.pathsep.join((str(mine), str(more))))
        models = reload_catalogue()
        assert {"clay-1", "clay-2", "loam-1", "loam-2"} <= set(models)
        assert type(load_model(models["loam-2"])).__module__ == "vmevalkit_models_more"
        assert setting("VMEVALKIT_MODELS")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (None, "which is not a Python file"),
            ("ROWS = 1 / 0", "cannot be loaded: division by zero"),
            ("", "gives NoneType"),
        ],
    )
    def test_an_invalid_file_is_reported(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, message: str
    ) -> None:
        path = tmp_path / "mine.py"
        if text is not None:
            path.write_text(text)
        monkeypatch.setenv("VMEVALKIT_MODELS", str(path))
        with pytest.raises(SetupError, match=message):
            len(reload_catalogue())
