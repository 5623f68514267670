"""`fiotools summarize` and `plan`: where the runs of each group lie, and how many it takes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fiotools.cli import files, options, rows
from fiotools.cli.answer import give
from fiotools.cli.options import column, command, option
from fiotools.cli.output import Trouble
from fiotools.display import columns, layout


@command(
    "summarize 'runs/*.json' --metric iops --by direction",
    "summarize 'data/{volume}.xml' --metric lat_mean --by volume,direction",
    "summarize one.json two.json --metric iops --by label,direction",
    "summarize times.txt --metric real --format json",
    "summarize run.json --metric iops --where direction=read --combine run",
)
def summarize(
    sources: options.Files,
    *,
    metric: options.Metric = None,
    by: options.By = None,
    kept: options.Rows,
    confidence: options.Confidence = 0.95,
    output: options.Output = None,
    format: options.Format = "table",
    read_as: options.ReadAs,
) -> int:
    """Summarize the runs of each group: median and mean with intervals, spread, outliers."""
    from fiotools.stats.summary import summarize as summary

    names = columns.split(by)
    label = "label" in names  # the files themselves are the groups
    read = files.read_all(sources, read_as, label=label)
    frame, name = rows.asked(read.results, metric, kept.table)
    frame = rows.complete(rows.kept(frame, kept), kept, name)
    groups = [columns.full(column, frame) for column in names]
    chosen = None if kept.combine else kept.scope
    answer = summary(frame, name, by=groups or None, scope=chosen, confidence=confidence)
    give(format, lambda: answer, lambda: layout.sheet(answer), output, read)
    return read.code


Pilot = Annotated[
    list[str] | None,
    typer.Argument(metavar="[FILES]", help="Earlier runs, as for summarize.", show_default=False),
]
Shares = Annotated[
    list[float] | None,
    option("SHARE", "A difference: 0.05 for 5 %. Repeatable; by default 0.02, 0.05, 0.1."),
]
Powers = Annotated[
    list[float] | None,
    option("SHARE", "The chance to find the difference. Repeatable; by default 0.8, 0.9."),
]


@command(
    "plan --cv 0.03",
    "plan 'runs/{filesystem}_{bs}_{round:d}.json' --metric iops --between bs --difference 0.05",
    "plan --cv 0.03 --comparisons 12 --power 0.8 --format csv",
)
def plan(
    sources: Pilot = None,
    *,
    cv: Annotated[
        float | None, option("SHARE", "Without files: the variation of runs, 0.03 for 3 %.")
    ] = None,
    metric: options.Metric = None,
    between: Annotated[str | None, column("The column that holds the sides of the pilot.")] = None,
    by: options.By = None,
    pair: Annotated[str | None, column("The column that pairs runs: round.")] = None,
    difference: Shares = None,
    power: Powers = None,
    comparisons: Annotated[int, option("N", "The number of comparisons in the answer.", min=1)] = 1,
    confidence: options.Confidence = 0.95,
    kept: options.Rows,
    format: options.Format = "table",
    read_as: options.ReadAs,
) -> int:
    """Plan a comparison: the number of runs a side, from the spread of earlier runs."""
    from fiotools.stats.plan import plan as planned
    from fiotools.tables.columns import of_pandas

    if (cv is None) == (not sources):
        raise Trouble("give either earlier runs or --cv", 2)
    asked: dict[str, Any] = {
        "differences": difference or (0.02, 0.05, 0.1),
        "power": power or (0.8, 0.9),
        "confidence": confidence,
        "comparisons": comparisons,
    }
    code = 0
    if sources:
        groups, sides = columns.split(by), columns.split([between] if between else None)
        read = files.read_all(sources, read_as, label="label" in (*groups, *sides))
        frame, name = rows.asked(read.results, metric, kept.table)
        frame, code = rows.complete(rows.kept(frame, kept), kept, name), read.code
        answer = planned(
            frame,
            name,
            between=columns.full(between, frame) if between else None,
            by=[columns.full(column, frame) for column in groups] or None,
            pair=columns.full(pair, frame) if pair else None,
            scope=None if kept.combine else kept.scope,
            **asked,
        )
    else:
        answer = of_pandas(planned(cv, **asked))
    give(format, lambda: answer, lambda: layout.sheet(answer))
    return code
