"""The examples on the first page: a pass, and one video of each failure mode."""

from __future__ import annotations

from dataclasses import dataclass, field

from vmevalkit.report.media_files import VideoCopy
from vmevalkit.report.pages import encode_path
from vmevalkit.report.video_list import VideoRows

MOST = 8


@dataclass(frozen=True, slots=True)
class Example:
    """One video on the first page."""

    key: str
    model: str
    href: str
    thumb: str
    label: str
    kind: str
    why: str
    is_baseline: bool


@dataclass
class ExampleChooser:
    """Sees every video once and keeps the first of each verdict: of models rather than baselines, of many domains."""

    scorer: str
    """Whose verdicts are shown."""
    baselines: frozenset[str] = frozenset()
    """Models that are baselines."""
    count: int = 0
    """Videos seen so far."""
    _found: dict[str, Example] = field(default_factory=dict)
    _domains: dict[str, str] = field(default_factory=dict)

    def see(self, key: str, domain: str, video: VideoRows, files: VideoCopy) -> None:
        """Look at the next video."""
        self.count += 1
        row = next((row for row in video.rows if row["scorer"] == self.scorer and row["value"] is not None), None)
        if row is None or files.thumb is None:
            return
        passed = bool(row["passed"] if row["passed"] is not None else row["success"])
        mode = "none" if passed else row["failure_mode"] or "none"
        kind = "pass" if passed else "fail"
        name = f"{kind} {mode}"
        taken = {domain for other, domain in self._domains.items() if other != name}
        is_baseline, found = video.model in self.baselines, self._found.get(name)
        if found is not None and found.is_baseline == is_baseline:
            # A later video replaces an earlier one of the same kind only to show another domain.
            if not (self._domains[name] in taken and domain not in taken):
                return
        elif found is not None and is_baseline:
            return
        self._domains[name] = domain
        label = f"{row['value']} · {'pass' if passed else mode.replace('_', ' ') if mode != 'none' else 'fail'}"
        self._found[name] = Example(
            key, video.model, f"question.html#{encode_path(key)}", encode_path(files.thumb), label, kind,
            row["explanation"] or "", is_baseline,
        )  # fmt: skip

    @property
    def chosen(self) -> list[Example]:
        """The examples, passes first."""
        return sorted(self._found.values(), key=lambda each: each.kind != "pass")[:MOST]
