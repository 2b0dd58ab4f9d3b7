"""Videos of earlier audits whose verdict was wrong, made again."""

from __future__ import annotations

import pytest

from vmevalkit.audit.audit import AuditWorker, find_trial
from vmevalkit.audit.design import TrialId
from vmevalkit.eval.scorers import SCORERS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trial_id", "seed"),
    [
        ("rotation/voxel_changed_on_table/end_card/170", 79),
        ("rotation/voxel_changed_on_table/stretch/172", 79),
        ("rotation/voxel_changed_on_table/zoom_75/206", 79),
        ("rotation/voxel_changed_on_table/fps16/154", 101),
        ("rotation/voxel_added/hand/136", 79),
        ("rotation/with_table/blur/28", 223),
        ("rotation/with_table/zoom_75/12", 223),
        ("maze/slower/caption/9", 211),
        ("maze/eased/caption/7", 223),
        ("maze/eased/letterbox_black/13", 211),
        ("maze/wanders/caption/56", 211),
        ("rotation_puzzle/slower/hand/22", 223),
        ("object_subtraction/shrunk/end_card/12", 211),
        ("object_subtraction/restored/end_card/36", 211),
        ("maze/paused/cover/4", 233),
        ("maze/colour_fringes/plain/0", 1213),
        ("maze/paused/end_card/13", 233),
        ("rotation_puzzle/oracle/hand/1", 233),
        ("rotation/eased/stretch@placed/28", 233),
        ("rotation/wobble/letterbox_grey/28", 233),
        ("rotation/wrong_then_corrected/gain_offset/28", 233),
        ("object_subtraction/kept_moved/letterbox_white@placed/6", 233),
        ("raven/cut_to_final/fade_in/25", 233),
        ("chess/chess_king_lit/plain/0", 911),
        ("chess/chess_highlighted_squares/plain/1", 911),
        ("chess/pushed_slide/plain/0", 911),
        ("maze/part_erased/plain/1", 911),
        ("maze/band_smeared/plain/0", 911),
        ("raven/part_erased/plain/0", 911),
        ("rotation/fade_from_white/plain/1", 911),
        ("mirrors/wipe/plain/0", 6101),
        ("mirrors/vanishes_far/plain/0", 6101),
        ("mirrors/targets_in_green/plain/0", 6101),
        ("nonogram/foreign_disc/plain/0", 6101),
        ("sequence/targets_in_yellow/plain/0", 6101),
        ("ball_sort/hand_at_edge/plain/0", 6101),
        ("rush_hour/trail_translucent/plain/0", 6101),
        ("rush_hour/beige_ground/plain/0", 6101),
        ("sokoban/grey_ground/plain/0", 6101),
        ("gears/trail_broad/plain/0", 6101),
        ("clock/refresh_band/plain/0", 6101),
        ("clock/trail_broad/plain/0", 6101),
        ("count_shapes/covered_in_black/plain/0", 7202),
        ("sokoban/covered_in_black/plain/0", 7202),
        ("tic_tac_toe/lit_while_changing/plain/0", 7202),
        ("tic_tac_toe/part_doubled_in_size/plain/0", 7202),
    ],
)
def test_what_was_missed_is_seen(trial_id: str, seed: int) -> None:
    trial = AuditWorker(SCORERS["rules"])(find_trial(TrialId.parse(trial_id), seed))
    assert trial.is_right, trial.explanation
