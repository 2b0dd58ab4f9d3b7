from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vmevalkit.baselines.baseline import list_baselines
from vmevalkit.cli.main import make_app
from vmevalkit.cli.models import format_family
from vmevalkit.models import catalogue
from vmevalkit.models.catalogue import MODELS

KEYS = {
    name for spec in MODELS.values() for key in (*spec.keys, spec.endpoint or "") for name in key.split("|") if name
}


@pytest.fixture(autouse=True)
def without_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, no keys and no weights: nothing that costs is ready."""
    monkeypatch.chdir(tmp_path)
    for name in KEYS & set(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.delenv("VMEVALKIT_WEIGHTS", raising=False)


def call(*args: str) -> str:
    result = CliRunner().invoke(make_app(), ["models", *args])
    assert result.exit_code == 0, result.output
    return result.stdout


def read_lines(*args: str) -> dict[str, str]:
    """Return the lines of the models that the command prints, by name."""
    lines = [line for line in call(*args).splitlines() if line.startswith("    ")]
    return {line.split()[0]: " ".join(line.split()) for line in lines}


def test_every_model_has_one_line() -> None:
    text, lines = call(), read_lines()
    assert sorted(lines) == sorted(MODELS)
    assert text.count("\n    ") == len(MODELS)
    assert lines["runway-gen4-turbo"] == "runway-gen4-turbo $0.05 per second live"
    assert "Runway\n  set RUNWAYML_API_SECRET\n    runway-gen4-turbo " in text
    assert lines["openai-sora-2"].endswith(" per second retired 2026-09-24; use veo-3.1-generate")
    assert lines["luma-ray-2"].startswith("luma-ray-2 $0.1858 per second live; set LUMAAI_API_KEY; ")
    assert lines["replicate-hailuo-02"] == "replicate-hailuo-02 unknown live"
    assert lines["fal-hailuo-02-standard"] == "fal-hailuo-02-standard $0.045 per second live", "not $0.04"
    assert lines["svd"] == "svd free live"
    # Where torch is not installed, the family's line has the packages before the weights.
    section = text[text.index("Stable Video Diffusion\n") : text.index("\n    svd ")]
    assert "weights: hf download stabilityai/" in " ".join(section.split())


def test_a_family_is_chosen_by_a_part_of_its_name() -> None:
    assert set(read_lines("--family", "sora", "LTX-Video")) == {
        name for name, spec in MODELS.items() if spec.family in ("OpenAI Sora", "LTX-Video")
    }


def test_an_unknown_family_is_a_one_line_error() -> None:
    result = CliRunner().invoke(make_app(), ["models", "--family", "Lumma"])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: no family 'Lumma'; ")


def test_only_models_that_are_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = "no such model is ready here; without --ready, models are listed with what is missing\n"
    assert call("--ready") == nothing
    monkeypatch.setenv("RUNWAYML_API_SECRET", "canary")
    ready = read_lines("--ready")
    assert set(ready) == {
        name for name, spec in MODELS.items() if spec.provider == "runway" and spec.status != "retired"
    }
    assert all(line.endswith("; ready") for line in ready.values())
    assert "canary" not in str(ready)


def test_a_retired_model_is_ready_where_another_service_offers_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://videos.example/v1")
    assert set(read_lines("--ready")) == {"openai-sora-2", "openai-sora-2-pro"}


def test_a_model_is_shown_in_full() -> None:
    result = CliRunner().invoke(make_app(), ["models", "veo-3.1-generate", "svd"])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[:12] == [
        "veo-3.1-generate: Google Veo 3.1 on Vertex AI (4s/6s/8s, 720p and 1080p)",
        "  family     Google Veo",
        "  provider   vertex",
        "  vendor id  veo-3.1-generate-001",
        "  status     live",
        "  sizes      1280x720, 720x1280, 1920x1080, 1080x1920",
        "  lengths    4, 6, 8 s",
        "  fps        24",
        "  price      $0.2 per s without audio (2026-11-19, cloud.google.com/vertex-ai/generative-ai/pricing, as it "
        "was on 2026-07-30); $0.4 per s with audio (2026-11-16, the price list of LiteLLM, citing "
        "cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo)",
        "  params     audio, auto_pad, enhance_prompt, negative_prompt, seed",
        "  adapter    vmevalkit.models.veo_inference:VeoVideos",
        "  here       set GOOGLE_CLOUD_PROJECT",
    ]
    assert "\n  price      free\n" in result.stdout


@pytest.mark.parametrize("name", list(MODELS))
def test_every_model_can_be_shown(name: str) -> None:
    result = CliRunner().invoke(make_app(), ["models", name])
    assert (result.exit_code, result.stdout.split(":")[0], result.stdout.count("\n")) == (0, name, 12)


def test_an_unknown_model_is_a_one_line_error() -> None:
    result = CliRunner().invoke(make_app(), ["models", "veo-3.2"])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: no model 'veo-3.2'; did you mean 'veo-3.1")


def test_a_missing_package_is_printed_with_the_whole_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich would drop ``[openai]`` as a tag of its markup."""
    specs = [replace(MODELS[name], packages=("no_such_package",), keys=()) for name in ("openai-sora-2", "luma-ray-2")]
    monkeypatch.setattr(catalogue, "MODELS", {spec.name: spec for spec in specs})
    lines = call().splitlines()
    assert '  pip install "vmevalkit[openai]" (no no_such_package)' in lines
    assert '  pip install "vmevalkit[luma]" (no no_such_package)' in lines


def test_the_list_fits_in_80_columns_and_breaks_no_word() -> None:
    rows = [(spec, catalogue.list_missing(spec)) for spec in MODELS.values()]
    for family in {spec.family for spec in MODELS.values()}:
        members = [row for row in rows if row[0].family == family]
        lines = format_family(family, members, 80)
        assert max(map(len, lines)) <= 80
        starts = [line.split()[0] for line in lines if re.match(r" {4}\S", line)]
        assert starts == [spec.name for spec, _ in members]
        full = " ".join(format_family(family, members, 1000)).split()
        assert " ".join(lines).split() == full


def test_baselines_are_listed_with_their_videos_and_tasks() -> None:
    lines = [" ".join(line.split()) for line in call("--baselines").splitlines()]
    assert lines[0] == "baseline video applies to"
    assert "oracle the reference solution every task" in lines
    assert "static the first frame, without any motion any image" in lines
    assert "through_wall the dot moves smoothly through a wall maze" in lines
    assert not set(MODELS) & {line.split()[0] for line in lines}
    assert [line.split()[0] for line in lines[1:-1]] == [info.name for info in list_baselines()]
    assert lines[-1] == "a degradation may follow, such as oracle+zoom_75"


def test_prices_are_listed_with_day_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    from vmevalkit.cli.models import models

    models(None, None, prices=True)
    printed = capsys.readouterr().out
    assert "fal-kling-2.6-pro: $0.07 per s (2026-11-18, fal.ai/models/" in printed
    assert "replicate-hailuo-2.3: unknown" in printed
