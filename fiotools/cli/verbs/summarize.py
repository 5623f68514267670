"""`fiotools summarize`: where the runs of each group lie, and how far apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiotools.cli import files, options, rows
from fiotools.cli.answer import give
from fiotools.cli.command import Command
from fiotools.display import cells, columns
from fiotools.display.sheet import Sheet, Shown, grouped, places, shown
from fiotools.schema import ANSWERS

if TYPE_CHECKING:
    import polars as pl


def summarize(
    sources: options.Files,
    *,
    metric: options.Metric = None,
    by: options.By = None,
    kept: options.Rows,
    confidence: options.Confidence = 0.95,
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
    give(answer, format, _sheet)
    return read.code


def _sheet(frame: pl.DataFrame) -> Sheet:
    by = [name for name in columns.of(frame) if name not in ANSWERS["summarize"]]
    unit, metric = str(frame["unit"][0] or ""), str(frame["metric"][0])
    like = max(frame["max"])

    def amounts(name: str, keep: int) -> Shown:
        texts = cells.column([*frame[name], like], name, unit)[0][:-1]  # one prefix for all
        return Shown(name, texts, right=True, keep=keep)

    percent = f"{frame['confidence'][0]:.0%}"
    made = [
        *shown(frame, by, keep=lambda _: 10),
        Shown("n", [str(n) for n in frame["n"]], right=True, keep=9),
    ]
    for name in ("median", "mean"):
        made.append(amounts(name, 8))
        ends = zip(frame[f"{name}_lo"], frame[f"{name}_hi"], strict=True)
        texts = [cells.interval(low, high, unit, like) for low, high in ends]
        if any(texts):
            made.append(Shown(f"{percent} of {name}", texts, keep=7))
    spread = [cells.cell(value, "%") for value in frame["cov_pct"]]
    if max(frame["n"]) > 1:
        made += [
            Shown("cov", spread, right=True, keep=6),
            amounts("min", 5),
            amounts("max", 5),
        ]
    if frame["outliers"].sum():
        made.append(Shown("outliers", [str(n) for n in frame["outliers"]], right=True, keep=7))
    where = places(made[: len(by)])
    notes = [f"not named, and varies: {said}" for said in grouped(frame["varies_in"], where)]
    notes += grouped(frame["warnings"], where)
    of = ", ".join(map(columns.short, by))
    return Sheet(
        made, f"{columns.short(metric)} of the runs" + (f" of each {of}" * bool(of)), notes
    )


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
