"""Curves of a run as a picture: an SVG of its own, so that nothing else is needed to draw it."""

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from xml.sax.saxutils import escape

Curves = Mapping[str, Sequence[tuple[float, float]]]
"""The points of each curve by its name."""

WIDTH, HEIGHT = 720, 200
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 30, 30
LINE, CHARACTERS = 14, 110
WARNING = "#b00"
COLOURS = ("#1f77b4", "#d62728")


def draw(
    title: str,
    panels: Sequence[tuple[str, bool, Curves]],
    end: float,
    warnings: Sequence[str] = (),
) -> str:
    """An SVG with a diagram for each of `panels`, one above the other, and `warnings` above them.

    A panel is `(name, is_logarithmic, curves)`, and `curves` is `{name: [(x, y), ...]}`. Values are
    shown from 0, or on a logarithmic scale on which only those above 0 are. All panels have the
    same axis from 0 to `end`, which is in positions.
    """
    lines = [line for warning in warnings for line in textwrap.wrap(warning, CHARACTERS)]
    first = 30 + LINE * len(lines)
    height = first + len(panels) * HEIGHT
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            'font-family="sans-serif" font-size="11" fill="#333">'
        ),
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="14">{escape(title)}</text>',
    ]
    for index, line in enumerate(lines):
        parts.append(
            f'<text x="{LEFT}" y="{36 + LINE * index}" fill="{WARNING}">{escape(line)}</text>'
        )
    for index, (name, is_logarithmic, curves) in enumerate(panels):
        parts += _panel(name, is_logarithmic, curves, end, first + index * HEIGHT)
    return "\n".join([*parts, "</svg>\n"])


def _panel(name: str, is_logarithmic: bool, curves: Curves, end: float, top: float) -> list[str]:
    scale: Callable[[float], float] = math.log if is_logarithmic else float
    value_at: Callable[[float], float] = math.exp if is_logarithmic else float
    curves = {
        label: [(x, scale(y)) for x, y in points if y > 0 or not is_logarithmic]
        for label, points in curves.items()
    }
    heights = [height for points in curves.values() for _, height in points]
    low = min(heights, default=0.0) if is_logarithmic else min([*heights, 0.0])
    high = max(heights, default=1.0)
    if low >= high:
        high = low + 1.0
    bottom = top + HEIGHT - BOTTOM

    def place(x: float, height: float) -> str:
        right = LEFT + (WIDTH - LEFT - RIGHT) * x / max(end, 1)
        return f"{right:.1f},{bottom - (bottom - top - TOP) * (height - low) / (high - low):.1f}"

    parts = [f'<text x="{LEFT}" y="{top + 18}" font-weight="bold">{escape(name)}</text>']
    for share in (0, 0.5, 1):
        height = low + (high - low) * share
        x, y = place(0, height).split(",")
        parts.append(f'<line x1="{x}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        parts.append(
            f'<text x="{LEFT - 6}" y="{y}" text-anchor="end" '
            f'dy="4">{_short(value_at(height))}</text>'
        )
        x, y = place(end * share, low).split(",")
        parts.append(
            f'<text x="{x}" y="{bottom + 14}" text-anchor="middle">{_short(end * share)}</text>'
        )
    for index, (label, points) in enumerate(curves.items()):
        colour = COLOURS[index % len(COLOURS)]
        line = " ".join(place(x, y) for x, y in points)
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        )
        right = WIDTH - RIGHT - 90 * (len(curves) - 1 - index)
        parts.append(
            f'<text x="{right}" y="{top + 18}" text-anchor="end" '
            f'fill="{colour}">{escape(label)}</text>'
        )
    return parts


def _short(number: float) -> str:
    """A number in a few characters."""
    for unit, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= unit:
            return f"{number / unit:.3g}{letter}"
    return f"{number:.3g}"
