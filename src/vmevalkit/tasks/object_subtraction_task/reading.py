"""Reading a picture back into a scene: patches of colour are found and told apart by what was there before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import hypot

import numpy as np

from vmevalkit.media.picture import Mask
from vmevalkit.media.sighting import Sighting
from vmevalkit.tasks.object_subtraction_task.blobs import Blob, find_blobs
from vmevalkit.tasks.object_subtraction_task.following import Mark, follow
from vmevalkit.tasks.object_subtraction_task.looks import ink_of, shape_of
from vmevalkit.tasks.object_subtraction_task.object_subtraction_reasoning import ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import (
    AREAS,
    CENTROIDS,
    COLOURS,
    NEW,
    OTHER,
    SPECIFIED_CANVAS,
    STILL,
    Camera,
    Piece,
    Scene,
    covered,
    piece_of,
    scene_of,
)

READING_SIDE = SPECIFIED_CANVAS
"""Pictures of any size are read at the specification's; all lengths here are its pixels."""
_MIDDLE = READING_SIDE / 2
_AT_HAND, _A_LITTLE = 0.35, 4.0
"""A patch is at an object's place when it is no farther from it than this share of its size, and so many pixels."""
_STILL_PX = 2.0
_CHANGED = (0.3, 2.5)
"""A patch at an object's place with an area beyond these, relative to the object's, is something else."""
_WHOLE = (0.92, 1.08)
"""Within these it has the object's own area, for all that a reading can tell."""
_CUT = (0.85, 1.18)
"""The same for the visible part of an object at the edge."""
_LESS, _MORE = 0.6, 1.6
"""The same for a patch elsewhere that looks like the object."""
_WHOLE_INK = 0.88
"""An object that is at least so opaque has not begun to fade; blur may take some of its strength."""
_CLEAR = 0.5
"""An object that is not found is gone if this share of its place can be seen; else it may be hidden."""
_THING_AREA = 25.0
"""What is smaller is no object."""
_GREY_LEVELS, _TEXT_PX = 40.0, 18
"""Patches whose colours differ by less, and which are smaller, are text."""
_LONG = 2.5
"""Patches so many times longer than wide are bars."""


