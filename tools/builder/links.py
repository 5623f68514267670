"""Look at a built site like a browser without a network: `problems` lists what is broken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# what a browser loads by itself; it only follows the link of an <a>
_LOADED = {("link", "href"), *((tag, "src") for tag in ("script", "img", "iframe", "source"))}
_ERRORS = {
    "traceback": "shows the error of a cell",
    "stderr": "shows what a cell wrote to stderr",
    "system-message": "shows an error of Sphinx",
}
_IN_CSS = re.compile(r"@import\s+\S+|url\(\s*[\"']?(?!data:)(?:\w+:|//)[^)]*\)")


class _Page(HTMLParser):
    """The names and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.wants: list[tuple[str, bool]] = []  # an address, and whether it is loaded at once
        self.errors: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep ids, addresses and marks of errors."""
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.names.add(value)
            elif name in ("href", "src") and value:
                self.wants.append((value, (tag, name) in _LOADED))
            elif name == "class" and value:
                self.errors += [_ERRORS[one] for one in value.split() if one in _ERRORS]


def problems(site: Path) -> list[str]:
    """List dead links and anchors, resources from other hosts, and errors on pages."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        said = [*page.errors, *_broken(path, page, pages)]
        found += [f"{path.relative_to(site).as_posix()}: {one}" for one in said]
    for path in sorted(site.rglob("*.css")):
        name, text = path.relative_to(site).as_posix(), path.read_text(encoding="utf-8")
        found += [f"{name}: loads {match[0]}" for match in _IN_CSS.finditer(text)]
    return found


def _broken(path: Path, page: _Page, pages: dict[Path, _Page]) -> Iterator[str]:
    for address, is_loaded in page.wants:
        parts = urlsplit(address)
        if parts.scheme == "data":
            continue
        if parts.scheme or parts.netloc:
            if is_loaded:
                yield f"loads {address}"
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.is_file():
            yield f"leads nowhere: {address}"
        elif target in pages and unquote(parts.fragment) not in {"", *pages[target].names}:
            yield f"no such place: {address}"
