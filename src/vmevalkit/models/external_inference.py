"""Models that run as separate programs: a checkout and an environment that settings name.

The prompt is data: a file beside the first frame, or one argument of the command line. It never becomes part of a
program, and no shell reads it. In each word of a row's ``program`` these are filled in: ``{prompt}``, ``{work}`` (a
folder that holds prompt.txt and first_frame.png), ``{out}`` (the folder where the program writes the video),
``{width}``, ``{height}``, ``{seed}``, ``{steps}``, ``{frames}`` and ``{fps}``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from vmevalkit.core.errors import ModelError, SetupError
from vmevalkit.core.records import Placement, Request
from vmevalkit.core.settings import setting
from vmevalkit.media.image import encode_png
from vmevalkit.models._program import build_environment, copy_video, fill_fields, run_program
from vmevalkit.models.local_params import LocalParams, fit_first_frame
from vmevalkit.models.model import ModelSpec

VIDEO_EXTENSIONS = (".mp4", ".m4v", ".mov", ".mkv", ".webm")


class ExternalVideos:
    """A program that reads a prompt and an image, and writes a video to a folder."""

    def __init__(self, spec: ModelSpec) -> None:
        self._spec = spec

    @property
    def spec(self) -> ModelSpec:
        return self._spec

    def generate(self, request: Request, into: Path) -> Placement | None:
        self._spec.validate(request)
        params = LocalParams.from_request(self._spec, request)
        checkout = self._find_checkout()
        with tempfile.TemporaryDirectory(prefix="vmevalkit-") as folder:
            work, out = Path(folder, "input"), Path(folder, "output")
            work.mkdir()
            out.mkdir()
            prompt = " ".join(request.prompt.split())  # a file of prompts has one prompt per line
            (work / "prompt.txt").write_text(prompt + "\n", "utf-8")
            image, placement = fit_first_frame(self._spec, request, params.size)
            (work / "first_frame.png").write_bytes(encode_png(image))
            values = {
                "prompt": prompt, "work": work, "out": out, "width": params.size[0], "height": params.size[1],
                "seed": params.seed, "steps": params.steps, "frames": params.frames, "fps": params.fps,
            }  # fmt: skip
            program = fill_fields(self._spec.name, self._spec.options["program"], values)
            command = [str(self._find_python(checkout)), *program]
            run_program(self._spec.name, command, Path(folder, "output.log"), checkout, build_environment())
            copy_video(self._spec.name, _find_newest_video(self._spec.name, out), into)
        return placement

    def _find_checkout(self) -> Path:
        name = self._spec.options["home"]
        value = setting(name)
        if not value:
            raise SetupError(f"{self._spec.name} runs in a checkout of its own; set {name} to its folder")
        checkout = Path(value).expanduser()
        if not checkout.is_dir():
            raise SetupError(
                f"{name} is {checkout}, which is not a folder; set it to the checkout of {self._spec.name}"
            )
        return checkout

    def _find_python(self, checkout: Path) -> Path:
        """Return the interpreter that the row's setting names, or the one in the checkout's environment."""
        name = self._spec.options["python"]
        value = setting(name)
        candidates = (
            [Path(value).expanduser()]
            if value
            else [checkout / folder / "bin" / "python" for folder in (".venv", "venv")]
        )
        found = next((path for path in candidates if path.is_file()), None)
        if found is None:
            searched = " or ".join(map(str, candidates))
            raise SetupError(
                f"{self._spec.name} finds no python at {searched}; set {name} to the python of its environment"
            )
        return found


def _find_newest_video(name: str, out: Path) -> Path:
    videos = [path for path in out.rglob("*") if path.suffix.lower() in VIDEO_EXTENSIONS and path.is_file()]
    if not videos:
        raise ModelError(f"{name} wrote no video")
    return max(videos, key=lambda path: (path.stat().st_mtime_ns, path.name))