class ObjectReader:
    """Reads one puzzle's films."""

    def __init__(self, puzzle: ObjectSubtraction) -> None:
        self._grow = puzzle.unit
        self._homes = {thing.id: self._small(piece_of(thing)) for thing in puzzle.things}
        self._largest = max(home.area for home in self._homes.values())

    def read(self, sighting: Sighting, before: Scene | None) -> Scene | None:
        """The scene, or None where no white ground is seen. An object behind something is taken to be as it was."""
        blobs = find_blobs(sighting.picture, sighting.seen)
        if blobs is None:
            return None
        camera, last = STILL, self._homes
        if before is not None:
            camera = Camera(before.camera.zoom, before.camera.x / self._grow, before.camera.y / self._grow)
            last = {piece.id: self._small(piece) for piece in before.pieces if piece.id != NEW}
        matched = self._matched(blobs, last, camera)
        seen = {thing_id: self._seen(blobs[place], thing_id) for place, thing_id in matched.items()}
        cut = {
            i: last[i] for p, i in matched.items() if i in last and _is_cut(blobs[p], last[i], camera, sighting.seen)
        }
        camera = follow(self._marks(seen, (blobs[place] for place in matched)), camera)
        others = [blob for place, blob in enumerate(blobs) if place not in matched]
        veil = _veil(others)
        missing = (last[thing_id] for thing_id in last if thing_id not in seen)
        hidden = [piece for piece in missing if self._is_hidden(piece, camera, veil, sighting.seen)]
        strange = [_placed_stranger(blob) for blob in others if self._is_strange(blob, hidden, camera)]
        pieces = [*(camera.undone(piece, READING_SIDE) for piece in (*seen.values(), *strange)), *hidden]
        pieces = [cut.get(piece.id, piece) for piece in pieces]
        large = Camera(camera.zoom, camera.x * self._grow, camera.y * self._grow)
        return scene_of(map(self._large, pieces), large)

    def _small(self, piece: Piece) -> Piece:
        return _scaled(piece, 1 / self._grow)

    def _large(self, piece: Piece) -> Piece:
        return _scaled(piece, self._grow)

    def _matched(self, blobs: Sequence[Blob], last: Mapping[int, Piece], camera: Camera) -> dict[int, int]:
        """From patches, by their place in the list, to objects: first by where they are, then by what they look like.

        An object that has gone may come back to its place.
        """
        now = {thing_id: camera.shown(piece, READING_SIDE) for thing_id, piece in last.items()}
        near = [
            (apart, place, thing_id)
            for known in (now, {i: camera.shown(home, READING_SIDE) for i, home in self._homes.items()})
            for thing_id, piece in known.items()
            for place, blob in enumerate(blobs)
            if (apart := _apart(blob, piece)) < _AT_HAND * piece.size + _A_LITTLE and _may_be(blob, piece)
        ]
        matched = _paired(near, {})
        alike = [
            (_apart(blob, now[thing_id]), place, thing_id)
            for place, blob in enumerate(blobs)
            if place not in matched
            for thing_id in last
            if thing_id not in matched.values() and _looks_like(blob, now[thing_id])
        ]
        return _paired(alike, matched)

    def _seen(self, blob: Blob, thing_id: int) -> Piece:
        """The object as it appears."""
        home = self._homes[thing_id]
        ink = ink_of(blob.lack, home.colour)
        shape = home.shape if blob.at_edge else _shape(blob, home.shape)
        return _placed(blob, thing_id, ink.name, shape, ink.opacity)

    def _is_hidden(self, piece: Piece, camera: Camera, veil: Mask, seen: Mask | None) -> bool:
        """Whether an object that is not found may be there still, behind something or outside the film.

        What stood in its place cannot have left the picture by itself; what had set out can.
        """
        home = self._homes[piece.id]
        place = _place(piece, camera, seen)
        astray = hypot(piece.x - home.x, piece.y - home.y) > _A_LITTLE
        expected = place.sum() if astray else piece.area * camera.zoom**2
        return bool((place & ~veil).sum() < _CLEAR * expected)

    def _is_strange(self, blob: Blob, hidden: Iterable[Piece], camera: Camera) -> bool:
        """Whether a patch is an object that the puzzle does not have. Hands reach in from the edge, text is grey, its
        boxes are long, large or have objects shining through, and what is left of an object behind a hand is none."""
        if blob.region.reaches_in or blob.area < _THING_AREA:
            return False
        left, top, right, bottom = blob.region.box
        short, long = sorted((right - left, bottom - top))
        if float(np.ptp(blob.lack)) < _GREY_LEVELS and short < _TEXT_PX:
            return False
        large = blob.area > _CHANGED[1] * self._largest and ink_of(blob.lack).name not in COLOURS
        if (long > _LONG * short or large or blob.mixed) and _shape(blob) == OTHER:
            return False
        return not (blob.region.joined and any(_covers(blob, camera, piece) for piece in hidden))

    def _marks(self, seen: Mapping[int, Piece], blobs: Iterable[Blob]) -> list[Mark]:
        """What the seen objects say about the camera."""
        marks = []
        for (thing_id, piece), blob in zip(seen.items(), blobs, strict=True):
            home = self._homes[thing_id]
            if blob.at_edge or piece.shape != home.shape:
                continue
            # All the ink of a whole object says more about its size than the area: blur does not change it.
            whole = piece.colour == home.colour and piece.opacity > _WHOLE_INK
            growth = (blob.area * piece.opacity / home.area) ** 0.5 if whole else None
            marks.append(Mark(home.x - _MIDDLE, home.y - _MIDDLE, piece.x - _MIDDLE, piece.y - _MIDDLE, growth))
        return marks


