"""Loading by Hugging Face ``datasets``, from a folder in the place of the hub: none is reachable here."""

from __future__ import annotations

from pathlib import Path

import pytest

from vmevalkit.core.errors import SetupError, StoreError
from vmevalkit.vqa.dataset import _read_hub, load_questions
from vmevalkit.vqa.synthetic.dataset import make_rows, write_dataset


@pytest.mark.scale
def test_the_package_datasets_gives_the_same_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    pytest.importorskip("datasets")
    write_dataset(tmp_path / "RunsenXu" / "MMSI-Bench", 3, 2)
    monkeypatch.chdir(tmp_path)
    rows = list(_read_hub("RunsenXu/MMSI-Bench", "MSR", "test"))
    wanted = [row for row in make_rows(3, 2) if row["question_type"] == "MSR"]
    assert [(row["id"], row["images"], row["answer"]) for row in rows] == [
        (row["id"], row["images"], row["answer"]) for row in wanted
    ]
    assert [question.id for question in load_questions("RunsenXu/MMSI-Bench", "MSR")] == [row["id"] for row in wanted]
    with pytest.raises(StoreError, match="cannot be loaded from Hugging Face"):
        list(_read_hub("no-one/nothing", "MSR", "test"))


def test_without_the_package_the_message_has_the_pip_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(SetupError, match=r"vmevalkit\[vqa\]"):
        list(load_questions("no-one/nothing", "MSR"))
    with pytest.raises(StoreError, match="does not exist"):
        list(load_questions(str(tmp_path / "none.parquet"), "MSR"))
