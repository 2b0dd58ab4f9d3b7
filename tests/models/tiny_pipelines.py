"""Pipelines of diffusers with a few thousand random weights, saved to a folder as real ones are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import diffusers
import torch
import transformers
from diffusers.pipelines.ltx2 import LTX2TextConnectors, LTX2Vocoder
from tokenizers import Tokenizer, models, pre_tokenizers

SPECIAL = (
    "<pad>", "</s>", "<unk>", "<image>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|startoftext|>",
    "<|endoftext|>",
)  # fmt: skip
WORDS = (*SPECIAL, "system", "user", "assistant", "slide", "the", "knob", "to", "mark")


def _tokenizer(**special: str) -> Any:
    """Whole words: enough for prompts of a dozen of them."""
    body = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="<unk>"))
    body.pre_tokenizer = pre_tokenizers.Whitespace()
    body.add_special_tokens(list(SPECIAL))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=body, model_max_length=512, **{"pad_token": "<pad>", "unk_token": "<unk>", **special}
    )


def _t5(kind: type = transformers.T5EncoderModel, config: type = transformers.T5Config) -> Any:
    return kind(
        config(vocab_size=len(WORDS), d_model=32, d_kv=8, d_ff=32, num_layers=1, num_heads=4, decoder_start_token_id=0)
    )


def _clip_vision(kind: type, image_size: int, patch_size: int, **more: int) -> Any:
    return kind(
        transformers.CLIPVisionConfig(
            hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=4, image_size=image_size,
            patch_size=patch_size, **more,
        )
    )  # fmt: skip


def _clip_processor(size: int) -> Any:
    return transformers.CLIPImageProcessorPil(size={"shortest_edge": size}, crop_size={"height": size, "width": size})


def ltx(kind: str = "LTXImageToVideoPipeline") -> Any:
    vae = diffusers.AutoencoderKLLTXVideo(
        latent_channels=8, block_out_channels=(8, 8, 8, 8), decoder_block_out_channels=(8, 8, 8, 8),
        layers_per_block=(1, 1, 1, 1, 1), decoder_layers_per_block=(1, 1, 1, 1, 1),
        spatio_temporal_scaling=(True, True, False, False), decoder_spatio_temporal_scaling=(True, True, False, False),
        decoder_inject_noise=(False, False, False, False, False), upsample_residual=(False, False, False, False),
        upsample_factor=(1, 1, 1, 1), timestep_conditioning=False, patch_size=1, patch_size_t=1, encoder_causal=True,
        decoder_causal=False,
    )  # fmt: skip
    transformer = diffusers.LTXVideoTransformer3DModel(
        in_channels=8, out_channels=8, patch_size=1, patch_size_t=1, num_attention_heads=4, attention_head_dim=8,
        cross_attention_dim=32, num_layers=1, caption_channels=32,
    )  # fmt: skip
    return getattr(diffusers, kind)(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(), vae=vae, text_encoder=_t5(), tokenizer=_tokenizer(),
        transformer=transformer,
    )  # fmt: skip


def ltx_2() -> Any:
    """It makes sound as well, with a decoder and a vocoder of its own."""
    words = transformers.Gemma3TextConfig(
        vocab_size=len(WORDS), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=1, head_dim=8, pad_token_id=0, bos_token_id=7, eos_token_id=1,
    )  # fmt: skip
    sight = transformers.SiglipVisionConfig(
        hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2, image_size=28, patch_size=14
    )
    text = transformers.Gemma3Config(text_config=words, vision_config=sight, mm_tokens_per_image=4)
    vae = diffusers.AutoencoderKLLTX2Video(
        latent_channels=4, block_out_channels=(8, 8, 8, 8), decoder_block_out_channels=(8, 16, 32),
        layers_per_block=(1, 1, 1, 1, 1), decoder_layers_per_block=(1, 1, 1, 1), patch_size=4, patch_size_t=1,
        encoder_causal=True, decoder_causal=False, spatial_compression_ratio=32, temporal_compression_ratio=8,
    )  # fmt: skip
    audio_vae = diffusers.AutoencoderKLLTX2Audio(
        base_channels=8, ch_mult=(1, 1, 1), num_res_blocks=1, latent_channels=2, resolution=32, mel_bins=16,
        sample_rate=16000, mel_hop_length=160,
    )  # fmt: skip
    transformer = diffusers.LTX2VideoTransformer3DModel(
        in_channels=4, out_channels=4, num_attention_heads=2, attention_head_dim=8, cross_attention_dim=16,
        audio_in_channels=8, audio_out_channels=8, audio_num_attention_heads=2, audio_attention_head_dim=4,
        audio_cross_attention_dim=8, num_layers=2, caption_channels=16, rope_double_precision=False,
    )  # fmt: skip
    connectors = LTX2TextConnectors(
        caption_channels=16, text_proj_in_factor=2, video_connector_num_attention_heads=4,
        video_connector_attention_head_dim=4, video_connector_num_layers=1, audio_connector_num_attention_heads=4,
        audio_connector_attention_head_dim=4, audio_connector_num_layers=1, connector_rope_base_seq_len=32,
        video_connector_num_learnable_registers=None, audio_connector_num_learnable_registers=None,
        rope_double_precision=False,
    )  # fmt: skip
    vocoder = LTX2Vocoder(
        in_channels=32, hidden_channels=8, out_channels=2, upsample_kernel_sizes=[4, 4], upsample_factors=[2, 2],
        resnet_kernel_sizes=[3], resnet_dilations=[[1, 3, 5]],
    )  # fmt: skip
    return diffusers.LTX2ImageToVideoPipeline(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(), vae=vae, audio_vae=audio_vae,
        text_encoder=transformers.Gemma3ForConditionalGeneration(text), tokenizer=_tokenizer(), connectors=connectors,
        transformer=transformer, vocoder=vocoder,
    )  # fmt: skip


def _wan_vae() -> Any:
    return diffusers.AutoencoderKLWan(
        base_dim=3, z_dim=16, dim_mult=[1, 1, 1, 1], num_res_blocks=1, temperal_downsample=[False, True, True]
    )


def _wan_transformer(kind: str, **more: Any) -> Any:
    return getattr(diffusers, kind)(
        patch_size=(1, 2, 2), num_attention_heads=2, attention_head_dim=12, out_channels=16, text_dim=32, freq_dim=16,
        ffn_dim=32, num_layers=2, cross_attn_norm=True, qk_norm="rms_norm_across_heads", rope_max_seq_len=32, **more,
    )  # fmt: skip


def _umt5() -> Any:
    return _t5(transformers.UMT5EncoderModel, transformers.UMT5Config)


def wan() -> Any:
    return diffusers.WanImageToVideoPipeline(
        transformer=_wan_transformer("WanTransformer3DModel", in_channels=36, image_dim=32), vae=_wan_vae(),
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(shift=7.0), text_encoder=_umt5(), tokenizer=_tokenizer(),
        image_encoder=_clip_vision(transformers.CLIPVisionModel, 32, 16), image_processor=_clip_processor(32),
    )  # fmt: skip


def wan_flf2v() -> Any:
    """Between two frames: the embeddings of both images have places of their own."""
    pipeline = wan()
    transformer = _wan_transformer("WanTransformer3DModel", in_channels=36, image_dim=32, pos_embed_seq_len=2 * 5)
    pipeline.register_modules(transformer=transformer)
    return pipeline


def wan_vace() -> Any:
    transformer = _wan_transformer("WanVACETransformer3DModel", in_channels=16, vace_layers=[0], vace_in_channels=96)
    return diffusers.WanVACEPipeline(
        transformer=transformer, vae=_wan_vae(), scheduler=diffusers.FlowMatchEulerDiscreteScheduler(shift=7.0),
        text_encoder=_umt5(), tokenizer=_tokenizer(),
    )  # fmt: skip


def wan_a14b() -> Any:
    """Two experts: one for the noisy steps, one for the rest; no image is encoded."""
    first, second = (_wan_transformer("WanTransformer3DModel", in_channels=36) for _ in range(2))
    return diffusers.WanImageToVideoPipeline(
        transformer=first, transformer_2=second, boundary_ratio=0.9, vae=_wan_vae(),
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(shift=7.0), text_encoder=_umt5(), tokenizer=_tokenizer(),
    )  # fmt: skip


def wan_ti2v() -> Any:
    """The small Wan 2.2: the first frame is part of the latents, and no image is encoded."""
    return diffusers.WanImageToVideoPipeline(
        transformer=_wan_transformer("WanTransformer3DModel", in_channels=16), vae=_wan_vae(),
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(shift=7.0), text_encoder=_umt5(), tokenizer=_tokenizer(),
        expand_timesteps=True,
    )  # fmt: skip


def sana() -> Any:
    text = transformers.Gemma2Config(
        vocab_size=len(WORDS), hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=1, head_dim=4, pad_token_id=0, bos_token_id=7, eos_token_id=1,
    )  # fmt: skip
    transformer = diffusers.SanaVideoTransformer3DModel(
        in_channels=16, out_channels=16, num_attention_heads=2, attention_head_dim=12, num_layers=1,
        num_cross_attention_heads=2, cross_attention_head_dim=12, cross_attention_dim=24, caption_channels=8,
        sample_size=30, patch_size=(1, 2, 2), rope_max_seq_len=32,
    )  # fmt: skip
    return diffusers.SanaImageToVideoPipeline(
        transformer=transformer, vae=_wan_vae(), scheduler=diffusers.FlowMatchEulerDiscreteScheduler(shift=7.0),
        text_encoder=transformers.Gemma2Model(text), tokenizer=_tokenizer(),
    )  # fmt: skip


def hunyuan_15() -> Any:
    text = transformers.models.qwen2_5_vl.Qwen2_5_VLTextConfig(
        vocab_size=len(WORDS), hidden_size=16, intermediate_size=16, num_hidden_layers=3, num_attention_heads=2,
        num_key_value_heads=2, rope_parameters={"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 1e6},
        pad_token_id=0, bos_token_id=7, eos_token_id=1,
    )  # fmt: skip
    vision = transformers.SiglipVisionConfig(
        hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2, image_size=378, patch_size=14
    )
    tokenizer = _tokenizer()
    tokenizer.chat_template = "{% for message in messages %}{{ message['content'] }} {% endfor %}"
    glyphs = transformers.ByT5Tokenizer()
    return diffusers.HunyuanVideo15ImageToVideoPipeline(
        text_encoder=transformers.Qwen2_5_VLTextModel(text), tokenizer=tokenizer,
        text_encoder_2=transformers.T5EncoderModel(
            transformers.T5Config(vocab_size=384, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2)
        ),
        tokenizer_2=glyphs,
        transformer=diffusers.HunyuanVideo15Transformer3DModel(
            in_channels=2 * 4 + 1, out_channels=4, num_attention_heads=2, attention_head_dim=16, num_layers=1,
            num_refiner_layers=1, text_embed_dim=16, text_embed_2_dim=16, image_embed_dim=8, rope_axes_dim=(4, 6, 6),
            target_size=64, task_type="i2v",
        ),
        vae=diffusers.AutoencoderKLHunyuanVideo15(
            latent_channels=4, block_out_channels=(16, 16, 16, 16, 16), layers_per_block=1,
            spatial_compression_ratio=16, temporal_compression_ratio=4,
        ),
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(shift=5.0),
        guider=diffusers.ClassifierFreeGuidance(guidance_scale=1.0),
        image_encoder=transformers.SiglipVisionModel(vision),
        feature_extractor=transformers.SiglipImageProcessorPil(size={"height": 378, "width": 378}),
    )  # fmt: skip


def hunyuan() -> Any:
    vision = transformers.CLIPVisionConfig(
        hidden_size=16, intermediate_size=16, num_hidden_layers=2, num_attention_heads=2, image_size=336, patch_size=14
    )
    text = transformers.LlamaConfig(
        vocab_size=len(WORDS), hidden_size=16, intermediate_size=16, num_hidden_layers=3, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=2048, pad_token_id=0, bos_token_id=7, eos_token_id=1,
    )  # fmt: skip
    llava = transformers.LlavaForConditionalGeneration(
        transformers.LlavaConfig(vision_config=vision, text_config=text, image_token_index=3, pad_token_id=0)
    )
    clip_text = transformers.CLIPTextModel(
        transformers.CLIPTextConfig(
            vocab_size=len(WORDS), hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2,
            projection_dim=8, pad_token_id=0, bos_token_id=7, eos_token_id=8,
        )
    )  # fmt: skip
    transformer = diffusers.HunyuanVideoTransformer3DModel(
        in_channels=2 * 4 + 1, out_channels=4, num_attention_heads=2, attention_head_dim=10, num_layers=1,
        num_single_layers=1, num_refiner_layers=1, patch_size=1, patch_size_t=1, guidance_embeds=False,
        text_embed_dim=16, pooled_projection_dim=8, rope_axes_dim=(2, 4, 4), image_condition_type="latent_concat",
    )  # fmt: skip
    vae = diffusers.AutoencoderKLHunyuanVideo(
        in_channels=3, out_channels=3, latent_channels=4,
        down_block_types=("HunyuanVideoDownBlock3D",) * 4, up_block_types=("HunyuanVideoUpBlock3D",) * 4,
        block_out_channels=(8, 8, 8, 8), layers_per_block=1, act_fn="silu", norm_num_groups=4, scaling_factor=0.476986,
        spatial_compression_ratio=8, temporal_compression_ratio=4, mid_block_add_attention=True,
    )  # fmt: skip
    return diffusers.HunyuanVideoImageToVideoPipeline(
        transformer=transformer, vae=vae, scheduler=diffusers.FlowMatchEulerDiscreteScheduler(shift=7.0),
        text_encoder=llava, tokenizer=_tokenizer(), text_encoder_2=clip_text,
        tokenizer_2=_tokenizer(eos_token="<|endoftext|>"), image_processor=_clip_processor(336),
    )  # fmt: skip


def cogvideox() -> Any:
    transformer = diffusers.CogVideoXTransformer3DModel(
        num_attention_heads=2, attention_head_dim=16, in_channels=8, out_channels=4, time_embed_dim=2,
        text_embed_dim=32, num_layers=1, sample_width=8, sample_height=8, sample_frames=9, patch_size=2,
        temporal_compression_ratio=4, max_text_seq_length=226, use_rotary_positional_embeddings=True,
        use_learned_positional_embeddings=True,
    )  # fmt: skip
    vae = diffusers.AutoencoderKLCogVideoX(
        in_channels=3, out_channels=3, down_block_types=("CogVideoXDownBlock3D",) * 4,
        up_block_types=("CogVideoXUpBlock3D",) * 4, block_out_channels=(8, 8, 8, 8), latent_channels=4,
        layers_per_block=1, norm_num_groups=2, temporal_compression_ratio=4,
    )  # fmt: skip
    return diffusers.CogVideoXImageToVideoPipeline(
        tokenizer=_tokenizer(), text_encoder=_t5(), vae=vae, transformer=transformer,
        scheduler=diffusers.CogVideoXDDIMScheduler(),
    )  # fmt: skip


def svd() -> Any:
    unet = diffusers.UNetSpatioTemporalConditionModel(
        block_out_channels=(32, 64), layers_per_block=1, sample_size=8, in_channels=8, out_channels=4,
        down_block_types=("CrossAttnDownBlockSpatioTemporal", "DownBlockSpatioTemporal"),
        up_block_types=("UpBlockSpatioTemporal", "CrossAttnUpBlockSpatioTemporal"), cross_attention_dim=32,
        num_attention_heads=8, projection_class_embeddings_input_dim=96, addition_time_embed_dim=32, num_frames=5,
    )  # fmt: skip
    vae = diffusers.AutoencoderKLTemporalDecoder(
        block_out_channels=(32, 32, 32, 32), down_block_types=("DownEncoderBlock2D",) * 4, latent_channels=4,
        layers_per_block=1,
    )  # fmt: skip
    encoder = _clip_vision(transformers.CLIPVisionModelWithProjection, 224, 32, projection_dim=32)
    return diffusers.StableVideoDiffusionPipeline(
        unet=unet, image_encoder=encoder, vae=vae, feature_extractor=_clip_processor(224),
        scheduler=diffusers.EulerDiscreteScheduler(
            beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", prediction_type="v_prediction",
            interpolation_type="linear", timestep_type="continuous", use_karras_sigmas=True, sigma_min=0.002,
            sigma_max=700.0, timestep_spacing="leading", steps_offset=1,
        ),
    )  # fmt: skip


TINY: dict[str, Callable[[], Any]] = {
    "ltx-video": ltx,
    "ltx-video-13b-distilled": lambda: ltx("LTXConditionPipeline"),
    "ltx-2": ltx_2,
    "wan-2.1-i2v-480p": wan,
    "wan-2.1-flf2v-720p": wan_flf2v,
    "wan-2.1-vace-1.3b": wan_vace,
    "wan-2.2-i2v-a14b": wan_a14b,
    "wan-2.2-ti2v-5b": wan_ti2v,
    "hunyuan-video-i2v": hunyuan,
    "hunyuan-video-1.5-i2v": hunyuan_15,
    "cogvideox-5b-i2v": cogvideox,
    "svd": svd,
    "sana": sana,
}
"""By the catalogue's name: one for each way in which pipelines differ."""


def save(name: str, folder: Path) -> Path:
    """The same weights each time."""
    torch.manual_seed(0)
    place = folder / name
    TINY[name]().save_pretrained(place, safe_serialization=True)
    return place
