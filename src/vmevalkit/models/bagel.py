"""BAGEL, which draws and answers: it runs in a checkout and an environment of its own, as one process for both stages.

VMEVALKIT_BAGEL_HOME names the checkout, VMEVALKIT_BAGEL_PYTHON the interpreter of its environment (else .venv or venv
in the checkout), VMEVALKIT_BAGEL_WEIGHTS the folder of the weights (else ``models/BAGEL-7B-MoT`` in the checkout).
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vmevalkit.core.chat import ChatAnswer, ChatRequest, ImagePart
from vmevalkit.core.errors import ModelError, SetupError
from vmevalkit.core.image_edit import EditedImage, EditRequest
from vmevalkit.core.settings import setting
from vmevalkit.models._program import build_environment, kill_process_group, read_log_tail
from vmevalkit.models.input_image import EXTENSIONS

EXIT_S = 5.0
HOME, PYTHON, WEIGHTS = "VMEVALKIT_BAGEL_HOME", "VMEVALKIT_BAGEL_PYTHON", "VMEVALKIT_BAGEL_WEIGHTS"


@dataclass(frozen=True, slots=True)
class BagelPlace:
    """Where BAGEL is on this machine."""

    checkout: Path
    python: Path
    weights: Path

    @classmethod
    def find(cls, checkout: str | None = None, python: str | None = None, weights: str | None = None) -> BagelPlace:
        """Return the places of the arguments or the settings. Raises SetupError where one does not exist."""
        home = checkout or setting(HOME)
        if not home or not Path(home).expanduser().is_dir():
            raise SetupError(f"BAGEL runs in a checkout of its own; set {HOME} to its folder (now {home or 'not set'})")
        folder = Path(home).expanduser().absolute()
        named = python or setting(PYTHON)
        candidates = [Path(named).expanduser()] if named else [folder / e / "bin" / "python" for e in (".venv", "venv")]
        interpreter = next((path for path in candidates if path.is_file()), None)
        if interpreter is None:
            searched = " or ".join(map(str, candidates))
            raise SetupError(f"BAGEL finds no python at {searched}; set {PYTHON} to the python of its environment")
        files = Path(weights or setting(WEIGHTS) or folder / "models" / "BAGEL-7B-MoT").expanduser().absolute()
        if not files.is_dir():
            raise SetupError(f"BAGEL finds no weights at {files}; set {WEIGHTS} to their folder")
        return cls(folder, interpreter.absolute(), files)


class BagelProcess:
    """The process. It starts with the first request, and answers one request at a time."""

    def __init__(self, place: BagelPlace) -> None:
        self.place = place
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._folder: Path | None = None
        self._number = 0

    def ask(self, images: Sequence[ImagePart], text: str, *, draws: bool, max_tokens: int | None = None) -> Any:
        """Return the text of the answer and the image, which is empty where none was asked for."""
        with self._lock:
            process, folder = self._start()
            self._number += 1
            paths = []
            for index, image in enumerate(images):
                path = folder / f"{self._number}_{index}.{EXTENSIONS[image.mime]}"
                path.write_bytes(image.data)
                paths.append(path)
            out = folder / f"{self._number}_out.png" if draws else None
            request = {"images": [str(path) for path in paths], "text": text, "seed": 0, "max_tokens": max_tokens,
                       "out": None if out is None else str(out)}  # fmt: skip
            response = self._exchange(process, request)
            data = b"" if out is None else out.read_bytes()
            for path in [*paths, *([out] if out else [])]:
                path.unlink(missing_ok=True)
        return response.get("text", ""), data

    def close(self) -> None:
        with self._lock:
            self._stop()

    def _stop(self) -> str:
        """End the process, remove its files, and return the end of its log."""
        process, folder, self._process, self._folder = self._process, self._folder, None, None
        log = read_log_tail(folder / "output.log") if folder is not None else "none"
        if process is not None:
            kill_process_group(process)
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(BrokenPipeError):
                        stream.close()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        return log

    def _start(self) -> tuple[subprocess.Popen[str], Path]:
        if self._process is not None and self._folder is not None:
            return self._process, self._folder
        folder = Path(tempfile.mkdtemp(prefix="vmevalkit-bagel-"))
        command = [str(self.place.python), str(Path(__file__).with_name("bagel_bridge.py")), str(self.place.weights)]
        with (folder / "output.log").open("wb") as log:
            try:
                process = subprocess.Popen(
                    command, cwd=self.place.checkout, env=build_environment(), stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=log, text=True, encoding="utf-8", start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise SetupError(f"BAGEL cannot start {command[0]}: {error.strerror}") from error
        self._process, self._folder = process, folder
        if not self._read_line(process).get("ready"):
            raise ModelError("BAGEL did not start as expected")
        return process, folder

    def _exchange(self, process: subprocess.Popen[str], request: dict[str, Any]) -> dict[str, Any]:
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        except OSError:
            raise self._make_exit_error(process) from None
        response = self._read_line(process)
        if "error" in response:
            raise ModelError(f"BAGEL failed: {response['error']}")
        return response

    def _read_line(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise self._make_exit_error(process)
        response: dict[str, Any] = json.loads(line)
        return response

    def _make_exit_error(self, process: subprocess.Popen[str]) -> ModelError:
        """Return the error for a process that has ended; the next request starts another one."""
        with suppress(subprocess.TimeoutExpired):
            process.wait(EXIT_S)  # its output ends a moment before it does
        log = self._stop()
        return ModelError(f"BAGEL exited with code {process.returncode}. Its output: {log}")


class BagelImages:
    """Stage 1: an image editor."""

    name, provider = "bagel", "local"

    def __init__(self, process: BagelProcess) -> None:
        self._process = process
        self.identity = f"bagel@{process.place.weights.resolve()}"

    async def edit(self, request: EditRequest) -> EditedImage:
        text, data = await asyncio.to_thread(self._process.ask, request.images, request.prompt, draws=True)
        return EditedImage(data, text, self.identity, usd=0.0, sent={"images": len(request.images)})

    async def close(self) -> None:
        await asyncio.to_thread(self._process.close)


class BagelChat:
    """Stage 2, and direct questions: a chat model for one message of images and text."""

    name, provider = "bagel", "local"

    def __init__(self, process: BagelProcess) -> None:
        self._process = process
        self.identity = f"bagel@{process.place.weights.resolve()}"

    def estimate_usd(self, request: ChatRequest) -> float | None:
        return 0.0

    async def ask(self, request: ChatRequest) -> ChatAnswer:
        text, _ = await asyncio.to_thread(
            self._process.ask, request.images, request.text, draws=False, max_tokens=request.params.max_tokens
        )
        return ChatAnswer(
            text, model=self.identity, answered_at=datetime.now(UTC).isoformat(timespec="seconds"), usd=0.0
        )

    async def close(self) -> None:
        await asyncio.to_thread(self._process.close)
