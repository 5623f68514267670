"""CLAIMS.md: what the answers claim, a table for each claim below the command that wrote it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

PAGE = Path(__file__).with_name("CLAIMS.md")
HEAD = """# How often the answers are right

Each table is written by the command above it; do not edit. A share is one of trials in which the
truth is known; one in bold misses its goal by more than two standard errors. The page
[Methods](../docs/methods.md) says what each of them means for an answer.
"""


def sections(page: str) -> dict[str, str]:
    """Split a page into its sections, by heading."""
    parts = page.split("\n## ")[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2].strip("\n") for part in parts}


def write(title: str, command: str, lines: Iterable[str]) -> None:
    """Put a section into the page, in the place of the one of that title or at the end."""
    told = [*lines]  # which may take minutes, in which another command writes its section
    known = sections(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    today = datetime.now(UTC).date().isoformat()
    known[title] = "\n".join([f"`{command}`, {today}", "", *told])
    page = [HEAD, *(f"## {name}\n\n{text}\n" for name, text in known.items())]
    PAGE.write_text("\n".join(page), encoding="utf-8")