def _scaled(piece: Piece, factor: float) -> Piece:
    if factor == 1:
        return piece
    return Piece(
        piece.id, piece.colour, piece.shape, piece.x * factor, piece.y * factor, piece.size * factor, piece.opacity
    )


def _paired(candidates: Iterable[tuple[float, int, int]], matched: dict[int, int]) -> dict[int, int]:
    """The nearest first; each patch and each object once."""
    pairs = dict(matched)
    taken = set(pairs.values())
    for _, place, thing_id in sorted(candidates):
        if place not in pairs and thing_id not in taken:
            pairs[place] = thing_id
            taken.add(thing_id)
    return pairs


def _apart(blob: Blob, piece: Piece) -> float:
    return hypot(blob.x - piece.x, blob.y - piece.y - CENTROIDS[piece.shape] * piece.size)


def _may_be(blob: Blob, piece: Piece) -> bool:
    """Whether a patch at an object's place may be the object. Where it touches something else, a part of the object may
    be hidden: then only what looks as before is believed."""
    share = blob.area / piece.area
    if blob.region.joined:
        return _WHOLE[0] < share < _WHOLE[1] and _apart(blob, piece) < _STILL_PX and _looks_like(blob, piece)
    if blob.at_edge and share > _WHOLE[1]:
        return False
    return _WHOLE[0] < share < _WHOLE[1] or (_CHANGED[0] < share < _CHANGED[1] and not blob.mixed)


def _looks_like(blob: Blob, piece: Piece) -> bool:
    """Whether a patch elsewhere is the object, gone astray."""
    share = blob.area / piece.area
    if share > (_WHOLE[1] if blob.at_edge else _MORE) or blob.mixed:
        return False
    if ink_of(blob.lack, piece.colour).name != piece.colour:
        return False
    return blob.at_edge or (share > _LESS and _shape(blob, piece.shape) == piece.shape)


def _shape(blob: Blob, expected: str | None = None) -> str:
    return shape_of(blob.alpha, blob.x - blob.corner[0], blob.y - blob.corner[1], blob.area, expected)


def _placed(blob: Blob, thing_id: int, colour: str, shape: str, opacity: float) -> Piece:
    size = (blob.area / AREAS[shape]) ** 0.5
    return Piece(thing_id, colour, shape, blob.x, blob.y - CENTROIDS[shape] * size, size, min(opacity, 1.0))


def _covers(blob: Blob, camera: Camera, piece: Piece) -> bool:
    """Whether a patch lies over an object's place."""
    left, top, right, bottom = blob.region.box
    shown = camera.shown(piece, READING_SIDE).box
    return left < shown[2] and right > shown[0] and top < shown[3] and bottom > shown[1]


def _place(piece: Piece, camera: Camera, seen: Mask | None) -> Mask:
    """Where an object is, as far as that can be seen."""
    place = covered([camera.shown(piece, READING_SIDE)], READING_SIDE)
    return place if seen is None else place & seen


def _is_cut(blob: Blob, piece: Piece, camera: Camera, seen: Mask | None) -> bool:
    """Whether a patch is what can be seen of an object that is as it was, where the film shows a part of it."""
    if not blob.at_edge:
        return False
    place = _place(piece, camera, seen)
    area = float(place.sum())
    if area < 1 or area > 0.97 * camera.zoom**2 * piece.area:
        return False
    y, x = (float(axis.mean()) + 0.5 for axis in np.nonzero(place))
    return hypot(blob.x - x, blob.y - y) < _A_LITTLE and _CUT[0] < blob.area / area < _CUT[1]


def _veil(blobs: Iterable[Blob]) -> Mask:
    """What lies behind patches that are no known object."""
    veil = np.zeros((READING_SIDE, READING_SIDE), np.bool_)
    for blob in blobs:
        left, top, right, bottom = blob.region.box
        veil[top:bottom, left:right] |= blob.region.mask > 0
    return veil


def _placed_stranger(blob: Blob) -> Piece:
    ink = ink_of(blob.lack)
    return _placed(blob, NEW, ink.name, _shape(blob), ink.opacity)
