"""Programs that generate a video: started without a shell, stopped with all of their children."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import ModelError, SetupError, StoreError, UsageError
from vmevalkit.core.settings import setting

TIMEOUT = "VMEVALKIT_PROGRAM_TIMEOUT_S"
DEFAULT_TIMEOUT_S = 3600.0
LOG_TAIL_CHARACTERS = 1500
PYTHON_VARIABLES = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP")
SECRET_SUFFIXES = ("_KEY", "_SECRET", "_TOKEN", "_PASSWORD", "_CREDENTIALS")


def fill_fields(name: str, words: Sequence[Any], values: Mapping[str, Any]) -> list[str]:
    """Return the words of a command with their ``{fields}`` filled in. Raises SetupError for an unknown field."""
    try:
        return [str(word).format_map(values) for word in words]
    except (KeyError, ValueError, IndexError, AttributeError) as error:
        fields = ", ".join(f"{{{field}}}" for field in values)
        raise SetupError(
            f"the command of {name} has a field that cannot be filled in ({error}); use {fields}, and write {{{{ for a "
            "brace"
        ) from error


def run_program(
    name: str, command: Sequence[str], log_path: Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Run the program of a model to its end. Raises ModelError where it fails or takes too long, and SetupError where
    it cannot be started."""
    seconds = read_timeout_s()
    with log_path.open("wb") as log:
        try:
            process = subprocess.Popen(
                command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        except OSError as error:
            raise SetupError(f"{name} cannot start {command[0]}: {error.strerror}") from error
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise ModelError(
                f"{name} was stopped after {seconds:g} s; raise {TIMEOUT} if it needs longer. "
                f"Its output: {read_log_tail(log_path)}"
            ) from None
        finally:
            kill_process_group(process)
    if code != 0:
        raise ModelError(f"{name} exited with code {code}. Its output: {read_log_tail(log_path)}")


def copy_video(name: str, video: Path, into: Path) -> None:
    """Copy the file that a program wrote; ``into`` is never half written."""
    into.parent.mkdir(parents=True, exist_ok=True)
    partial = into.with_name(f".{into.name}.{os.getpid()}.part")
    try:
        shutil.copyfile(video, partial)
        partial.replace(into)
    except OSError as error:
        raise StoreError(f"cannot write the video of {name} at {into}: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)


def read_timeout_s() -> float:
    """Return how long a program or a server may need for a video."""
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
