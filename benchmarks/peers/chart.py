"""A bar chart as SVG, by hand: a picture is not worth a dependency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

LEFT, WIDTH, RIGHT = 220, 520, 90
TOP, STEP, THICK = 40, 26, 16
OURS, THEIRS, INK = "#c0392b", "#7f8fa6", "#2f3640"


@dataclass(frozen=True, slots=True)
class Bar:
    name: str
    value: float
    far: float  # where its thin line ends


def chart(title: str, bars: Sequence[Bar]) -> str:
    """Shortest first, lengths by their logarithm, each with its number."""
    ordered = sorted(bars, key=lambda bar: bar.value)
    low = math.floor(math.log10(min((bar.value for bar in ordered), default=1.0)))
    high = math.ceil(math.log10(max((bar.far for bar in ordered), default=10.0)))
    scale = WIDTH / max(1, high - low)

    def at(value: float) -> float:
        return LEFT + (math.log10(value) - low) * scale

    height = TOP + STEP * len(ordered) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{height}"'
        f' font-family="sans-serif" font-size="12" fill="{INK}">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="12" y="20" font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    for power in range(low, high + 1):
        x = at(10.0**power)
        parts.append(
            f'<path d="M{x:.1f} {TOP - 6}V{height - 22}" stroke="#dcdde1"/>'
            f'<text x="{x:.1f}" y="{height - 8}" text-anchor="middle">{10.0**power:g}</text>'
        )
    for number, bar in enumerate(ordered):
        parts.append(_drawn(bar, TOP + STEP * number, at(bar.value), at(bar.far)))
    return "\n".join([*parts, "</svg>", ""])


def _drawn(bar: Bar, y: int, end: float, far: float) -> str:
    middle = y + THICK / 2
    colour = OURS if bar.name.startswith("taishi") else THEIRS
    return (
        f'<text x="{LEFT - 8}" y="{middle + 4}" text-anchor="end">{escape(bar.name)}</text>'
        f'<rect x="{LEFT}" y="{y}" width="{max(1.0, end - LEFT):.1f}" height="{THICK}"'
        f' fill="{colour}"/>'
        f'<path d="M{end:.1f} {middle}H{far:.1f}" stroke="{INK}"/>'
        f'<text x="{max(end, far) + 6:.1f}" y="{middle + 4}">{bar.value:.2f}</text>'
    )
