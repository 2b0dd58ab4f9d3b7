"""Run a smoke test with the lowest version that pyproject.toml allows of each base dependency.

    python3.11 tools/lowest_versions.py

The package and its dependencies are installed in a virtual environment in a temporary folder, which is removed at the
end. Call the script with the lowest Python version that the package supports. The exit code is 0 when the test passes.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
SMOKE_TEST = ROOT / "tests" / "lowest_versions_smoke.py"
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?>=(?P<version>[0-9][0-9a-z.]*)$")


def pin_lowest(requirements: Sequence[str]) -> list[str]:
    """Return a pip constraint for each requirement, such as ``numpy==2.0`` for ``numpy>=2.0``."""
    return ["{name}=={version}".format(**_parse(requirement)) for requirement in requirements]


def _parse(requirement: str) -> dict[str, str]:
    """Return the name and the lowest version of a requirement."""
    match = _REQUIREMENT.match(requirement.replace(" ", ""))
    if match is None:
        raise SystemExit(
            f"pyproject.toml requires {requirement!r}, which has no single lower bound; write it as 'name>=version'"
        )
    return match.groupdict()


def check_python(requires: str) -> None:
    """Exit with a message unless this interpreter is the lowest that ``requires-python`` allows."""
    lowest = requires.removeprefix(">=")
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    if running != lowest:
        raise SystemExit(f"this is Python {running}; call python{lowest} {' '.join(sys.argv)}")


def main() -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    check_python(project["requires-python"])
    constraints = pin_lowest(project["dependencies"])
    with tempfile.TemporaryDirectory(prefix="lowest-versions-") as name:
        folder = Path(name)
        (folder / "constraints.txt").write_text("\n".join(constraints) + "\n", "utf-8")
        venv.create(folder / "env", with_pip=True)
        python = folder / "env" / "bin" / "python"
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, "--constraint", str(folder / "constraints.txt"), str(ROOT)], check=True)
        sys.stdout.write(f"installed {', '.join(constraints)}\n")
        sys.stdout.flush()
        return subprocess.run([str(python), str(SMOKE_TEST), str(folder / "data")], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
