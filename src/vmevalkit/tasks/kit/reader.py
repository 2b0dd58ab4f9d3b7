"""One reader for all scenes of parts: each frame is explained by the ground and the parts.

Only what the last prediction leaves unexplained is looked at again, so a still frame costs one comparison. What a part
is, is decided by duels between looks, only where they differ. Numbers are read in any typeface.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import hypot

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.kit.glyphs import read_number
from vmevalkit.tasks.kit.looks import Floats, Looks, Patch, clip, paste
from vmevalkit.tasks.kit.matching import FAINT, Match, find_match
from vmevalkit.tasks.kit.scene import Part, Scene, Stage
from vmevalkit.tasks.kit.turning import AngleFinder

SMOOTHING = 0.7
"""Every frame is smoothed by this many pixels: grain and ringing go."""
BLURS = (0.0, 0.6, 1.0, 1.5, 2.2)
"""The video's own blur is the one of these with which the start looks most like the first frame."""
ODD_LEVELS = 34
"""Levels beyond what blur and half a pixel explain, from which on a pixel is not as predicted."""
CAP = 128.0
"""A pixel counts with at most so many levels: a wrong one is wrong."""
FITS = 12.0
"""Mean levels by which a part may miss its picture and surely is it."""
LOOSE = 75.0
"""What differs from its picture by up to so many levels is still read as what it resembles, if all else is much less
like it."""
CLEARLY = 0.6
"""Much less like: its own misfit is at most this share of that of any other look."""
DIFFER = 30.0
"""Levels from which on two looks differ at a pixel."""
LEGIBLE = 0.5
"""Share of the pixels that tell a content from a blank which another background must leave."""
TOUCHED = 0.012
"""Share of odd pixels from which on a part is looked at again."""
EXPLAINS, EXPLAINS_NEARBY = 0.7, 0.55
"""Share of the difference from the ground that a part must explain; near the place where it was last seen."""
CLEAR_SHARE = 0.9
"""A part that explains less, near its last place, is looked for everywhere."""
NEARBY_PX = 7
"""Pixels around its last place in which a part is looked for first."""
MAX_ODD_SHARE = 0.5
"""Share of odd pixels from which on the frame shows something else."""
MAX_HIDDEN_SHARE = 0.6
LIKE = 40.0
"""Levels by which most of a part's pixels may be off where it is found."""
TURNED_DEG = 15.0
"""Degrees between the angles at which a second part that turns is looked for."""
EXTRA_AREA = 0.5, 1.8
"""Unexplained areas of these shares of a turning part's area may be another such part."""
SOLID = 0.8
"""Opacity from which on a part is as good as opaque."""
EXTRA_SHARE = 0.35
"""Unexplained areas of this share of a part's area may be another such part."""
MIN_VISIBLE = 0.6
"""Share of a part that must be inside the video's picture."""
TURN_FITS = 0.55
"""Share of the difference from the ground that a turned part must explain."""
NUMBER_MARGIN = 0.2
"""How far a number in another typeface may reach beyond the box of the known ones, as a share of its height."""
NUMBER_CONTRAST = 60.0
"""Levels by which such a number must differ from its ground."""
NUMBER_WIDTHS, NUMBER_HEIGHTS, NUMBER_OFF = (0.3, 1.4), (0.6, 1.4), 0.3
"""Its width and height relative to the known ones, and how far from their place it may be, in their heights."""
_AROUND = np.ones((3, 3), np.uint8)
_NEAR = np.ones((7, 7), np.uint8)


