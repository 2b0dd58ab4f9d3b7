"""Models that run as separate programs: a checkout and an environment that settings name.

The prompt is data: a file beside the first frame, or one argument of the command line. It never becomes part of a
program, and no shell reads it. In each word of a row's ``program`` these are filled in: ``{prompt}``, ``{work}`` (a
folder that holds prompt.txt and first_frame.png), ``{out}`` (the folder where the program writes the video),
``{width}``, ``{height}``, ``{seed}``, ``{steps}``, ``{frames}`` and ``{fps}``.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import ModelError, SetupError, StoreError, UsageError
from vmevalkit.core.records import Placement, Request
from vmevalkit.core.settings import setting
from vmevalkit.media.image import encode_png
from vmevalkit.models.local_params import LocalParams, fit_first_frame
from vmevalkit.models.model import ModelSpec

TIMEOUT = "VMEVALKIT_PROGRAM_TIMEOUT_S"
DEFAULT_TIMEOUT_S = 3600.0
LOG_TAIL_CHARACTERS = 1500
VIDEO_EXTENSIONS = (".mp4", ".m4v", ".mov", ".mkv", ".webm")
PYTHON_VARIABLES = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP")
SECRET_SUFFIXES = ("_KEY", "_SECRET", "_TOKEN", "_PASSWORD", "_CREDENTIALS")


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
            program = [str(word).format_map(values) for word in self._spec.options["program"]]
            self._run_program([str(self._find_python(checkout)), *program], checkout, Path(folder, "output.log"))
            self._copy_video(out, into)
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

    def _run_program(self, command: list[str], checkout: Path, log_path: Path) -> None:
        seconds = _read_timeout_s()
        with log_path.open("wb") as log:
            try:
                process = subprocess.Popen(
                    command, cwd=checkout, env=build_environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise SetupError(f"{self._spec.name} cannot start {command[0]}: {error.strerror}") from error
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                raise ModelError(
                    f"{self._spec.name} was stopped after {seconds:g} s; raise {TIMEOUT} if it needs longer. "
                    f"Its output: {read_log_tail(log_path)}"
                ) from None
            finally:
                kill_process_group(process)
        if code != 0:
            raise ModelError(f"{self._spec.name} exited with code {code}. Its output: {read_log_tail(log_path)}")

    def _copy_video(self, out: Path, into: Path) -> None:
        videos = [path for path in out.rglob("*") if path.suffix.lower() in VIDEO_EXTENSIONS and path.is_file()]
        if not videos:
            raise ModelError(f"{self._spec.name} wrote no video")
        newest = max(videos, key=lambda path: (path.stat().st_mtime_ns, path.name))
        into.parent.mkdir(parents=True, exist_ok=True)
        partial = into.with_name(f".{into.name}.{os.getpid()}.part")
        try:
            shutil.copyfile(newest, partial)
            partial.replace(into)
        except OSError as error:
            raise StoreError(f"cannot write the video {into}: {error.strerror}") from error
        finally:
            partial.unlink(missing_ok=True)


def _read_timeout_s() -> float:
    value = setting(TIMEOUT)
    try:
        seconds = float(value) if value else DEFAULT_TIMEOUT_S
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise UsageError(f"{TIMEOUT} is {value!r}; it must be a number of seconds above 0")
    return seconds


def build_environment() -> dict[str, str]:
    """Return this process's environment without its Python variables and without keys: third-party code needs
    neither."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in PYTHON_VARIABLES and not name.upper().endswith(SECRET_SUFFIXES)
    }


def kill_process_group(process: subprocess.Popen[Any]) -> None:
    """Kill the program and the processes that it started, if any still runs."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def read_log_tail(log_path: Path) -> str:
    text = log_path.read_bytes()[-LOG_TAIL_CHARACTERS * 4 :].decode("utf-8", "replace").strip()
    return text[-LOG_TAIL_CHARACTERS:] or "none"
