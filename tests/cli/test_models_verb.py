from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vmevalkit.cli.main import make_app
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


def listed(*words: str) -> dict[str, str]:
    """What the verb prints, by the first word of each line."""
    result = CliRunner().invoke(make_app(), ["models", *words])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert re.split(r"\s{2,}", lines[0].strip()) == ["model", "family", "status", "price", "here"]
    return {line.split()[0]: " ".join(line.split()) for line in lines[1:]}


def test_every_model_has_one_line() -> None:
    lines = listed()
    assert list(lines) == list(MODELS)
    assert lines["runway-gen4-turbo"].endswith("Runway live $0.05 a second set RUNWAYML_API_SECRET")
    assert "retired 2026-09-24; use veo-3.1-generate" in lines["openai-sora-2"]
    assert " unknown " in lines["luma-ray-2"]
    assert " free " in lines["svd"] and "hf download stabilityai/" in lines["svd"]


def test_a_family_is_chosen_by_a_part_of_its_name() -> None:
    assert set(listed("--family", "sora", "LTX-Video")) == {
        name for name, spec in MODELS.items() if spec.family in ("OpenAI Sora", "LTX-Video")
    }


def test_an_unknown_family_is_an_error_of_a_line() -> None:
    result = CliRunner().invoke(make_app(), ["models", "--family", "Lumma"])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: no family 'Lumma'; ")


def test_only_what_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no" in listed("--ready")  # a line that says so
    monkeypatch.setenv("RUNWAYML_API_SECRET", "canary")
    ready = listed("--ready")
    assert set(ready) == {
        name for name, spec in MODELS.items() if spec.provider == "runway" and spec.status != "retired"
    }
    assert all(line.endswith(" ready") for line in ready.values())
    assert "canary" not in str(ready)


def test_a_retired_model_is_ready_where_others_serve_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://videos.example/v1")
    assert set(listed("--ready")) == {"openai-sora-2", "openai-sora-2-pro"}


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
        "  price      $0.40 a second, as of 2026-11-16, by the price list of LiteLLM, citing "
        "cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo",
        "  takes      audio, auto_pad, enhance_prompt, negative_prompt, seed",
        "  adapter    vmevalkit.models.veo_inference:VeoVideos",
        "  here       set GOOGLE_CLOUD_PROJECT",
    ]
    assert "\n  price      free\n" in result.stdout


@pytest.mark.parametrize("name", list(MODELS))
def test_every_model_can_be_shown(name: str) -> None:
    result = CliRunner().invoke(make_app(), ["models", name])
    assert (result.exit_code, result.stdout.split(":")[0], result.stdout.count("\n")) == (0, name, 12)


def test_an_unknown_model_is_an_error_of_a_line() -> None:
    result = CliRunner().invoke(make_app(), ["models", "veo-3.2"])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: no model 'veo-3.2'; did you mean 'veo-3.1")