class SceneReader:
    """Reads the frames of one video."""

    def __init__(self, stage: Stage, looks: Looks) -> None:
        self._kinds, self._looks = stage.kinds, looks
        self._order = [part.name for part in stage.start.parts]
        self._parts = {part.name: part for part in stage.start.parts}
        self._blank = {part.name for part in stage.start.parts if not part.look}
        self._gone: set[str] = set()
        self._rewritten: set[str] = set()
        self._is_started = False
        self._predicted: tuple[tuple[Part, ...], Frame, Frame] | None = None
        self._masks: dict[tuple[str, float, float], tuple[tuple[int, int, int, int], NDArray[np.bool_]]] = {}
        self._last: Scene | None = None
        self._angles = AngleFinder(looks)
        self._turned: dict[str, float] = {}
        self._reach: dict[str, float] = {}
        areas = [patch.area for part in stage.start.parts if (patch := looks.render(part)) is not None]
        self._least_area = min(areas, default=100.0)

    def read(self, frame: RegisteredFrame, before: Scene | None) -> Scene | None:
        del before  # the reader keeps its own last scene, with the parts that were hidden
        shown = np.asarray(cv2.GaussianBlur(frame.image, (0, 0), SMOOTHING), np.uint8)
        if not self._is_started:
            self._is_started = True
            blurs = [hypot(SMOOTHING, blur) for blur in BLURS]
            self._looks = self._looks.smooth(min(blurs, key=lambda blur: self._compare_start(shown, blur)))
            self._angles = AngleFinder(self._looks)
        unseen = None if frame.visible is None else ~frame.visible
        present = self._list_parts(self._gone)
        odd = self._find_odd(shown, present, unseen)
        near = _bound(odd)
        touched = [n for n in self._order if n in self._gone or self._is_touched(odd, near, self._parts[n])]
        out_of_sight = [] if unseen is None else [n for n in self._order if self._is_outside(self._parts[n], unseen)]
        if not touched and not out_of_sight and not self._gone and np.count_nonzero(odd) < 0.15 * self._least_area:
            if self._last is None or self._last.extra or self._last.hidden or self._last.parts != present:
                self._last = Scene(present, rewritten=tuple(sorted(self._rewritten)))
            return self._last
        return self._read_again(
            shown.astype(np.float32), shown, unseen, [n for n in touched if n not in out_of_sight], out_of_sight
        )

    def _read_again(
        self, picture: Floats, shown: Frame, unseen: Mask | None, touched: Sequence[str], out_of_sight: Sequence[str]
    ) -> Scene | None:
        hidden = set(out_of_sight)
        fixed = [n for n in touched if not (self._kinds[n].moves or self._kinds[n].turns)]
        turning = [n for n in touched if self._kinds[n].turns]
        moving = [n for n in touched if self._kinds[n].moves]
        parts, gone, rewritten = dict(self._parts), self._gone - hidden, self._rewritten - {*fixed}
        for name in fixed:
            read = self._read_look(picture, parts, name)
            number = self._read_number(picture, parts[name]) if read is None or not read[1] else None
            if number is not None:
                parts[name] = number
                rewritten.add(name)
            elif read is not None:
                parts[name] = read[0]
            else:
                hidden.add(name)
        if turning:
            self._read_angles(picture, parts, turning, hidden)
        missing = self._find_moving(picture, parts, moving, gone, unseen) if moving else []
        for name in missing:
            if name not in gone and self._is_covered(picture, parts, name, {*missing, *gone}):
                hidden.add(name)
            else:
                gone.add(name)
        present = tuple(parts[name] for name in self._order if name not in gone)
        seen = tuple(part for part in present if part.name not in hidden)
        odd = self._find_odd(shown, seen, unseen)
        if np.count_nonzero(odd) > MAX_ODD_SHARE * odd.size or len(hidden) > MAX_HIDDEN_SHARE * max(len(parts), 3):
            return None
        extra = self._find_extra(picture, seen, odd)
        self._parts, self._gone, self._rewritten = parts, gone, rewritten
        self._last = Scene(present, extra, tuple(sorted(hidden)), tuple(sorted(rewritten)))
        return self._last

    def _list_parts(self, without: Iterable[str] = ()) -> tuple[Part, ...]:
        left_out = set(without)
        return tuple(self._parts[name] for name in self._order if name not in left_out)

    # -- prediction ----------------------------------------------------------------------------------------------

    def _compare_start(self, shown: Frame, blur: float) -> float:
        drawn = self._looks.smooth(blur).compose(self._parts.values())
        return float(cv2.norm(shown.astype(np.float32), drawn, cv2.NORM_L1))

    def _find_odd(self, shown: Frame, parts: tuple[Part, ...], unseen: Mask | None) -> Mask:
        """Return the pixels that the parts do not explain."""
        if self._predicted is None or self._predicted[0] != parts:
            drawn = self._looks.compose(parts).astype(np.uint8)
            slack = cv2.subtract(cv2.dilate(drawn, _AROUND), cv2.erode(drawn, _AROUND))
            self._predicted = parts, drawn, np.asarray(cv2.convertScaleAbs(slack, alpha=0.6), np.uint8)
        _, drawn, slack = self._predicted
        red, green, blue = cv2.split(cv2.subtract(cv2.absdiff(shown, drawn), slack))
        odd = np.asarray(cv2.max(cv2.max(red, green), blue) > ODD_LEVELS)
        odd[:2] = odd[-2:] = False
        odd[:, :2] = odd[:, -2:] = False
        return odd if unseen is None else odd & ~unseen

    def _mask(self, part: Part, margin: int = 0) -> tuple[tuple[int, int, int, int], NDArray[np.bool_]]:
        """Return a box around a part, and which of its pixels any of its looks covers."""
        kind = self._kinds[part.name]
        looks = (part.look,) if kind.moves or kind.turns else tuple(look for look in kind.looks if look)
        key = ("|".join((*looks, str(round(part.angle * 2)))), round(part.x, 2), round(part.y, 2))
        if key not in self._masks:
            if len(self._masks) > 4000:
                self._masks.clear()
            self._masks[key] = self._make_mask([replace(part, look=look) for look in looks])
        return self._masks[key]

    def _make_mask(self, parts: Sequence[Part]) -> tuple[tuple[int, int, int, int], NDArray[np.bool_]]:
        width, height = self._looks.size
        patches = [patch for part in parts if (patch := self._looks.render(part)) is not None]
        if not patches:
            return (0, 0, 0, 0), np.zeros((0, 0), bool)
        margin = 4
        left = max(0, min(patch.box[0] for patch in patches) - margin)
        top = max(0, min(patch.box[1] for patch in patches) - margin)
        right = min(width, max(patch.box[2] for patch in patches) + margin)
        bottom = min(height, max(patch.box[3] for patch in patches) + margin)
        mask = np.zeros((max(0, bottom - top), max(0, right - left)), bool)
        for patch in patches:
            moved = replace(patch, left=patch.left - left, top=patch.top - top)
            cut = clip(moved, mask.shape)
            if cut is not None:
                mask[cut[0]] |= patch.alpha[cut[1]] > 0.4
        return (left, top, right, bottom), mask

    def _is_touched(self, odd: Mask, near: tuple[int, int, int, int], part: Part) -> bool:
        """Return whether pixels of a part are odd; all odd ones are in the box ``near``."""
        if part.opacity < 1:
            return True
        (left, top, right, bottom), mask = self._mask(part)
        if left >= near[2] or near[0] >= right or top >= near[3] or near[1] >= bottom:
            return False
        count = int(np.count_nonzero(odd[top:bottom, left:right] & mask))
        return count > max(3.0, TOUCHED * int(np.count_nonzero(mask)))

    def _is_outside(self, part: Part, unseen: Mask) -> bool:
        (left, top, right, bottom), mask = self._mask(part)
        whole = int(np.count_nonzero(mask))
        return whole == 0 or int(np.count_nonzero(unseen[top:bottom, left:right] & mask)) > (1 - MIN_VISIBLE) * whole

    # -- parts that stay in place --------------------------------------------------------------------------------

    def _read_look(self, picture: Floats, parts: dict[str, Part], name: str) -> tuple[Part, bool] | None:
        """Return what is in the place of a part, and whether it is drawn as the part is; None where it is unclear."""
        part, kind = parts[name], self._kinds[name]
        (left, top, right, bottom), mask = self._mask(part)
        if not mask.any():
            return None
        looks = tuple(dict.fromkeys((part.look, *kind.looks)))
        seen = picture[top:bottom, left:right]
        drawn = self._draw_looks(part, looks, (left, top, right, bottom), None)
        read = _choose_look(seen, drawn, part.look, mask)
        if read is None:
            ring = np.asarray(cv2.dilate(mask.astype(np.uint8), _NEAR), bool) & ~mask
            if ring.any():  # the cell may have another background, behind what it contains
                shift = np.median((seen - drawn[looks[0]])[ring], axis=0).astype(np.float32)
                shifted = self._draw_looks(part, looks, (left, top, right, bottom), shift)
                read = _choose_look(seen, shifted, part.look, mask)
                if read is not None and not _is_legible(read[0], drawn, shifted):
                    return None
        if read is None:
            return None
        look, opacity, is_exact = read
        return replace(part, look=look, opacity=opacity), is_exact

    def _read_number(self, picture: Floats, part: Part) -> Part | None:
        """Return a blank cell with the number that is written in it, in any typeface; None where there is none."""
        numbers = [look for look in self._kinds[part.name].looks if look]
        if part.name not in self._blank or not all(look.isdecimal() for look in numbers):
            return None
        (left, top, right, bottom), _ = self._mask(part)
        margin = round(NUMBER_MARGIN * (bottom - top))
        rows = slice(max(0, top - margin), bottom + margin)
        columns = slice(max(0, left - margin), right + margin)
        seen, below = picture[rows, columns], self._looks.ground[rows, columns]
        edge = np.ones(seen.shape[:2], bool)
        edge[2:-2, 2:-2] = False
        if not edge.any():
            return None
        shift = np.median((seen - below)[edge], axis=0)
        ink = np.abs(seen - below - shift).max(axis=2)
        drawn = float(np.abs(self._looks.compose([part]) - self._looks.ground).max()) if part.look else 255.0
        peak = float(ink.max())
        if peak < NUMBER_CONTRAST:
            return None
        number, (x, y, wide, high) = read_number(np.clip(ink, 0, 255).astype(np.uint8))
        known = self._looks.render(replace(part, look=number)) if number in numbers else None
        if known is None:
            return None
        inked_rows, inked_columns = (np.flatnonzero((known.alpha > 0.4).any(axis=axis)) for axis in (1, 0))
        x0, x1 = known.left + inked_columns[0], known.left + inked_columns[-1] + 1
        y0, y1 = known.top + inked_rows[0], known.top + inked_rows[-1] + 1
        across, down = (x + wide / 2 + columns.start) - (x0 + x1) / 2, (y + high / 2 + rows.start) - (y0 + y1) / 2
        if hypot(across, down) > NUMBER_OFF * (y1 - y0):
            return None
        (narrow, broad), (low, tall) = NUMBER_WIDTHS, NUMBER_HEIGHTS
        if not (narrow <= wide / (x1 - x0) <= broad and low <= high / (y1 - y0) <= tall):
            return None
        opacity = min(peak / max(drawn, 1.0), 1.0)
        return replace(part, look=number, opacity=1.0 if opacity > 0.8 else round(opacity, 2))

    def _draw_looks(
        self, part: Part, looks: Sequence[str], box: tuple[int, int, int, int], shift: Floats | None
    ) -> dict[str, Floats]:
        left, top, right, bottom = box
        drawn = {}
        for look in looks:
            below = self._looks.ground[top:bottom, left:right].copy()
            if shift is not None:
                below = np.clip(below + shift, 0, 255)
            patch = self._looks.render(replace(part, look=look)) if look else None
            if patch is not None:
                paste(below, replace(patch, left=patch.left - left, top=patch.top - top))
            drawn[look] = below
        return drawn

    # -- parts that turn -----------------------------------------------------------------------------------------

    def _read_angles(self, picture: Floats, parts: dict[str, Part], turning: Sequence[str], hidden: set[str]) -> None:
        """Read each in turn, twice where there are several: they may cover each other."""
        waiting = list(turning)
        for _ in range(2):
            again = []
            for name in waiting:
                place = self._order.index(name)
                part, last = parts[name], self._parts[name]
                below = [parts[other] for other in self._order[:place] if self._is_near(parts[other], part)]
                above = [parts[other] for other in self._order[place + 1 :] if self._is_near(parts[other], part)]
                guesses = (part.angle, last.angle + self._turned.get(name, 0.0))
                found = self._angles.find(picture, part, below, above, self._kinds[name].symmetry_deg, guesses)
                parts[name] = replace(part, angle=found.angle, opacity=1.0)
                (hidden.add if found.share < TURN_FITS else hidden.discard)(name)
                again += [name] if found.share < CLEAR_SHARE and len(turning) > 1 else []
            waiting = again
        for name in turning:
            if name in hidden:
                parts[name] = self._parts[name]
            else:
                self._turned[name] = parts[name].angle - self._parts[name].angle

    def _is_near(self, one: Part, other: Part) -> bool:
        reach = self._reach.setdefault(one.name, self._measure_reach(one)) + self._reach.setdefault(
            other.name, self._measure_reach(other)
        )
        return hypot(one.x - other.x, one.y - other.y) < reach

    def _measure_reach(self, part: Part) -> float:
        patch = self._looks.render(replace(part, angle=0.0))
        return 0.0 if patch is None else hypot(*patch.alpha.shape) / self._looks.scale

    # -- parts that move -----------------------------------------------------------------------------------------

    def _find_moving(
        self, picture: Floats, parts: dict[str, Part], moving: Sequence[str], gone: set[str], unseen: Mask | None
    ) -> list[str]:
        """Place the parts where they explain most, the surest first. Return the names of those that are nowhere."""
        missing, were_gone = list(moving), set(gone)
        for reach in (NEARBY_PX, None):
            while missing:
                ground = self._looks.compose(parts[n] for n in self._order if n not in missing and n not in gone)
                if unseen is not None:
                    ground = np.where(unseen[..., None], picture, ground)
                found = {n: m for n in missing if (m := self._search(picture, ground, parts[n], reach)) is not None}
                shown = [parts[n] for n in self._order if n not in missing and n not in gone]
                found = {n: m for n, m in found.items() if n not in gone or not _is_twin_of_any(m[0], shown)}
                if not found:
                    break
                placed: list[Part] = []
                present = {parts[name].look for name in found if name not in gone}  # no twin of theirs comes back first
                for name in sorted(found, key=lambda n: (n in gone and parts[n].look in present, -found[n][1])):
                    place = found[name][0]
                    if any(_are_close(place, other) for other in placed):
                        continue  # both were found in the same pixels: the other one explained more of them
                    placed.append(place)
                    parts[name] = place
                    missing.remove(name)
                    gone.discard(name)
            if not missing:
                break
        for look in {parts[name].look for name in moving}:
            alike = [name for name in moving if parts[name].look == look]
            if len(alike) > 1:
                missing = self._name_by_nearness(parts, alike, missing, gone, were_gone)
        return missing

    def _name_by_nearness(
        self, parts: dict[str, Part], alike: Sequence[str], missing: Sequence[str], gone: set[str], were_gone: set[str]
    ) -> list[str]:
        """Give the places of parts that look alike to those that were nearest to them. Return the names that are
        missing then: one that is covered may have been found where another one is."""
        places = [parts[name] for name in alike if name not in missing]
        pairs = sorted(
            (name in were_gone, hypot(place.x - self._parts[name].x, place.y - self._parts[name].y), name, index)
            for name in alike
            for index, place in enumerate(places)
        )
        taken: dict[str, int] = {}
        for _, _, name, index in pairs:
            if name not in taken and index not in taken.values():
                taken[name] = index
        for name in alike:
            parts[name] = replace(places[taken[name]], name=name) if name in taken else self._parts[name]
            (gone.discard if name in taken or name not in were_gone else gone.add)(name)
        return [name for name in missing if name not in alike] + [name for name in alike if name not in taken]

    def _search(self, picture: Floats, ground: Floats, part: Part, reach: int | None) -> tuple[Part, float] | None:
        patch = self._looks.render(replace(part, opacity=1.0))
        if patch is None:
            return None
        if reach is not None:
            window = patch.left - reach, patch.top - reach, patch.left + reach, patch.top + reach
            match = find_match(picture, ground, patch, window, EXPLAINS_NEARBY)
            at_edge = match is not None and max(abs(match.left - patch.left), abs(match.top - patch.top)) > reach - 1
            if match is not None and (match.share < CLEAR_SHARE or at_edge):
                wide = self._search_everywhere(picture, ground, patch)
                match = wide if wide is not None and wide.share > match.share else match
        else:
            match = self._search_everywhere(picture, ground, patch)
        if match is None or (match.opacity >= SOLID and not _resembles(picture, ground, patch, match)):
            return None
        scale = self._looks.scale
        moved = replace(
            part, x=part.x + (match.left - patch.left) / scale, y=part.y + (match.top - patch.top) / scale,
            opacity=1.0 if match.opacity > 0.8 else round(match.opacity, 2),
        )  # fmt: skip
        return moved, match.share

    def _search_everywhere(self, picture: Floats, ground: Floats, patch: Patch) -> Match | None:
        """Search at half the size where the picture differs from the ground, then finely."""
        half, below = (_halve(image) for image in (picture, ground))
        odd = np.abs(half - below).max(axis=2) > ODD_LEVELS
        rows, columns = np.nonzero(odd)
        if len(rows) < 0.1 * patch.area / 4:
            return None
        small = Patch(0, 0, _halve(patch.colour), _halve(patch.alpha), patch.area / 4)
        height, width = small.alpha.shape
        window = columns.min() - width, rows.min() - height, columns.max() + 1, rows.max() + 1
        rough = find_match(half, below, small, window, EXPLAINS - 0.1)
        if rough is None:
            return None
        left, top = round(2 * rough.left), round(2 * rough.top)
        return find_match(picture, ground, patch, (left - 3, top - 3, left + 3, top + 3), EXPLAINS)

    def _is_covered(self, picture: Floats, parts: dict[str, Part], name: str, missing: set[str]) -> bool:
        """Return whether something else is where a missing part was last seen, or is large enough to hide it
        elsewhere."""
        part = parts[name]
        (left, top, right, bottom), mask = self._mask(part)
        covered = mask & False
        for other in (parts[n] for n in self._order if n not in missing):
            (x0, y0, x1, y1), above = self._mask(other)
            i0, j0, i1, j1 = max(top, y0), max(left, x0), min(bottom, y1), min(right, x1)
            if i0 < i1 and j0 < j1:
                covered[i0 - top : i1 - top, j0 - left : j1 - left] |= above[i0 - y0 : i1 - y0, j0 - x0 : j1 - x0]
        if np.count_nonzero(covered & mask) > 0.5 * np.count_nonzero(mask):
            return True  # another part is over it
        ground = self._looks.compose(parts[n] for n in self._order if n not in missing)
        off = np.abs(picture - ground).max(axis=2) > ODD_LEVELS
        whole = max(int(np.count_nonzero(mask)), 1)
        if np.count_nonzero(off[top:bottom, left:right] & mask) > 0.3 * whole:
            return True
        opened = cv2.morphologyEx(off.astype(np.uint8), cv2.MORPH_OPEN, _AROUND)
        _, _, stats, _ = cv2.connectedComponentsWithStats(opened, connectivity=8)
        return bool(len(stats) > 1 and stats[1:, cv2.CC_STAT_AREA].max() > 0.8 * whole)

    def _find_extra(self, picture: Floats, parts: tuple[Part, ...], odd: Mask) -> tuple[Part, ...]:
        """Return further parts of the known looks where something is left unexplained."""
        if np.count_nonzero(odd) < EXTRA_SHARE * self._least_area:
            return ()
        ground = self._looks.compose(parts)
        looks = {part.look: part for part in self._parts.values() if part.look and self._kinds[part.name].moves}
        turning = {part.look: part for part in self._parts.values() if part.look and self._kinds[part.name].turns}
        extra = self._find_extra_turned(picture, ground, odd, turning) if turning else []
        for look, part in looks.items():
            patch = self._looks.render(replace(part, opacity=1.0))
            match = None if patch is None else self._search_everywhere(picture, ground, patch)
            if match is not None and patch is not None and _resembles(picture, ground, patch, match):
                scale = self._looks.scale
                x, y = part.x + (match.left - patch.left) / scale, part.y + (match.top - patch.top) / scale
                extra.append(Part(f"+{look}", x, y, look, part.angle, match.opacity))
        return tuple(extra)

    def _find_extra_turned(self, picture: Floats, ground: Floats, odd: Mask, turning: Mapping[str, Part]) -> list[Part]:
        """Return further parts that turn, at any angle: what is unexplained and has about the area of one."""
        opened = cv2.morphologyEx(odd.astype(np.uint8), cv2.MORPH_OPEN, _AROUND)
        _, _, boxes, _ = cv2.connectedComponentsWithStats(opened, connectivity=8)
        extra = []
        for look, part in turning.items():
            angles = np.arange(0.0, self._kinds[part.name].symmetry_deg, TURNED_DEG)
            turned = [replace(part, angle=part.angle + float(angle), opacity=1.0) for angle in angles]
            patches = [patch for each in turned if (patch := self._looks.render(each)) is not None]
            for left, top, width, height, area in boxes[1:].tolist():
                if not EXTRA_AREA[0] * patches[0].area < area < EXTRA_AREA[1] * patches[0].area:
                    continue
                found: tuple[Match, Patch] | None = None
                for patch in patches:
                    tall, wide = patch.alpha.shape
                    right, bottom = left + width - wide, top + height - tall
                    window = min(left, right) - 3, min(top, bottom) - 3, max(left, right) + 3, max(top, bottom) + 3
                    match = find_match(picture, ground, patch, window, EXPLAINS)
                    if match is not None and (found is None or match.share > found[0].share):
                        found = match, patch
                if found is not None and _resembles(picture, ground, found[1], found[0]):
                    scale = self._looks.scale
                    middle = (left + width / 2) / scale, (top + height / 2) / scale
                    extra.append(Part(f"+{look}", *middle, look, part.angle, found[0].opacity))
        return extra


