"""`fiotools summarize`: where the runs of each group lie, and how far apart."""

from __future__ import annotations

from fiotools.cli import files, options, rows
from fiotools.cli.answer import give
from fiotools.cli.command import Command
from fiotools.display import columns, layout
from fiotools.display.frame import Frame


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
    give(format, lambda: answer, lambda: layout.sheet(Frame(answer)), output, read)
    return read.code


COMMAND = Command(
    summarize,
    (
        "summarize 'runs/*.json' --metric iops --by direction",
        "summarize 'data/{volume}.xml' --metric lat_mean --by volume,direction",
        "summarize one.json two.json --metric iops --by label,direction",
        "summarize times.txt --metric real --format json",
        "summarize run.json --metric iops --where direction=read --combine run",
    ),
)
