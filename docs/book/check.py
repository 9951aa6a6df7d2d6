"""Checks the book that mdBook has written: each link within the site leads to a page and a section.

The pages of `api` and `playground` are only led to: their own tools write their links.
"""

import base64
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

NOT_OURS = ("api", "playground")


class Page(HTMLParser):
    """What a page is linked by, what it links to, and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.sections: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keeps the names and the targets of an element."""
        for name, value in attrs:
            if name == "id" and value:
                self.sections.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)

    def handle_data(self, data: str) -> None:
        """Keeps text, in which the specs of links must be."""
        self.text += data


def spec_of(encoded: str) -> str | None:
    """The spec in an address of the playground, if there is one."""
    try:
        compressed = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
        return zlib.decompress(compressed, wbits=-15).decode()
    except (ValueError, zlib.error):
        return None


def problem(site: Path, pages: dict[Path, Page], page: Path, link: str) -> str | None:
    """What is wrong with a link of a page, if anything is."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    if parts.path.startswith("/"):
        return "begins at the root of the server"
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "leads to no file"
    section = unquote(parts.fragment)
    if target.parent == site / "playground":
        if section.startswith("spec="):
            spec = spec_of(section.removeprefix("spec="))
            if not spec or spec not in pages[page].text:
                return "has another spec than the page"
    elif section and target in pages and section not in pages[target].sections:
        return "leads to no section"
    return None


def main() -> None:
    """Checks the site in the folder that is named."""
    site = Path(sys.argv[1]).resolve()
    paths = (path for path in site.rglob("*.html"))
    pages = {path: Page(path) for path in paths if path.relative_to(site).parts[0] not in NOT_OURS}
    links = [(path, link) for path, page in pages.items() for link in page.links]
    problems = [
        f"{path.relative_to(site)}: `{link[:80]}` {what}"
        for path, link in links
        if (what := problem(site, pages, path, link))
    ]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(pages)} pages, {len(links)} links")
    if len(links) < 1000:
        sys.exit("these are too few: the pages are misread")


if __name__ == "__main__":
    main()
