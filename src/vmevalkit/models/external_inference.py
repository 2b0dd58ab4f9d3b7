"""Models that run as programs of their own: a checkout and an environment that settings name.

The prompt is data: a file beside the first frame, or one word of the command line. It never becomes part of a program,
and no shell reads it. In each word of a row's ``program`` these are filled in: ``{prompt}``, ``{work}`` (a folder that
holds prompt.txt and first_frame.png), ``{out}`` (the folder where the film is looked for), ``{width}``, ``{height}``,
``{seed}``, ``{steps}``, ``{frames}`` and ``{fps}``.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from vmevalkit.core.errors import ModelError, SetupError, StoreError, UsageError
from vmevalkit.core.records import Placement, Request
from vmevalkit.core.settings import setting
from vmevalkit.media.picture import encode_png
from vmevalkit.models.local_wishes import Wishes, fitted
from vmevalkit.models.model import ModelSpec

TIMEOUT = "VMEVALKIT_PROGRAM_TIMEOUT_S"
TIMEOUT_S = 3600.0
TAIL_CHARACTERS = 1500
FILMS = (".mp4", ".m4v", ".mov", ".mkv", ".webm")
OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP")
SECRET_ENDINGS = ("_KEY", "_SECRET", "_TOKEN", "_PASSWORD", "_CREDENTIALS")


class ExternalVideos:
    """A program that reads a prompt and a picture, and leaves a film in a folder."""

    def __init__(self, spec: ModelSpec) -> None:
        self._spec = spec

    @property
    def spec(self) -> ModelSpec:
        return self._spec

    def generate(self, request: Request, into: Path) -> Placement | None:
        self._spec.allow(request)
        wishes = Wishes.of(self._spec, request)
        home = self._home()
        with tempfile.TemporaryDirectory(prefix="vmevalkit-") as place:
            work, out = Path(place, "given"), Path(place, "made")
            work.mkdir()
            out.mkdir()
            prompt = " ".join(request.prompt.split())  # a list of prompts has one on each line
            (work / "prompt.txt").write_text(prompt + "\n", "utf-8")
            picture, placement = fitted(self._spec, request, wishes.size)
            (work / "first_frame.png").write_bytes(encode_png(picture))
            words = {
                "prompt": prompt, "work": work, "out": out, "width": wishes.size[0], "height": wishes.size[1],
                "seed": wishes.seed, "steps": wishes.steps, "frames": wishes.frames, "fps": wishes.fps,
            }  # fmt: skip
            program = [str(word).format_map(words) for word in self._spec.options["program"]]
            self._run([str(self._python(home)), *program], home, Path(place, "said.txt"))
            self._take(out, into)
        return placement

    def _home(self) -> Path:
        name = self._spec.options["home"]
        value = setting(name)
        if not value:
            raise SetupError(f"{self._spec.name} runs in a checkout of its own; set {name} to its folder")
        home = Path(value).expanduser()
        if not home.is_dir():
            raise SetupError(f"{name} is {home}, which is no folder; set it to the checkout of {self._spec.name}")
        return home

    def _python(self, home: Path) -> Path:
        """The interpreter of the checkout's environment: the one that its setting names, or the one inside it."""
        name = self._spec.options["python"]
        value = setting(name)
        places = (
            [Path(value).expanduser()] if value else [home / folder / "bin" / "python" for folder in (".venv", "venv")]
        )
        found = next((place for place in places if place.is_file()), None)
        if found is None:
            looked = " or ".join(map(str, places))
            raise SetupError(f"{self._spec.name} finds no python at {looked}; set {name} to that of its environment")
        return found

    def _run(self, command: list[str], home: Path, said: Path) -> None:
        seconds = _timeout_s()
        with said.open("wb") as log:
            try:
                process = subprocess.Popen(
                    command, cwd=home, env=_environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise SetupError(f"{self._spec.name} cannot start {command[0]}: {error.strerror}") from error
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                raise ModelError(
                    f"{self._spec.name} was stopped after {seconds:g} s; raise {TIMEOUT} where it needs longer. "
                    f"It said: {_tail(said)}"
                ) from None
            finally:
                _end(process)
        if code != 0:
            raise ModelError(f"{self._spec.name} ended with code {code}. It said: {_tail(said)}")

    def _take(self, out: Path, into: Path) -> None:
        films = [path for path in out.rglob("*") if path.suffix.lower() in FILMS and path.is_file()]
        if not films:
            raise ModelError(f"{self._spec.name} ended without a film")
        newest = max(films, key=lambda path: (path.stat().st_mtime_ns, path.name))
        into.parent.mkdir(parents=True, exist_ok=True)
        aside = into.with_name(f".{into.name}.{os.getpid()}.part")
        try:
            shutil.copyfile(newest, aside)
            aside.replace(into)
        except OSError as error:
            raise StoreError(f"cannot write the film {into}: {error.strerror}") from error
        finally:
            aside.unlink(missing_ok=True)


def _timeout_s() -> float:
    value = setting(TIMEOUT)
    try:
        seconds = float(value) if value else TIMEOUT_S
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise UsageError(f"{TIMEOUT} is {value!r}; it must be a number of seconds above 0")
    return seconds


def _environment() -> dict[str, str]:
    """This process's environment without its own Python's, and without keys: a stranger's program needs neither."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in OURS and not name.upper().endswith(SECRET_ENDINGS)
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and whatever it started, where anything is still running."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(said: Path) -> str:
    text = said.read_bytes()[-TAIL_CHARACTERS * 4 :].decode("utf-8", "replace").strip()
    return text[-TAIL_CHARACTERS:] or "nothing"