def _resembles(picture: Floats, ground: Floats, patch: Patch, match: Match) -> bool:
    """Return whether a part that was found has its own colours there: a hand or a caption may explain much of the
    difference from the ground and looks like no part."""
    placed = replace(patch, left=round(match.left), top=round(match.top))
    cut = clip(placed, picture.shape)
    if cut is None:
        return False
    drawn = ground.copy()
    paste(drawn, placed, min(match.opacity, 1.0))
    inside = patch.alpha[cut[1]] > 0.4
    off = np.abs(picture - drawn)[cut[0]].max(axis=2)[inside]
    if match.opacity >= SOLID:
        return bool(off.size and np.median(off) < LIKE)
    # A faint part has the colours of skin or paper: its outline, faint as well, must be there too.
    return bool(off.size and np.percentile(off, 85) < LIKE * match.opacity)


def _choose_look(
    seen: Floats, drawn: dict[str, Floats], own: str, mask: NDArray[np.bool_]
) -> tuple[str, float, bool] | None:
    """Return which of the looks is seen, its opacity, and whether it is drawn just so; None where it is unclear."""
    off = {look: np.minimum(np.abs(seen - image).max(axis=2), CAP) for look, image in drawn.items()}

    def duel(one: str, other: str) -> tuple[float, float]:
        differ = mask & (np.abs(drawn[one] - drawn[other]).max(axis=2) > DIFFER)
        if np.count_nonzero(differ) < 3:
            return 0.0, 0.0
        return float(off[one][differ].mean()), float(off[other][differ].mean())

    best = own
    for look in drawn:
        mine, other = duel(best, look)
        if other < mine - 1:
            best = look
    error = float(off[best][mask].mean())
    if error < FITS:
        return best, 1.0, True
    mixed = _find_mixture(seen, drawn, mask)
    if mixed is not None:
        return *mixed, True
    duels = [duel(best, look) for look in drawn if look != best]
    if error < LOOSE and all(mine < CLEARLY * other + 1 for mine, other in duels):
        return best, 1.0, False
    return None


