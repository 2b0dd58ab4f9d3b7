"""What the aggregators fal and Replicate share: a request as the fields of any of their models.

A row's ``fields`` map a request to the model's own fields: ``prompt``, ``image``, ``seconds``, ``resolution``,
``ratio``, ``seed``, ``negative_prompt``, ``enhance_prompt`` and ``audio``, each to the name of the field. What is
not mapped is not sent. ``seconds_format`` writes the length as text, as in ``{}s``; without it, it is a number.
``resolution`` fixes the resolution, ``ratios`` are those that the model accepts, and ``constants`` are sent as they
are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vmevalkit.core.records import Request
from vmevalkit.media.image import Size
from vmevalkit.models._request_params import get_prompt, get_seed, get_whole_seconds
from vmevalkit.models.input_image import BLACK, PreparedImage, choose_nearest_ratio, choose_video_size, prepare_image
from vmevalkit.models.model import ModelSpec

LARGEST_SEED = 2**31 - 1


def build_input(spec: ModelSpec, request: Request) -> tuple[dict[str, Any], str, PreparedImage]:
    """Return the model's fields without the image, the name of the image's field, and the image."""
    spec.validate(request)
    names: Mapping[str, str] = spec.options["fields"]
    size = choose_video_size(spec, request)
    image = prepare_image(spec, request, size, "unchanged", BLACK)
    values = {
        "prompt": get_prompt(spec, request, required=False),
        "seconds": _format_seconds(spec, request) if "seconds" in names else None,
        **_describe_size(spec, size or image.size),
        "seed": get_seed(spec, request, LARGEST_SEED),
        "audio": bool(request.parameters.get("audio", False)),  # it costs more, and no scorer uses it
        **{name: request.parameters.get(name) for name in ("negative_prompt", "enhance_prompt")},
    }
    fields = {theirs: values[ours] for ours, theirs in names.items() if ours != "image" and values[ours] is not None}
    return {**fields, **spec.options.get("constants", {})}, names["image"], image


def _format_seconds(spec: ModelSpec, request: Request) -> int | str:
    seconds, form = get_whole_seconds(spec, request), spec.options.get("seconds_format")
    return seconds if form is None else str(form).format(seconds)


def _describe_size(spec: ModelSpec, size: Size) -> dict[str, Any]:
    ratios = spec.options.get("ratios")
    return {
        # A square video at 720p has sides of 960 pixels.
        "resolution": spec.options.get("resolution", f"{spec.choose_tier(size)}p"),
        "ratio": choose_nearest_ratio(size, ratios) if ratios else None,
    }


def find_video_url(output: Any) -> str | None:
    """Return the address of the video in the output of a model: a text, a file, or a list or a mapping of them."""
    if isinstance(output, str):
        return output if output.startswith(("http://", "https://")) else None
    if isinstance(output, Mapping):
        for name in ("video", "videos", "url", "output"):
            if (found := find_video_url(output.get(name))) is not None:
                return found
    if isinstance(output, list):
        return next((found for item in output if (found := find_video_url(item)) is not None), None)
    return None
