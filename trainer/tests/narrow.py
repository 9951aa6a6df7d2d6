"""Specs with few neurons, so that none needs gigabytes or seconds."""

import re
from pathlib import Path

from nnue_trainer import nnue

WIDTHS = (16, 32, 64)
"""Numbers of neurons, of which the parts of a spec may need more than the first."""


def narrowed(text: str, path: Path) -> Path:
    """Writes a spec to `path`, with as few neurons as its parts allow, or as it is."""
    for width in WIDTHS:
        path.write_text(_with_width(text, width))
        try:
            nnue.run("check", path)
            return path
        except nnue.CommandFailed:
            pass
    path.write_text(text)
    return path


def _with_width(text: str, width: int) -> str:
    """The spec with at most so many neurons, those besides that are not pooled."""
    if not re.search(r"\bwidth *=", text):
        # The spec that it is like has the width.
        transformer = "[transformer]\n"
        begin = text if transformer in text else f"{text}\n{transformer}"
        return begin.replace(transformer, f"{transformer}width = {width}\n")
    unpooled = re.search(r"^unpooled *= *(\d+)", text, re.MULTILINE)
    most = width + (int(unpooled[1]) if unpooled else 0)

    def narrower(found: re.Match[str]) -> str:
        return f"{found[1]}{min(int(found[2]), most)}"

    return re.sub(r"(\bwidth *= *)(\d+)", narrower, text)
