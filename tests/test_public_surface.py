"""The public names, pinned: adding or dropping one is a decision."""

from __future__ import annotations

import pytest

import vmevalkit


def test_public_names_are_pinned() -> None:
    assert vmevalkit.__all__ == [
        "Finding", "Placement", "Question", "Request", "RewardFunction", "Run", "Score", "TASKS", "VMEvalKitError",
        "__version__", "create_dataset", "list_tasks", "load_question", "load_questions", "load_results", "run_model",
        "score_frames", "score_video",
    ]  # fmt: skip


@pytest.mark.parametrize("name", vmevalkit.__all__)
def test_each_public_name_resolves(name: str) -> None:
    assert getattr(vmevalkit, name) is not None
    assert name in dir(vmevalkit)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'score_vidoe'"):
        vmevalkit.score_vidoe  # type: ignore[attr-defined]  # noqa: B018
