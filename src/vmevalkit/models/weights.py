"""Where the weights of an open model lie on this machine. It looks at paths only: nothing heavy is imported."""

from __future__ import annotations

from pathlib import Path

from vmevalkit.core.settings import setting
from vmevalkit.models.model import ModelSpec

FOLDER = "VMEVALKIT_WEIGHTS"
"""The setting that names a folder of weights, each in a folder by the model's name or its Hugging Face id."""


def weights_folder(spec: ModelSpec) -> Path | None:
    """The folder of this model's weights under ``VMEVALKIT_WEIGHTS``; None where there is none."""
    root = setting(FOLDER)
    if not root:
        return None
    places = (Path(root).expanduser() / name for name in (spec.name, spec.vendor_id))
    return next((place for place in places if _holds(place, spec)), None)


def cached_weights(spec: ModelSpec) -> Path | None:
    """The folder of this model's weights in the Hugging Face cache; None where they were never downloaded."""
    snapshots = hugging_face_cache() / f"models--{spec.vendor_id.replace('/', '--')}" / "snapshots"
    places = sorted(snapshots.iterdir()) if snapshots.is_dir() else []
    return next((place for place in places if _holds(place, spec)), None)


def hugging_face_cache() -> Path:
    """Where the Hugging Face libraries keep what they download."""
    hub = setting("HF_HUB_CACHE") or setting("HUGGINGFACE_HUB_CACHE")
    if hub:
        return Path(hub).expanduser()
    return Path(setting("HF_HOME") or "~/.cache/huggingface").expanduser() / "hub"


def offline() -> bool:
    """Whether nothing may be downloaded: ``HF_HUB_OFFLINE`` or ``TRANSFORMERS_OFFLINE`` is set."""
    values = (setting(name) or "" for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))
    return any(value.lower() in ("1", "true", "yes", "on") for value in values)


def download_line(spec: ModelSpec) -> str:
    return f"hf download {spec.vendor_id}"


def how_to_get(spec: ModelSpec) -> str:
    """What to do where they are missing."""
    return f"{download_line(spec)}, or put them in the folder {spec.name} of {FOLDER}"


def _holds(place: Path, spec: ModelSpec) -> bool:
    return (place / "model_index.json").is_file() or (place / str(spec.options.get("file"))).is_file()
