"""Curves of a run as a picture: an SVG of its own, so that nothing else is needed to draw it."""

from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 200
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 30, 30
COLOURS = ("#1f77b4", "#d62728")


def draw(title, panels, end):
    """An SVG with a diagram for each of `panels`, one above the other.

    A panel is `(name, curves)`, and `curves` is `{name: [(x, y), ...]}`. All have the same axis from
    0 to `end`, which is in positions. Numbers that are None are left out.
    """
    height = 30 + len(panels) * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="11" fill="#333">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="14">{escape(title)}</text>',
    ]
    for index, (name, curves) in enumerate(panels):
        parts += _panel(name, curves, end, 30 + index * HEIGHT)
    return "\n".join([*parts, "</svg>\n"])


def _panel(name, curves, end, top):
    curves = {label: [(x, y) for x, y in points if y is not None] for label, points in curves.items()}
    values = [y for points in curves.values() for _, y in points]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if low == high:
        low, high = low - abs(low) / 2, high + abs(high) / 2 or 1.0
    bottom = top + HEIGHT - BOTTOM

    def place(x, y):
        right = LEFT + (WIDTH - LEFT - RIGHT) * x / max(end, 1)
        return f"{right:.1f},{bottom - (bottom - top - TOP) * (y - low) / (high - low):.1f}"

    parts = [f'<text x="{LEFT}" y="{top + 18}" font-weight="bold">{escape(name)}</text>']
    for share in (0, 0.5, 1):
        value = low + (high - low) * share
        x, y = place(0, value).split(",")
        parts.append(f'<line x1="{x}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y}" text-anchor="end" dy="4">{value:.4g}</text>')
        x, y = place(end * share, low).split(",")
        parts.append(f'<text x="{x}" y="{bottom + 14}" text-anchor="middle">{_count(end * share)}</text>')
    for index, (label, points) in enumerate(curves.items()):
        colour = COLOURS[index % len(COLOURS)]
        line = " ".join(place(x, y) for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        right = WIDTH - RIGHT - 90 * (len(curves) - 1 - index)
        parts.append(f'<text x="{right}" y="{top + 18}" text-anchor="end" fill="{colour}">{escape(label)}</text>')
    return parts


def _count(positions):
    """A number of positions in a few characters."""
    for unit, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if positions >= unit:
            return f"{positions / unit:.3g}{letter}"
    return f"{positions:.3g}"
