"""`fiotools report`: one page that says what was found, how sure it is, and how it was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiotools.cli import check_options, files, options
from fiotools.cli.command import Command
from fiotools.cli.options import option
from fiotools.cli.output import Trouble, say
from fiotools.display import columns

_ENDINGS = (".html", ".htm")


def report(
    sources: options.Files,
    *,
    output: Annotated[
        Path,
        option(
            "FILE.html",
            "The page: it needs no other file and no network. Written whole or not at all.",
            "--output",
            "-o",
        ),
    ] = Path("report.html"),
    sides: options.Sides,
    metric: options.Metric = None,
    by: options.By = None,
    known: check_options.Known,
    title: Annotated[str | None, option("TEXT", "Of the page.")] = None,
    question: Annotated[str | None, option("TEXT", "What the page is to answer.")] = None,
    lang: options.Lang = "en",
    template: Annotated[
        Path | None, option("FILE.ipynb", "A changed copy of notebooks/own-data.ipynb.")
    ] = None,
    notebook: Annotated[
        Path | None,
        option("FILE.ipynb", "Write the executed notebook too, to go on with in JupyterLab."),
    ] = None,
) -> int:
    """Write a page: the verdict in words, figures, whether it can be true, how it was measured.

    FILES is the folder of a campaign of fiotools measure, a folder that holds several, or whatever
    fiotools read takes; without labels, each file or sub-folder is a side.
    """
    if output.suffix.lower() not in _ENDINGS:
        raise Trouble(f"{output}: the page ends in .html", 2)
    check_options.refuse_nonsense(sides, known)
    from fiotools.progress import bar
    from fiotools.reports.report import report as written

    with bar(desc="reporting", unit=" cells") as line:

        def step(number: int, of: int) -> None:
            line.total = of
            line.update(number - line.n)

        made = written(
            files.named(sources, "a report is of files that can be read again, and not of -"),
            output,
            between=sides.between,
            baseline=sides.baseline,
            metric=metric,
            by=columns.split(by) or None,
            title=title,
            question=question,
            lang=lang,
            template=template,
            notebook=notebook,
            step=step,
            **known.arguments(),
        )
    for name in made.unread:
        say(f"{name}: could not be read; the page says why")
    say(f"wrote {made.path}: {made.size / 1e6:.1f} MB")
    return 1 if made.unread else 0


COMMAND = Command(
    report,
    (
        "report random-io-20261121-093000 -o report.html",
        "report campaigns/ -o report.html --title 'My disks'",
        "report old=old/ new=new/ -o report.html --ram 16GB --link pcie4-x4",
        "report 'data/{volume}.xml' --baseline vhdx -o report.html --lang ja",
        "report runs/ --template my.ipynb --notebook made.ipynb",
    ),
)
