from __future__ import annotations

from importlib import import_module

import pytest

from vmevalkit.models.catalogue import MODELS
from vmevalkit.runner.MODEL_CATALOG import AVAILABLE_MODELS, MODEL_FAMILIES


def test_sora_is_listed_as_the_specification_writes_it() -> None:
    assert AVAILABLE_MODELS["openai-sora-2"] == {
        "wrapper_module": "vmevalkit.models.openai_inference",
        "wrapper_class": "OpenAIWrapper",
        "service_class": "SoraService",
        "model": "sora-2",
        "description": "OpenAI Sora-2 - High-quality video generation (4s/8s/12s)",
        "family": "OpenAI Sora",
    }


@pytest.mark.parametrize("name", sorted(AVAILABLE_MODELS))
def test_every_name_in_an_entry_is_the_real_adapter(name: str) -> None:
    entry = AVAILABLE_MODELS[name]
    module = import_module(entry["wrapper_module"])
    adapter = getattr(module, MODELS[name].adapter.partition(":")[2])
    assert getattr(module, entry["wrapper_class"]) is adapter
    assert getattr(module, entry["service_class"]) is adapter


def test_every_row_is_there_and_in_one_family() -> None:
    assert list(AVAILABLE_MODELS) == list(MODELS)
    assert sorted(name for family in MODEL_FAMILIES.values() for name in family) == sorted(MODELS)
