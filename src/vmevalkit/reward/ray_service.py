"""The reward service on a Ray cluster: the same application in several replicas behind one address."""

from __future__ import annotations

from typing import Any

from vmevalkit.core.errors import SetupError
from vmevalkit.reward.questions import QuestionSource
from vmevalkit.reward.reward_function import RewardFunction
from vmevalkit.reward.service import ServiceLimits, make_app


def make_ray_application(
    questions: QuestionSource | None = None,
    *,
    replicas: int = 2,
    workers: int = 1,
    token: str | None = None,
    limits: ServiceLimits | None = None,
    **settings: Any,
) -> Any:
    """Return an application for ``ray.serve.run``. ``settings`` are further arguments of ``RewardFunction``.

    Each replica has ``workers`` processes, a reward function and a limit of waiting requests of its own; each loads the
    questions itself, so a folder must be at the same place on every machine."""
    try:
        from ray import serve
    except ImportError as error:
        raise SetupError("replicas need Ray Serve: pip install 'vmevalkit[serve]' 'ray[serve]'") from error

    def build() -> Any:
        reward = RewardFunction(questions, workers=workers, own_process=True, **settings)
        return make_app(reward, token=token, limits=limits)

    @serve.deployment(num_replicas=replicas, ray_actor_options={"num_cpus": workers})
    @serve.ingress(build)
    class Rewards:
        """A replica."""

    deployment: Any = Rewards
    return deployment.bind()
