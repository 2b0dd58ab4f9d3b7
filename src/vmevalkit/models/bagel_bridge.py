"""The program that runs inside a checkout of BAGEL, in the checkout's own environment: one request a line, as JSON.

    {"images": [path, ...], "text": "...", "out": path or null, "seed": 0, "max_tokens": 1024}
    {"text": "..."}                     the answer, or what was written beside the image
    {"error": "..."}                    why there is none

``out`` asks for an image, which is written there. All images come before the text in both stages. The first line that
the program writes is ``{"ready": true}``. This file imports nothing of VMEvalKit.
"""

from __future__ import annotations

import json
import os
import random
import sys
import traceback
from pathlib import Path
from typing import Any

DRAWING = {"cfg_text_scale": 4.0, "cfg_interval": [0.4, 1.0], "timestep_shift": 3.0, "num_timesteps": 50,
           "image_shapes": (1024, 1024)}  # fmt: skip
"""Parameters of an image. Where images are given, BAGEL takes the shape of the last one."""


def load_inferencer(weights: Path) -> Any:
    """Return BAGEL's inferencer with the weights of a folder, on the GPUs of this machine."""
    import torch
    from accelerate import infer_auto_device_map, init_empty_weights, load_checkpoint_and_dispatch
    from data.data_utils import add_special_tokens
    from data.transforms import ImageTransform
    from inferencer import InterleaveInferencer
    from modeling.autoencoder import load_ae
    from modeling.bagel import (
        Bagel,
        BagelConfig,
        Qwen2Config,
        Qwen2ForCausalLM,
        SiglipVisionConfig,
        SiglipVisionModel,
    )
    from modeling.qwen2 import Qwen2Tokenizer

    language = Qwen2Config.from_json_file(str(weights / "llm_config.json"))
    language.qk_norm, language.tie_word_embeddings, language.layer_module = True, False, "Qwen2MoTDecoderLayer"
    vision = SiglipVisionConfig.from_json_file(str(weights / "vit_config.json"))
    vision.rope = False
    vision.num_hidden_layers -= 1
    autoencoder, autoencoder_config = load_ae(local_path=str(weights / "ae.safetensors"))
    config = BagelConfig(
        visual_gen=True, visual_und=True, llm_config=language, vit_config=vision, vae_config=autoencoder_config,
        vit_max_num_patch_per_side=70, connector_act="gelu_pytorch_tanh", latent_patch_size=2, max_latent_size=64,
    )  # fmt: skip
    with init_empty_weights():
        model = Bagel(Qwen2ForCausalLM(language), SiglipVisionModel(vision), config)
        model.vit_model.vision_model.embeddings.convert_conv2d_to_linear(vision, meta=True)
    devices = infer_auto_device_map(model, no_split_module_classes=["Bagel", "Qwen2MoTDecoderLayer"])
    together = ("language_model.model.embed_tokens", "time_embedder", "latent_pos_embed", "vae2llm", "llm2vae",
                "connector", "vit_pos_embed")  # fmt: skip
    first = devices.get(together[0], 0)
    devices.update({name: first for name in together if name in devices or torch.cuda.device_count() == 1})
    model = load_checkpoint_and_dispatch(
        model, checkpoint=str(weights / "ema.safetensors"), device_map=devices, offload_buffers=True,
        dtype=torch.bfloat16, force_hooks=True,
    ).eval()  # fmt: skip
    tokenizer, new_token_ids, _ = add_special_tokens(Qwen2Tokenizer.from_pretrained(str(weights)))
    return InterleaveInferencer(
        model=model, vae_model=autoencoder, tokenizer=tokenizer, vae_transform=ImageTransform(1024, 512, 16),
        vit_transform=ImageTransform(980, 224, 14), new_token_ids=new_token_ids,
    )  # fmt: skip


def set_seed(seed: int) -> None:
    import numpy as np
    import torch

    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def answer(inferencer: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Return the response to one request."""
    from PIL import Image

    set_seed(int(request.get("seed", 0)))
    inputs = [Image.open(path).convert("RGB") for path in request["images"]]
    if request.get("out") is None:
        outputs = inferencer.interleave_inference(
            [*inputs, request["text"]],
            understanding_output=True,
            do_sample=False,
            max_think_token_n=int(request.get("max_tokens") or 1024),
        )
    else:
        outputs = inferencer.interleave_inference([*inputs, request["text"]], **DRAWING)
        images = [output for output in outputs if isinstance(output, Image.Image)]
        if not images:
            return {"error": "BAGEL made no image"}
        images[-1].save(request["out"], format="PNG")
    return {"text": "".join(output for output in outputs if isinstance(output, str))}


def main() -> None:
    # The checkout's code prints: only the copy of stdout that is kept here speaks the protocol.
    protocol = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    sys.path.insert(0, str(Path.cwd()))
    inferencer = load_inferencer(Path(sys.argv[1]))
    protocol.write(json.dumps({"ready": True}) + "\n")
    for line in sys.stdin:
        try:
            response = answer(inferencer, json.loads(line))
        except Exception as error:  # noqa: BLE001  - the caller gets it, and may send the next request
            traceback.print_exc()
            response = {"error": f"{type(error).__name__}: {error}"}
        protocol.write(json.dumps(response) + "\n")


if __name__ == "__main__":
    main()
