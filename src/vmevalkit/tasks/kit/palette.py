"""The one visual language of the kit's puzzles: colours and line widths."""

from __future__ import annotations

from typing import Final


class PALETTE:
    """Colours by what they are used for. The eight hues are told apart by people with any colour vision and by video
    codecs."""

    INK: Final = "#1f2937"
    """Outlines, text and walls."""
    PAPER: Final = "#ffffff"
    """The ground of the picture."""
    BOARD: Final = "#f3f4f6"
    """Cells that can be entered or filled."""
    SHADE: Final = "#d1d5db"
    """Frames and quiet lines."""
    RED: Final = "#dc2626"
    ORANGE: Final = "#f59e0b"
    YELLOW: Final = "#fde047"
    GREEN: Final = "#16a34a"
    TEAL: Final = "#2dd4bf"
    BLUE: Final = "#2563eb"
    PURPLE: Final = "#9333ea"
    BROWN: Final = "#92400e"
    HUES: Final = (RED, BLUE, GREEN, ORANGE, PURPLE, TEAL, BROWN, YELLOW)
    LINE: Final = 3.0
    """Width of outlines, in pixels of a picture of about 480 pixels."""
