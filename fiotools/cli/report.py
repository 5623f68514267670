"""`fiotools report`: the page with all findings."""

from __future__ import annotations

from pathlib import Path

from fiotools.cli import check, options, rows
from fiotools.cli.options import choice, command, option
from fiotools.cli.output import Trouble, say
from fiotools.tables import naming

_ENDINGS = (".html", ".htm")


@command(
    "report random-io-20261121-093000 -o report.html",
    "report campaigns/ -o report.html --title 'My disks'",
    "report old=old/ new=new/ -o report.html --ram 16GB --link pcie4-x4",
    "report 'data/{volume}.xml' --baseline vhdx -o report.html --lang ja",
)
def report(
    sources: list[str] = options.STORED_FILES,
    *,
    output: Path = option(
        "FILE.html",
        "The page: it needs no other file and no network. Written whole or not at all.",
        "-o",
        default=Path("report.html"),
    ),
    sides: options.Sides,
    metric: str | None = options.METRIC,
    by: list[str] | None = options.BY,
    known: check.Known,
    title: str | None = option("TEXT", "The title of the page."),
    question: str | None = option("TEXT", "The question that the page answers."),
    lang: options.Lang = choice("en", "The language of the plots."),
) -> int:
    """Write a page: the verdict in words, plots, credibility, how it was measured.

    FILES is the folder of a campaign of fiotools measure, a folder of several, or any files that
    fiotools read takes; without labels, each file or folder is a side.
    """
    if output.suffix.lower() not in _ENDINGS:
        raise Trouble(f"{output}: the page ends in .html", 2)
    check.refuse_nonsense(sides, known)
    from fiotools.reports.report import report as written

    made = written(
        rows.named(sources, "a report is of files that can be read again, and not of -"),
        output,
        between=sides.between,
        baseline=sides.baseline,
        metric=metric,
        by=naming.split(by) or None,
        title=title,
        question=question,
        lang=lang,
        **known.arguments(),
    )
    for name in made.unread:
        say(f"{name}: could not be read; the page says why")
    say(f"wrote {made.path}: {made.size / 1e6:.1f} MB")
    return 1 if made.unread else 0
