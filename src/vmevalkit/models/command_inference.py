"""A command of the user as a model: ``cmd:python my.py {image} {prompt} {out}``.

The command is split into words once, before anything is filled in, and no shell reads it: a prompt is always part of
one word. The command gets this process's environment, as if the user had started it.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from vmevalkit.core.errors import ModelError, SetupError
from vmevalkit.core.records import Request
from vmevalkit.models._program import copy_video, fill_fields, run_program
from vmevalkit.models.local_params import choose_seed
from vmevalkit.models.model import ModelSpec


class CommandVideos:
    """Runs the words of the row's ``command``, each with its fields filled in."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        program = spec.options["command"][0]
        if "{" not in program and shutil.which(program) is None:
            raise SetupError(f"{spec.name} finds no program {program!r}; check the command {spec.vendor_id!r}")

    def generate(self, request: Request, into: Path) -> None:
        self.spec.validate(request)
        with tempfile.TemporaryDirectory(prefix="vmevalkit-") as folder:
            out, prompt_file = Path(folder, "video.mp4"), Path(folder, "prompt.txt")
            prompt_file.write_text(request.prompt, "utf-8")
            values = {
                "image": request.first_frame.absolute(), "prompt": request.prompt, "prompt_file": prompt_file,
                "out": out, "seed": choose_seed(self.spec, request), "seconds": f"{request.seconds:g}",
            }  # fmt: skip
            command = fill_fields(self.spec.name, self.spec.options["command"], values)
            if any("\0" in word for word in command):
                raise ModelError(
                    f"the prompt of {request.question_id} contains a NUL character, which no command takes"
                )
            run_program(self.spec.name, command, Path(folder, "output.log"))
            if not out.is_file():
                raise ModelError(f"{self.spec.name} exited with code 0 and wrote no video at {{out}}, which was {out}")
            copy_video(self.spec.name, out, into)
