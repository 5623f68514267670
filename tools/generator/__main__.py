"""Write the pages of ``docs/``: ``python -m tools.generator``, from the project's root."""

import sys

from tools.generator import columns_page, formats_page, rooms, walk_page
from tools.generator.filled import DOCS

PAGES = {
    "columns.md": columns_page.render,
    "formats.md": formats_page.render,
    "rooms.svg": rooms.render,
    "walk.md": walk_page.render,
}


def main() -> int:
    """Write the pages that changed."""
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        changed = not path.exists() or path.read_text(encoding="utf-8") != text
        if changed:
            path.write_text(text, encoding="utf-8", newline="\n")
        print(f"docs/{name}: {'rewritten' if changed else 'unchanged'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