def _is_legible(look: str, drawn: dict[str, Floats], shifted: dict[str, Floats]) -> bool:
    """Return whether a content is told from a blank on another background as well: ink on black is not. A blank is
    where each content would be."""

    def count(pictures: dict[str, Floats], content: str) -> int:
        return int(np.count_nonzero(np.abs(pictures[content] - pictures[""]).max(axis=2) > DIFFER))

    contents = [look] if look else [each for each in drawn if each]
    return "" not in drawn or all(count(shifted, each) >= LEGIBLE * count(drawn, each) for each in contents)


def _find_mixture(seen: Floats, drawn: dict[str, Floats], mask: NDArray[np.bool_]) -> tuple[str, float] | None:
    """Return the look that is half there over a blank or another look, and its opacity; None where nothing fits."""
    found: tuple[float, str, str, float] | None = None
    names = list(drawn)
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            step = (drawn[other] - drawn[one])[mask]
            power = float((step * step).sum())
            if power < 1:
                continue
            share = float((((seen - drawn[one])[mask]) * step).sum()) / power
            share = min(max(share, 0.0), 1.0)
            error = float(np.abs((seen - drawn[one])[mask] - share * step).max(axis=1).mean())
            if error < FITS and (found is None or error < found[0]):
                found = error, one, other, share
    if found is None:
        return None
    _, one, other, share = found
    if not one or not other:  # something comes or goes
        look, opacity = (other, share) if not one else (one, 1 - share)
        return (look, 1.0 if opacity > 0.9 else round(opacity, 2)) if opacity >= FAINT else ("", 1.0)
    clear = max(share, 1 - share)  # two contents through each other are neither of them
    return (one if share < 0.5 else other), 1.0 if clear > 0.8 else round(clear, 2)


def _bound(odd: Mask) -> tuple[int, int, int, int]:
    """Return the box of all odd pixels."""
    left, top, width, height = cv2.boundingRect(odd.view(np.uint8))
    return left, top, left + width, top + height


def _are_close(one: Part, other: Part) -> bool:
    return hypot(one.x - other.x, one.y - other.y) < 12


def _is_twin_of_any(part: Part, others: Iterable[Part]) -> bool:
    """Return whether a part is where another one of its look is."""
    return any(other.look == part.look and _are_close(part, other) for other in others)


def _halve(image: Floats) -> Floats:
    height, width = image.shape[:2]
    size = max(width // 2, 1), max(height // 2, 1)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA))
