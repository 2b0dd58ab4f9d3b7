from __future__ import annotations

from pathlib import Path

import pytest

from vmevalkit.core.errors import Occupied
from vmevalkit.store.commit import lock
from vmevalkit.store.shards import shard_lock


def test_parts_of_the_same_division_work_side_by_side(tmp_path: Path) -> None:
    with shard_lock(tmp_path, 1, 3), shard_lock(tmp_path, 2, 3):
        with pytest.raises(Occupied, match="another process is writing"), shard_lock(tmp_path, 2, 3):
            pass
        with pytest.raises(Occupied, match=r"with --shard i/3; use the same number"), shard_lock(tmp_path, 1, 2):
            pass
        with pytest.raises(Occupied, match="another process is writing"), lock(tmp_path):
            pass
    with shard_lock(tmp_path, 1, 2):
        pass
    with lock(tmp_path), pytest.raises(Occupied, match="another process"), shard_lock(tmp_path, 1, 2):
        pass
    with lock(tmp_path):
        pass
