"""What the pages share."""

from __future__ import annotations

from collections.abc import Iterable


def row(cells: Iterable[str]) -> str:
    """Write a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def written_from(what: str) -> str:
    """Say where a page comes from."""
    return f"*Written by `python3 tasks.py docs` from {what}; do not edit.*"
