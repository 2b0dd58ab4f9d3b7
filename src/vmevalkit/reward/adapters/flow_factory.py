"""Flow-Factory: a reward model of its own process, and the answer to its remote client.

Read at X-GenGroup/Flow-Factory, ``src/flow_factory/rewards/abc.py`` at commit 5f6cda1a3e6be3c971643beb8d1e92e7be4a9638:
``PointwiseRewardModel.__call__(prompt, image, video, audio, condition_images, condition_videos, **kwargs)`` returns
``RewardModelOutput(rewards=...)``; ``video`` has a list of PIL images, or a tensor, for each sample, ``metadata`` JSON
texts. And ``my_reward_remote.py`` at commit 696af0711dbda2d7b717970f82c1af54bdcb5eb6: ``GET /health``, and ``POST
/compute`` with JSON of ``prompt``, ``video`` (a list of PNG images in base64 for each sample) and ``kwargs``; the
answer has ``rewards``. ``vmevalkit serve`` answers it. That client sends no token, so the service must be local to it.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Any

from vmevalkit.core.errors import MediaError, UsageError
from vmevalkit.media.image import Frame, decode_image
from vmevalkit.media.image_header import check_pixels, parse_image_header
from vmevalkit.reward.adapters import find_question_id
from vmevalkit.reward.reward_function import RewardFunction

MAX_PIXELS = 500_000_000
"""Of all frames of a request together: small images in base64 may be large ones of one colour."""


def make_reward_model(reward: RewardFunction, fps: float = 16.0) -> type:
    """Return a class for ``reward_model`` of a Flow-Factory configuration. Flow-Factory must be installed."""
    from flow_factory.rewards.abc import PointwiseRewardModel, RewardModelOutput

    class VmevalkitRewardModel(PointwiseRewardModel):  # type: ignore[misc]
        """Pays for what a video shows, by the rules of its question's task."""

        required_fields = ("prompt", "video")
        use_tensor_inputs = False

        def __call__(
            self, prompt: list[str], image: Any = None, video: Any = None, audio: Any = None,
            condition_images: Any = None, condition_videos: Any = None, **kwargs: Any,
        ) -> Any:  # fmt: skip
            names = find_names(reward, prompt, kwargs.get("metadata"))
            return RewardModelOutput(rewards=reward(video, names, fps).rewards)

    return VmevalkitRewardModel


def find_names(reward: RewardFunction, prompts: Sequence[str], metadata: Any) -> list[str]:
    """Return the question id of each sample. Its metadata is a dict, or the JSON text of one."""
    rows = metadata if isinstance(metadata, list) else [metadata] * len(prompts)
    if len(rows) != len(prompts):
        raise UsageError(f"there are {len(rows)} metadata for {len(prompts)} prompts")
    return [find_question_id(reward, prompt, _parse_row(row)) for prompt, row in zip(prompts, rows, strict=True)]


def parse_compute(reward: RewardFunction, payload: Any) -> tuple[list[Any], list[str]]:
    """Return the videos and question ids of a request to ``/compute``. A bad video is an error in its place."""
    if not isinstance(payload, Mapping) or not isinstance(payload.get("video"), list) or not payload["video"]:
        raise UsageError("the request has no 'video'; add it to required_fields of the remote reward model")
    prompts, extra = payload.get("prompt"), payload.get("kwargs") or {}
    if not isinstance(prompts, list) or len(prompts) != len(payload["video"]) or not isinstance(extra, Mapping):
        raise UsageError("the request must have a 'prompt' for each video")
    names = find_names(reward, prompts, extra.get("metadata"))
    left = MAX_PIXELS
    videos: list[Any] = []
    for frames in payload["video"]:
        try:
            videos.append([_decode_frame(frame, left // max(1, len(frames))) for frame in frames])
            left -= sum(frame.size // 3 for frame in videos[-1])
        except (TypeError, ValueError, binascii.Error, MediaError) as error:
            videos.append(MediaError(f"a frame is not a PNG image in base64: {error}"))
    return videos, names


def _parse_row(row: Any) -> Any:
    if not isinstance(row, str):
        return row
    try:
        return json.loads(row)
    except (ValueError, RecursionError):
        return None


def _decode_frame(text: Any, most_pixels: int) -> Frame:
    data = base64.b64decode(text, validate=True)
    header = parse_image_header(data)
    if header is None:
        raise MediaError("its format is unknown")
    check_pixels(header.width, header.height, "a frame")
    if header.width * header.height > most_pixels:
        raise MediaError(f"the frames of a request have more than {MAX_PIXELS:,} pixels; send fewer at once")
    return decode_image(data, "a frame")
