"""Where the weights of an open model are on this machine. Only paths are checked: nothing heavy is imported."""

from __future__ import annotations

from pathlib import Path

from vmevalkit.core.settings import setting
from vmevalkit.models.model import ModelSpec

FOLDER = "VMEVALKIT_WEIGHTS"
"""The setting that names a folder of weights. Each model has a subfolder by its name or its Hugging Face id."""


def find_weights_folder(spec: ModelSpec) -> Path | None:
    """Return the folder of this model's weights under ``VMEVALKIT_WEIGHTS``; None where there is none."""
    root = setting(FOLDER)
    if not root:
        return None
    candidates = (Path(root).expanduser() / name for name in (spec.name, spec.vendor_id))
    return next((folder for folder in candidates if _has_weights(folder, spec)), None)


def find_cached_weights(spec: ModelSpec) -> Path | None:
    """Return the folder of this model's weights in the Hugging Face cache; None where they were not downloaded."""
    snapshots = get_hugging_face_cache() / f"models--{spec.vendor_id.replace('/', '--')}" / "snapshots"
    candidates = sorted(snapshots.iterdir()) if snapshots.is_dir() else []
    return next((folder for folder in candidates if _has_weights(folder, spec)), None)


def get_hugging_face_cache() -> Path:
    """Return the folder where the Hugging Face libraries keep their downloads."""
    hub = setting("HF_HUB_CACHE") or setting("HUGGINGFACE_HUB_CACHE")
    if hub:
        return Path(hub).expanduser()
    return Path(setting("HF_HOME") or "~/.cache/huggingface").expanduser() / "hub"


def is_offline() -> bool:
    """Return whether downloads are disabled: ``HF_HUB_OFFLINE`` or ``TRANSFORMERS_OFFLINE`` is set."""
    values = (setting(name) or "" for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))
    return any(value.lower() in ("1", "true", "yes", "on") for value in values)


def make_download_command(spec: ModelSpec) -> str:
    revision = spec.options.get("revision")
    return f"hf download {spec.vendor_id}" + (f" --revision {revision}" if revision else "")


def describe_download(spec: ModelSpec) -> str:
    """Return what to do where the weights are missing, for an error message."""
    return f"run {make_download_command(spec)}, or put them in the folder {spec.name} of {FOLDER}"


def _has_weights(folder: Path, spec: ModelSpec) -> bool:
    return (folder / "model_index.json").is_file() or (folder / str(spec.options.get("file"))).is_file()
