"""The reward service in replicas of Ray Serve. Needs ``pip install 'ray[serve]'`` beside the other packages."""

from __future__ import annotations

import io
import json

import httpx
import numpy as np
import pytest

pytestmark = [pytest.mark.scale, pytest.mark.filterwarnings("ignore")]


def test_replicas_answer_like_one_service() -> None:
    pytest.importorskip("ray.serve", reason="Ray Serve is not installed", exc_type=ImportError)
    import ray
    from ray import serve

    from tests.reward.solutions import show_solution
    from vmevalkit.reward import RewardFunction
    from vmevalkit.reward.ray_service import make_ray_application

    reward = RewardFunction(tasks=["clock"], n=1, seed=4)
    file = io.BytesIO()
    np.save(file, show_solution(reward, "clock_0000"))
    ray.init(num_cpus=3, include_dashboard=False)
    client = httpx.Client(base_url="http://127.0.0.1:8793", headers={"Authorization": "Bearer t"}, timeout=120)
    try:
        serve.start(http_options={"port": 8793})
        serve.run(make_ray_application(tasks=["clock"], n=1, seed=4, replicas=2, token="t"), route_prefix="/")
        assert client.get("/health").json()["status"] == "ok"
        data = {"request": json.dumps({"question_ids": "clock_0000", "fps": 12.0})}
        for _ in range(4):
            answer = client.post("/rewards", data=data, files=[("videos", ("a.npy", file.getvalue()))])
            assert answer.json()["rewards"] == [1.0]
        assert httpx.post("http://127.0.0.1:8793/rewards", data=data).status_code == 401
    finally:
        client.close()
        serve.shutdown()
        ray.shutdown()
