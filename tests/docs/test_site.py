"""The documentation site: it is built without a warning, has every document, and loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from code_blocks import ROOT

from vmevalkit.cli.main import COMMANDS

pytestmark = pytest.mark.docs


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def test_every_document_is_a_page(site: Path) -> None:
    for document in (ROOT / "docs").glob("*.md"):
        assert (site / f"{document.stem}.html").is_file(), document.name
    assert (site / "tasks" / "MAZE.html").is_file()


def test_lists_are_lists(site: Path) -> None:
    """A list that follows a sentence directly is part of the sentence for the site's Markdown."""
    for page in site.rglob("*.html"):
        assert re.findall(r"<p>[^<]*(?:<(?!/p>)[^<]*)*?\n- ", page.read_text("utf-8")) == [], page.name


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        loaded = re.findall(r'<(?:script|img|iframe|source)[^>]* src="([^"]+)"|<link[^>]* href="([^"]+)"', text)
        assert [each for pair in loaded for each in pair if each.startswith(("http", "//"))] == [], page.name


def test_the_references_are_complete(site: Path) -> None:
    commands = (site / "reference" / "cli.html").read_text("utf-8")
    assert all(f'id="{name.replace("_", "-")}"' in commands for name in COMMANDS)
    names = (site / "reference" / "api.html").read_text("utf-8")
    assert all(f".{name}" in names for name in ("score_video", "Score", "load_results"))


def test_links_between_documents_and_the_readme_lead_to_pages(site: Path) -> None:
    home = (site / "index.html").read_text("utf-8")
    assert 'href="SCORING.html"' in home and 'src="images/overview.png"' in home
    assert 'href="../SCORING.html"' in (site / "tasks" / "MAZE.html").read_text("utf-8")
