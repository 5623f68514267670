"""`fiotools report` and `figures`: the page with all findings, and a project's notebooks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fiotools.cli import check, sources
from fiotools.cli.output import Trouble, say
from fiotools.files import needed

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


def figures(notebooks: Sequence[str] = (), *, jobs: int = 2, lang: str | None = None) -> int:
    """Execute the notebooks of this folder, which write figures/; unchanged plots are kept.

    Parameters
    ----------
    notebooks : sequence of str
        All of notebooks/ by default.
    jobs : int
        Notebooks at a time.
    lang : str, optional
        The language of the plots: en, or ja, which go to figures/ja/; the notebooks stay.
    """
    lang = lang or os.environ.get("LANG_FIGURES", "en")
    for name in notebooks:
        if not Path(name).is_file():
            raise Trouble(f"{name}: no such notebook")
    if not notebooks and not any(Path("notebooks").glob("*.ipynb")):
        raise Trouble(
            "there are no notebooks/*.ipynb here: go to a project that has them; "
            "fiotools plot draws your own files"
        )
    runner = needed("fiotools.articles.notebooks", "figures", "notebooks")
    code: int = runner.main([*notebooks, "--jobs", str(jobs), "--lang", lang])
    return code
