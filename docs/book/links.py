"""A preprocessor of mdBook: chapters of the whole repository, with links that lead somewhere.

Documents link to each other and to sources as GitHub resolves it. In the book, a link to a chapter
stays a link to the chapter, one to a spec opens it in the playground, and all others lead to the
repository. Whole specs in documents get a link to the playground, which holds their text; the
README of a crate gets a link to the documentation of its items.

`HAS_PLAYGROUND` says whether the site has the playground, `API` which crates it documents.
"""

import base64
import json
import os
import posixpath
import re
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def said(manifest: Path, key: str) -> str:
    """What a manifest of cargo says first by this key."""
    found = re.search(rf'^{key} = "(.*?)"', manifest.read_text(), re.MULTILINE)
    return found[1] if found else ""


REPOSITORY = said(ROOT / "Cargo.toml", "repository")
SITE = said(ROOT / "Cargo.toml", "homepage")

PLAYGROUND = "playground/index.html"
HAS_PLAYGROUND = bool(os.environ.get("HAS_PLAYGROUND"))
API = os.environ.get("API", "").split()

# The targets of links and pictures, and blocks of code, in which neither is one.
PART = re.compile(
    r"(?P<code>^```(?P<language>\w*).*?\n(?P<text>.*?)^```$)|\]\((?P<link>[^)\s]+)\)|"
    r'<img src="(?P<picture>[^"]+)"',
    re.DOTALL | re.MULTILINE,
)


def in_book(document: str) -> str:
    """The path of a chapter in the book."""
    return document.removeprefix("docs/").replace("README.md", "index.md")


def spec_link(spec: str) -> str:
    """The address of the playground with this spec, from the root of the site."""
    packed = zlib.compressobj(9, wbits=-15)
    compressed = packed.compress(spec.encode()) + packed.flush()
    encoded = base64.urlsafe_b64encode(compressed).decode().rstrip("=")
    return f"{PLAYGROUND}#spec={encoded}"


def is_whole(spec: str) -> bool:
    """Whether a block of TOML is a spec, and not some keys of one."""
    is_begun = re.match(r'(#.*\n|\n)*name = "', spec) is not None
    return is_begun and ("like = " in spec or "[file]" in spec)


class Links:
    """The links of one document."""

    def __init__(self, document: str, chapters: set[str]) -> None:
        self.document = document
        self.chapters = chapters

    def from_root(self, path: str) -> str:
        """A path of the site, as the document's page names it."""
        folder = posixpath.dirname(in_book(self.document))
        return posixpath.relpath(path, folder or ".")

    def of(self, target: str) -> str:
        """The link of the book that stands for a link of the document."""
        file, mark, section = target.partition("#")
        if target.startswith(SITE):
            page = (file.removeprefix(SITE).strip("/") or ".") + "/index.html"
            if page != PLAYGROUND or HAS_PLAYGROUND:
                return self.from_root(page) + mark + section
            return target
        in_repository = re.match(rf"{re.escape(REPOSITORY)}/(?:blob|tree)/main/", file)
        if in_repository:
            path = file[in_repository.end() :]
        elif "://" in file or not file:
            return target
        else:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(self.document), file))
        if (ROOT / path / "README.md").is_file() and f"{path}/README.md" in self.chapters:
            path = f"{path}/README.md"
        if path in self.chapters:
            return self.from_root(in_book(path)) + mark + section
        if path.startswith("docs/pictures/"):
            return self.from_root(path.removeprefix("docs/"))
        name = posixpath.basename(path)
        if HAS_PLAYGROUND and path.startswith("specs/") and name.endswith(".toml"):
            net = name.removesuffix(".toml")
            return self.from_root(PLAYGROUND) + f"#net={net}"
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        return f"{REPOSITORY}/{kind}/main/{path}{mark}{section}"

    def opening(self) -> str:
        """What stands below the title: where the site has more than the document."""
        folder = ROOT / posixpath.dirname(self.document)
        if self.document == "examples/web/README.md" and HAS_PLAYGROUND:
            return f"[**Open the playground**]({self.from_root(PLAYGROUND)})\n\n"
        manifest = folder / "Cargo.toml"
        package = said(manifest, "name") if manifest.exists() else ""
        if package in API:
            page = f"api/{package.replace('-', '_')}/index.html"
            return f"[**Documentation of its items**]({self.from_root(page)})\n\n"
        return ""

    def replace(self, part: re.Match[str]) -> str:
        """A link, picture or block of code of the document, as the book has it."""
        if code := part["code"]:
            spec = part["text"]
            if not (HAS_PLAYGROUND and part["language"] == "toml" and is_whole(spec)):
                return code
            return f"{code}\n\n[Open in the playground]({self.from_root(spec_link(spec))})\n"
        if target := part["link"]:
            return f"]({self.of(target)})"
        return f'<img src="{self.of(part["picture"])}"'


def each_chapter(items: list[Any], visit: Callable[[dict[str, Any]], None]) -> None:
    """Calls a function for each chapter that has a document."""
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter:
            if chapter["path"]:
                visit(chapter)
            each_chapter(chapter["sub_items"], visit)


def main() -> None:
    """Reads a book as mdBook writes it, and writes it back."""
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)
    items = book["items"]
    chapters: set[str] = set()

    def name(chapter: dict[str, Any]) -> None:
        chapter["source_path"] = posixpath.normpath(posixpath.join("docs", chapter["source_path"]))
        chapters.add(chapter["source_path"])

    def rewrite(chapter: dict[str, Any]) -> None:
        document = chapter["source_path"]
        chapter["path"] = in_book(document)
        links = Links(document, chapters)
        title, end, text = PART.sub(links.replace, chapter["content"]).partition("\n\n")
        chapter["content"] = title + end + links.opening() + text

    each_chapter(items, name)
    each_chapter(items, rewrite)
    unlisted = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} - chapters
    unlisted.remove("docs/SUMMARY.md")
    if unlisted:
        sys.exit(f"docs/SUMMARY.md does not name {', '.join(sorted(unlisted))}")
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
