"""Films of earlier audits whose verdict was wrong, made again."""

from __future__ import annotations

import pytest

from vmevalkit.audit.audit import Examiner, job_of
from vmevalkit.audit.design import Recipe
from vmevalkit.audit.scorers import rules


@pytest.mark.parametrize(
    ("recipe", "seed"),
    [
        ("rotation/voxel_changed_on_table/end_card/170", 79),
        ("rotation/voxel_changed_on_table/stretch/172", 79),
        ("rotation/voxel_changed_on_table/zoom_75/206", 79),
        ("rotation/voxel_changed_on_table/fps16/154", 101),
        ("rotation/voxel_added/hand/136", 79),
    ],
)
def test_what_was_missed_is_seen(recipe: str, seed: int) -> None:
    trial = Examiner(rules)(job_of(Recipe.parse(recipe), seed))
    assert trial.right, trial.told
