"""``python -m vmevalkit`` is the command ``vmevalkit``."""

from vmevalkit.cli.main import main

if __name__ == "__main__":
    main()
