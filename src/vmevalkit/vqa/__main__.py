"""``python -m vmevalkit.vqa ...`` is ``vmevalkit vqa ...``."""

import runpy
import sys

if __name__ == "__main__":
    sys.argv[1:1] = ["vqa"]
    runpy.run_module("vmevalkit.cli.main", run_name="__main__")  # by name: this package does not depend on the commands
