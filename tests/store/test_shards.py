from __future__ import annotations

from pathlib import Path

import pytest

from vmevalkit.core.errors import ConflictError
from vmevalkit.store.atomic import lock
from vmevalkit.store.shards import shard_lock


def test_shards_of_the_same_number_run_at_the_same_time(tmp_path: Path) -> None:
    with shard_lock(tmp_path, 1, 3), shard_lock(tmp_path, 2, 3):
        with pytest.raises(ConflictError, match="another process is writing"), shard_lock(tmp_path, 2, 3):
            pass
        with pytest.raises(ConflictError, match=r"with --shard i/3; use the same number"), shard_lock(tmp_path, 1, 2):
            pass
        with pytest.raises(ConflictError, match="another process is writing"), lock(tmp_path):
            pass
    with shard_lock(tmp_path, 1, 2):
        pass
    with lock(tmp_path), pytest.raises(ConflictError, match="another process"), shard_lock(tmp_path, 1, 2):
        pass
    with lock(tmp_path):
        pass
