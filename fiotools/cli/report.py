"""`fiotools report` and `figures`: the page with all findings, and a project's notebooks."""

from __future__ import annotations

from pathlib import Path

import typer

from fiotools.cli import check, options, rows
from fiotools.cli.options import choice, command, option
from fiotools.cli.output import Trouble, say
from fiotools.files import needed
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


@command(
    "figures",
    "figures notebooks/00-first-look.ipynb",
    "figures --lang ja",
)
def figures(
    notebooks: list[str] | None = typer.Argument(
        None, metavar="NOTEBOOK", help="Default: all of notebooks/."
    ),
    jobs: int = option("N", "Notebooks at a time.", default=2, min=1),
    lang: str = option(
        "LANG",
        "The language of the plots: en, or ja, which go to figures/ja/; the notebooks stay.",
        default="en",
        envvar="LANG_FIGURES",
    ),
) -> int:
    """Execute the notebooks of this folder, which write figures/; unchanged plots are kept."""
    for name in notebooks or []:
        if not Path(name).is_file():
            raise Trouble(f"{name}: no such notebook")
    if not notebooks and not any(Path("notebooks").glob("*.ipynb")):
        raise Trouble(
            "there are no notebooks/*.ipynb here: go to a project that has them; "
            "fiotools plot draws your own files"
        )
    runner = needed("fiotools.articles.notebooks", "figures", "notebooks")
    code: int = runner.main([*(notebooks or []), "--jobs", str(jobs), "--lang", lang])
    return code
