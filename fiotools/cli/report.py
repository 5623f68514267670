"""`fiotools report`: the page with all findings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fiotools.cli import check, sources
from fiotools.cli.output import Trouble, say

_ENDINGS = (".html", ".htm")


def report(stored: Sequence[str], *, asked: dict[str, Any]) -> int:
    """Write a page: the verdict in words, plots, credibility, how it was measured.

    FILES is the folder of a campaign of fiotools measure, a folder of several, or any files that
    fiotools read takes; without labels, each file or folder is a side. The page needs no other file
    and no network.
    """
    output = asked.get("output", "report.html")
    if Path(output).suffix.lower() not in _ENDINGS:
        raise Trouble(f"{output}: the page ends in .html", 2)
    check.refuse_nonsense(asked)
    from fiotools.reports.report import report as written

    files = sources.named(stored, "a report is of files that can be read again, and not of -")
    made = written(files, **asked)
    for name in made.unread:
        say(f"{name}: could not be read; the page says why")
    say(f"wrote {made.path}: {made.size / 1e6:.1f} MB")
    return 1 if made.unread else 0
