"""Every code block of the documents runs when it is pasted: in order, in a fresh folder for each document.

The folder has the checkout's ``experiments`` and ``examples``. A block after a file name is saved under that name. Each
Python block is a program of its own. ``make TARGET`` and ``pip install`` are checked, not run: they would install.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from code_blocks import ROOT, CodeBlock, check_pip_command, find_documents, make_targets, parse_blocks, split_commands

pytestmark = pytest.mark.docs

MOST_SECONDS = 200
DOCUMENTS = [path for path in find_documents() if parse_blocks(path.read_text("utf-8"))]


class Session:
    """A shell and a Python in one folder, with the settings that were exported so far."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self._folder, self._programs = folder, programs
        self._servers: list[subprocess.Popen[bytes]] = []
        # A clean environment: a document must not depend on settings of this machine, nor find a provider's key.
        self._environment = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "WORKERS": "2",
            "HF_HUB_OFFLINE": "1",
            "PYTHONPATH": str(ROOT / "src"),  # this checkout, even where another one is installed
        }

    def add_package_copy(self) -> None:
        """Give the folder a copy of the package, which is imported from there: the document adds files to it."""
        shutil.copytree(ROOT / "src", self._folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        self._environment["PYTHONPATH"] = str(self._folder / "src")

    def do(self, block: CodeBlock) -> None:
        """Save or run a block."""
        if block.file_name is not None:
            path = self._folder / block.file_name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, "utf-8")
        elif block.language == "bash":
            self._check_output(block, "".join(self._run_command(words) for words in split_commands(block.text)))
        elif block.language == "python":
            program = self._programs / f"line_{block.line}.py"
            program.write_text(block.text, "utf-8")
            self._check_output(block, self._run([sys.executable, str(program)]))

    def _run_command(self, words: list[str]) -> str:
        if words[0] == "make":
            assert set(words[1:]) <= make_targets(), f"{shlex.join(words)}: the Makefile has no such target"
        elif words[0] == "pip":
            check_pip_command(words)
        elif words[0] == "export":
            self._environment.update(word.split("=", 1) for word in words[1:])
        elif words[-1] == "&":
            self._servers.append(subprocess.Popen(words[:-1], cwd=self._folder, env=self._environment))
        elif len(words) > 2 and words[-2] == ">":
            (self._folder / words[-1]).write_text(self._run(words[:-2]), "utf-8")
        else:
            return self._run(words)
        return ""

    def close(self) -> None:
        """End what the document started in the background."""
        for server in self._servers:
            server.kill()
            server.wait()

    def _run(self, words: list[str]) -> str:
        done = subprocess.run(
            words, cwd=self._folder, env=self._environment, capture_output=True, text=True, timeout=MOST_SECONDS
        )
        assert done.returncode == 0, f"{shlex.join(words)} exits with {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def _check_output(self, block: CodeBlock, output: str) -> None:
        position = 0
        for line in filter(None, (block.expected_output or "").splitlines()):
            found = output.find(line.strip(), position)
            assert found >= 0, f"line {block.line}: the document shows {line!r}, and the command prints\n{output}"
            position = found + 1


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_runs(document: Path, tmp_path: Path) -> None:
    folder, programs = tmp_path / "fresh", tmp_path / "programs"
    folder.mkdir()
    programs.mkdir()
    for name in ("experiments", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    session = Session(folder, programs)
    blocks = parse_blocks(document.read_text("utf-8"))
    if any((block.file_name or "").startswith("src/vmevalkit/") for block in blocks):
        session.add_package_copy()
    try:
        for block in blocks:
            if block.reason is None:
                session.do(block)
    finally:
        session.close()
