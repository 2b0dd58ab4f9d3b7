"""How documents are taken apart, and what every document must keep to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from code_blocks import (
    LANGUAGES,
    NOT_RUN,
    ROOT,
    check_pip_command,
    find_documents,
    find_indented_commands,
    make_targets,
    parse_blocks,
    split_commands,
)

MOST_NOT_RUN = 14

EXAMPLE = """# Title

Save this as `still.py`:

```python
print("saved")
```

```bash
export A=1    # a comment
vmevalkit generate --task maze \\
    --n 2
```

```text
index: data
```

*Not run here:* it needs a key.

```bash
vmevalkit run
```
"""


def test_blocks_have_their_file_their_reason_and_their_output() -> None:
    saved, run, shown, left_out = parse_blocks(EXAMPLE)
    assert (saved.language, saved.file_name, saved.text) == ("python", "still.py", 'print("saved")\n')
    assert (run.file_name, run.reason, run.expected_output, run.line) == (None, None, "index: data\n", 9)
    assert (shown.language, shown.expected_output) == ("text", None)
    assert left_out.reason == "it needs a key."


def test_commands_are_joined_and_comments_dropped() -> None:
    words = list(split_commands(parse_blocks(EXAMPLE)[1].text))
    assert words == [["export", "A=1"], ["vmevalkit", "generate", "--task", "maze", "--n", "2"]]


def test_indented_commands_are_found_outside_of_fences_only() -> None:
    assert find_indented_commands("    vmevalkit tasks\n\n```bash\n    vmevalkit models\n```\n") == ["vmevalkit tasks"]


@pytest.mark.parametrize(
    ("line", "message"),
    [("pip install vmevalkit", "from the checkout"), ("pip install .[nothing]", "no extra nothing")],
)
def test_a_wrong_pip_line_is_found(line: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_pip_command(line.split())


def test_the_makefile_has_the_two_commands() -> None:
    assert {"demo", "test"} <= make_targets()


@pytest.mark.parametrize("document", find_documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_keeps_to_the_form(document: Path) -> None:
    text = document.read_text("utf-8")
    assert find_indented_commands(text) == [], "commands belong in fenced blocks, so that a test runs them"
    assert {block.language for block in parse_blocks(text)} <= LANGUAGES
    for block in parse_blocks(text):
        assert block.reason is None or len(block.reason) > 10, f"line {block.line}: {NOT_RUN} without a reason"


@pytest.mark.parametrize("document", find_documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text("utf-8")):
        if not re.match(r"[a-z]+:", target):
            assert (document.parent / target).exists(), target


def test_few_blocks_are_not_run() -> None:
    left_out = [
        f"{document.relative_to(ROOT)}:{block.line}: {block.reason}"
        for document in find_documents()
        for block in parse_blocks(document.read_text("utf-8"))
        if block.reason is not None
    ]
    assert len(left_out) <= MOST_NOT_RUN, "\n".join(left_out)
