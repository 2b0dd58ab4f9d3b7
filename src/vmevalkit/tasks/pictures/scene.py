"""A scene as the question's own pictures show it: drawn and read with looks that were cut out of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from vmevalkit.media.image import Frame
from vmevalkit.media.view import ViewRect
from vmevalkit.tasks.task import AnyTask, Reader

S = TypeVar("S")


class PicturedScene(ABC, Generic[S]):
    """How the pictures of one question show the scenes of its puzzle, in the geometry of the drawn image."""

    view: ViewRect
    """Where the first picture shows what the drawn image shows."""
    first: Frame
    """The first picture, at the size of the drawn image."""

    @abstractmethod
    def draw(self, state: S) -> Frame:
        """Return the picture of a state, at the size of the drawn image."""

    @abstractmethod
    def make_reader(self) -> Reader[S]: ...

    def vary(self, state: S, image: Frame) -> Sequence[Frame]:
        """Return further pictures that explain a frame of a state: the final picture may have another style."""
        return ()


def make_pictured_task(task: AnyTask, scene: PicturedScene[Any]) -> AnyTask:
    """Return the task with the pictures of one question in place of its own drawing. All its rules are the same."""

    class PicturedTask(type(task)):  # type: ignore[misc]
        def draw(self, puzzle: Any, state: Any) -> Frame:
            return scene.draw(state)

        def reader(self, puzzle: Any) -> Reader[Any]:
            return scene.make_reader()

        def vary_backdrop(self, puzzle: Any, state: Any, image: Frame) -> Sequence[Frame]:
            return scene.vary(state, image)

    pictured: AnyTask = object.__new__(PicturedTask)
    pictured.__dict__.update(task.__dict__)
    return pictured
