"""BAGEL's process: a stand-in for the checkout has the modules and signatures that the bridge uses."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from test_two_stage import run

from vmevalkit.core.errors import ModelError, SetupError
from vmevalkit.models.bagel import BagelPlace, BagelProcess
from vmevalkit.models.chat_images import make_image_part

STAND_IN = {
    "torch.py": """
        bfloat16 = "bfloat16"
        def manual_seed(seed): print("noise on stdout")
        class cuda:
            device_count = staticmethod(lambda: 1)
    """,
    "accelerate.py": """
        from contextlib import nullcontext as init_empty_weights
        def infer_auto_device_map(model, no_split_module_classes): return {"language_model.model.embed_tokens": 0}
        def load_checkpoint_and_dispatch(model, *, checkpoint, device_map, offload_buffers, dtype, force_hooks):
            assert checkpoint.endswith("ema.safetensors") and dtype == "bfloat16" and device_map["connector"] == 0
            return model
    """,
    "data/__init__.py": "",
    "data/data_utils.py": "def add_special_tokens(tokenizer): return tokenizer, {'eos_token_id': 2}, 0",
    "data/transforms.py": """
        class ImageTransform:
            def __init__(self, max_size, min_size, stride): assert max_size > min_size > stride
    """,
    "modeling/__init__.py": "",
    "modeling/autoencoder.py": "def load_ae(*, local_path): return 'vae', {'path': local_path}",
    "modeling/qwen2.py": """
        class Qwen2Tokenizer:
            from_pretrained = classmethod(lambda cls, path: cls())
    """,
    "modeling/bagel.py": """
        from types import SimpleNamespace
        class _Config(SimpleNamespace):
            @classmethod
            def from_json_file(cls, path): return cls(num_hidden_layers=27)
        Qwen2Config = SiglipVisionConfig = _Config
        class BagelConfig(SimpleNamespace): pass
        class Qwen2ForCausalLM:
            def __init__(self, config): assert config.layer_module == "Qwen2MoTDecoderLayer"
        class SiglipVisionModel:
            def __init__(self, config): assert config.num_hidden_layers == 26 and config.rope is False
        class Bagel:
            def __init__(self, language, vision, config):
                assert config.max_latent_size == 64 and config.visual_gen
                embeddings = SimpleNamespace(convert_conv2d_to_linear=lambda config, meta: None)
                self.vit_model = SimpleNamespace(vision_model=SimpleNamespace(embeddings=embeddings))
            def eval(self): return self
    """,
    "inferencer.py": """
        import sys
        from PIL import Image
        class InterleaveInferencer:
            def __init__(self, model, vae_model, tokenizer, vae_transform, vit_transform, new_token_ids): pass
            def interleave_inference(
                self, input_lists, think=False, understanding_output=False, max_think_token_n=1000, do_sample=False,
                text_temperature=0.3, cfg_text_scale=3.0, cfg_img_scale=1.5, cfg_interval=[0.4, 1.0],
                timestep_shift=3.0, num_timesteps=50, cfg_renorm_min=0.0, cfg_renorm_type="global",
                image_shapes=(1024, 1024),
            ):
                *images, text = input_lists
                print("more noise on stdout")
                assert isinstance(text, str) and all(isinstance(image, Image.Image) for image in images)
                if "crash" in text:
                    sys.exit(3)
                if "raise" in text:
                    raise RuntimeError("out of memory")
                if understanding_output:
                    assert max_think_token_n in (1024, 8192) and not do_sample
                    return [f"{len(images)} images. ``B``"]
                assert (cfg_text_scale, num_timesteps, timestep_shift) == (4.0, 50, 3.0)
                return [Image.new("RGB", (32, 16 * len(images)), "red")]
    """,
}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "Bagel"
    for name, text in STAND_IN.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), "utf-8")
    (folder / "models" / "BAGEL-7B-MoT").mkdir(parents=True)
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    # A virtual environment of its own would take seconds: a script that starts this interpreter is enough.
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', "utf-8")
    python.chmod(0o755)
    monkeypatch.setenv("VMEVALKIT_BAGEL_HOME", str(folder))
    return folder


def test_both_stages_in_one_process(checkout: Path, dataset: Path, tmp_path: Path) -> None:
    summary, samples = run(
        "bagel_visual_cot", "", ["mmsi_msr_visual_cot", "mmsi_msr"], dataset, tmp_path / "logs", limit=2
    )
    assert (summary.asked, summary.failed) == (4, [])
    assert {row.response for row in samples["mmsi_msr"]} == {"3 images. ``B``"}
    assert {row.response for row in samples["mmsi_msr_visual_cot"]} == {"4 images. ``B``"}
    assert all(row.visualization for row in samples["mmsi_msr_visual_cot"])


def test_errors_and_crashes_of_the_process(checkout: Path) -> None:
    process = BagelProcess(BagelPlace.find())
    image = make_image_part(np.zeros((8, 8, 3), np.uint8))
    with pytest.raises(ModelError, match="out of memory"):
        process.ask([image], "raise", draws=False, max_tokens=1024)
    with pytest.raises(ModelError, match="exited with code 3"):
        process.ask([image], "crash", draws=False, max_tokens=1024)
    assert process.ask([image], "again", draws=False, max_tokens=1024)[0] == "1 images. ``B``"
    child = process._process
    process.close()
    assert child is not None and child.poll() is not None


def test_missing_places_name_their_settings(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SetupError, match="VMEVALKIT_BAGEL_WEIGHTS"):
        BagelPlace.find(weights=str(checkout / "none"))
    os.unlink(checkout / ".venv" / "bin" / "python")  # noqa: PTH108
    with pytest.raises(SetupError, match="VMEVALKIT_BAGEL_PYTHON"):
        BagelPlace.find()
