"""Compares the blocks of `unsafe` that no test has run with those that unrun.txt has a reason for.

`tests/sanitizers/run unsafe` calls it with the counts of all lines, in lcov's format.
"""

import re
import sys
from collections import Counter
from pathlib import Path

PROJECT = Path(__file__).parent.parent.parent
LISTED = Path(__file__).with_name("unrun.txt")
BLOCK = re.compile(r"\bunsafe\s*\{")


def counted(lcov: Path) -> dict[Path, dict[int, int]]:
    """How often each line of each file was run. What was not compiled is missing."""
    files: dict[Path, dict[int, int]] = {}
    lines: dict[int, int] = {}
    for record in lcov.read_text().splitlines():
        kind, _, rest = record.partition(":")
        if kind == "SF":
            lines = files.setdefault(Path(rest), {})
        elif kind == "DA":
            line, count = (int(part) for part in rest.split(",")[:2])
            lines[line] = max(lines.get(line, 0), count)
    return files


def unrun(files: dict[Path, dict[int, int]]) -> tuple[Counter[str], int]:
    """The blocks that were not run, as lines of unrun.txt, and how many were."""
    found: Counter[str] = Counter()
    run = 0
    for path in sorted((PROJECT / "nnue-runtime").glob("**/src/**/*.rs")):
        name = path.relative_to(PROJECT)
        counts = files.get(path, {})
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.lstrip().startswith("//") or not BLOCK.search(line):
                continue
            if not counts:
                found[f"{name}: *"] = 1
            # What follows `unsafe {` may be counted on the next line.
            elif counts.get(number) or counts.get(number + 1):
                run += 1
            else:
                found[f"{name}: {line.strip()}"] += 1
    return found, run


def listed() -> Counter[str]:
    """What unrun.txt has: reasons are indented."""
    lines = LISTED.read_text().splitlines()
    return Counter(line for line in lines if line and not line.startswith(("#", " ")))


def main() -> None:
    """Prints the differences, and exits with 1 if there are any."""
    found, run = unrun(counted(Path(sys.argv[1])))
    expected = listed()
    for line in (found - expected).elements():
        print(f"not run, and not in {LISTED.name}: {line}")
    for line in (expected - found).elements():
        print(f"in {LISTED.name}, but run, or no longer there: {line}")
    print(f"{run} blocks were run")
    sys.exit(found != expected)


if __name__ == "__main__":
    main()
