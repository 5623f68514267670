"""`fiotools compare` and `speedup`, `summarize` and `plan`: what the runs say, and how surely."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import typer

from fiotools.cli import options, rows
from fiotools.cli.options import choice, column, command, flag, option
from fiotools.cli.output import Trouble, give, give_gate, say, wrong_command
from fiotools.display import layout
from fiotools.tables import naming

if TYPE_CHECKING:
    import polars as pl

    from fiotools.display.columns import Sheet


def compared(
    statistic: Callable[..., pl.DataFrame], read: rows.Reading, asked: options.ComparisonOptions
) -> pl.DataFrame:
    """Call `compare` or `speedup`, which have the same arguments."""
    kept, sides, judging = asked.kept, asked.sides, asked.judging
    frame, name = rows.asked(read, asked.metric, kept, sides.between, judging.pair, *asked.by or ())
    frame = rows.complete(frame, kept, name, read.between(frame, sides.between))
    arguments = {
        **vars(judging),
        **read.question(frame, sides, asked.by, judging.pair),
        "scope": kept.own_scope,
        "settings": read.settings_of(frame),
    }
    with read.working("comparing"):
        return statistic(frame, name, **arguments)


def sheet(answer: pl.DataFrame) -> Sheet:
    """Lay out an answer, and tell what to type for more."""
    made = layout.sheet(answer)
    if "settings_differ" not in answer:  # it is of the settings themselves
        return made
    if answer["settings_differ"].null_count() < len(answer):
        made.notes.append("fiotools compare FILES --settings shows the options that differ")
    if answer["n"].max() == 1 == answer["n_baseline"].max():
        made.notes.append("give several runs a side as NAME='FILES', such as new='new/*.json'")
    return made


def differences(read: rows.Reading, sides: options.Sides) -> pl.DataFrame:
    """List the differences of the sides: options, the tool, the machine that ran it."""
    import polars as pl

    from fiotools.stats.settings import settings_diff

    settings, runs = read.table("settings"), read.table("runs")
    if not len(settings):
        raise Trouble("these files hold no settings")
    settings = read.with_runs(settings, [sides.between])
    between = naming.found(read.between(settings, sides.between), settings, "--between")
    baseline = read.baseline(settings, between, sides.baseline)
    if between in runs:
        told = set(settings[between])
        for name in runs[between].drop_nulls().unique(maintain_order=True):
            if name not in told:
                words = f"the files of {between} {name} hold no settings"
                if name == baseline or len(told) < 2:
                    raise Trouble(words)
                say(words)
    everything = pl.concat([settings, *_of_runs(runs, settings)], how="diagonal")
    return settings_diff(everything, between=between, baseline=baseline)


def _of_runs(runs: pl.DataFrame, like: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the tool and the machine of each run as if they were options."""
    import polars as pl

    # with its name: versions 3.4 and 3.40 alone would be equal numbers
    tools = (runs["tool"] + " " + runs["tool_version"].fill_null("")).str.strip_chars_end()
    whose = runs.select(name for name in like.columns if name in runs)
    for name, texts in (("tool", tools), ("host", runs["host"])):
        given = whose.with_columns(pl.lit(name).alias("option"), texts.alias("text"))
        yield given.drop_nulls("text")


@command(
    "compare single.json mirror.json --metric iops --by direction",
    "compare one='one/*.json' two='two/*.json' --metric lat_mean --where direction=read",
    "compare 'data/{volume}.xml' --baseline vhdx --metric iops --by direction",
    "compare old/ new/ --metric bw --by direction,bs --combine run --format markdown",
    "compare single.json mirror.json --settings",
    "compare old='old/*.json' new='new/*.json' --metric iops --fail-if slower:5%",
)
def compare(
    sources: list[str] = options.FILES,
    *,
    asked: options.ComparisonOptions,
    settings: bool = flag("Show the settings in which the sides differ instead."),
    fail_if: list[str] | None = option(
        "RULE",
        "Exit with 4 if a rule is broken: slower:5%, 'p99 slower:10%', not-same. Repeatable.",
    ),
    output: str | None = options.OUTPUT,
    format: Literal["table", "json", "csv", "markdown", "junit", "github"] = choice(
        "table", "json and csv: every column; junit and github: for --fail-if.", "-f"
    ),
    read_as: options.ReadAs,
) -> int:
    """Compare the sides: the ratio, its interval, and a verdict in words.

    Each file is a side, named after its path. If a side has several runs, give a folder, a quoted
    glob or NAME=FILES for each side; or one path template, whose field names the sides.
    """
    if format in ("junit", "github") and not fail_if:
        raise Trouble(f"--format {format} is for rules: add --fail-if slower:5%", 2)
    rules = _rules(fail_if, asked.metric) if fail_if else {}
    read = rows.read_all(sources, read_as, label=True)
    if rules:
        return _held(read, asked, rules, format) or read.code
    if settings:
        answer = differences(read, asked.sides)
    else:
        from fiotools.stats.compare import compare as statistic

        answer = compared(statistic, read, asked)
    give(format, lambda: answer, lambda: sheet(answer), output, read.results)
    return read.code


def _rules(given: list[str], metric: str | None) -> dict[str, list[str]]:
    """Sort the rules by their metrics."""
    from fiotools.stats.gate import Rule

    found: dict[str, list[str]] = {}
    for text in given:
        with wrong_command():
            own = Rule.of(text).metric or metric
        if own is None:
            raise Trouble(f"name the metric: --metric iops, or --fail-if 'iops {text}'", 2)
        found.setdefault(own, []).append(text)
    return found


def _held(
    read: rows.Reading, asked: options.ComparisonOptions, rules: dict[str, list[str]], format: str
) -> int:
    """Compare, check the answer against the rules, and report the broken ones."""
    import polars as pl

    from fiotools.stats.compare import compare as statistic
    from fiotools.stats.gate import gate

    held = []
    for metric, texts in rules.items():
        answer = compared(statistic, read, replace(asked, metric=metric))
        held.append(gate(answer, texts))
        if format in ("table", "markdown"):
            give(format, lambda: answer, lambda: sheet(answer))  # noqa: B023
    return give_gate(pl.concat(held), format)


@command(
    "speedup 'page-cache/{cache}.txt' --baseline before --metric real",
    "speedup old='old/*.txt' new='new/*.txt' --metric real",
    "speedup 'data/{volume}.xml' --baseline vhdx --metric lat_mean --by direction",
)
def speedup(
    sources: list[str] = options.FILES,
    *,
    asked: options.ComparisonOptions,
    output: str | None = options.OUTPUT,
    format: options.Form = options.FORMAT,
    read_as: options.ReadAs,
) -> int:
    """Do the same as `compare`, as times faster: above 1 is better."""
    from fiotools.stats.compare import speedup as statistic

    read = rows.read_all(sources, read_as, label=True)
    answer = compared(statistic, read, asked)
    give(format, lambda: answer, lambda: sheet(answer), output, read.results)
    return read.code


@command(
    "summarize 'runs/*.json' --metric iops --by direction",
    "summarize 'data/{volume}.xml' --metric lat_mean --by volume,direction",
    "summarize one.json two.json --metric iops --by label,direction",
    "summarize times.txt --metric real --format json",
    "summarize run.json --metric iops --where direction=read --combine run",
)
def summarize(
    sources: list[str] = options.FILES,
    *,
    metric: str | None = options.METRIC,
    by: list[str] | None = options.BY,
    kept: options.RowFilter,
    confidence: float = options.CONFIDENCE,
    output: str | None = options.OUTPUT,
    format: options.Form = options.FORMAT,
    read_as: options.ReadAs,
) -> int:
    """Summarize the runs of each group: median and mean with intervals, spread, outliers."""
    from fiotools.stats.summary import summarize as summary

    label = "label" in naming.split(by)  # the files themselves are the groups
    read = rows.read_all(sources, read_as, label=label)
    frame, name = rows.asked(read, metric, kept, *by or ())
    frame = rows.complete(frame, kept, name)
    groups = naming.fulls(by, frame)
    answer = summary(frame, name, by=groups, scope=kept.own_scope, confidence=confidence)
    give(format, lambda: answer, lambda: layout.sheet(answer), output, read.results)
    return read.code


def planned(
    read: rows.Reading,
    metric: str | None,
    kept: options.RowFilter,
    between: str | None,
    by: list[str] | None,
    pair: str | None,
    **asked: Any,
) -> pl.DataFrame:
    """Plan a comparison by the spread of the runs that were read."""
    from fiotools.stats.plan import plan

    frame, name = rows.asked(read, metric, kept, between, pair, *by or ())
    told: pl.DataFrame = plan(
        rows.complete(frame, kept, name),
        name,
        between=naming.full(between, frame) if between else None,
        by=naming.fulls(by, frame),
        pair=naming.full(pair, frame) if pair else None,
        scope=kept.own_scope,
        **asked,
    )
    return told


@command(
    "plan --cv 0.03",
    "plan 'runs/{filesystem}_{bs}_{round:d}.json' --metric iops --between bs --difference 0.1",
    "plan --cv 0.03 --comparisons 12 --power 0.8 --format csv",
)
def plan(
    sources: list[str] | None = typer.Argument(
        None, metavar="FILES", help="Earlier runs, as for summarize.", show_default=False
    ),
    *,
    cv: float | None = option("SHARE", "Without files: the variation of runs, 0.03 for 3 %."),
    metric: str | None = options.METRIC,
    between: str | None = column("The column that holds the sides of the pilot."),
    by: list[str] | None = options.BY,
    pair: str | None = column("The column that pairs runs: round."),
    difference: list[float] | None = option(
        "SHARE", "A difference: 0.15 for 15 %. Repeatable; by default 0.1, 0.15, 0.2."
    ),
    power: list[float] | None = option(
        "SHARE", "The chance to find the difference. Repeatable; by default 0.8, 0.9."
    ),
    comparisons: int | None = option(
        "N", "The number of comparisons in the answer; by default that of the earlier runs."
    ),
    confidence: float = options.CONFIDENCE,
    kept: options.RowFilter,
    format: options.Form = options.FORMAT,
    read_as: options.ReadAs,
) -> int:
    """Plan a comparison: the number of runs a side, from the spread of earlier runs."""
    if (cv is None) == (not sources):
        raise Trouble("give either earlier runs or --cv", 2)
    asked: dict[str, Any] = {
        "differences": difference or (0.1, 0.15, 0.2),
        "power": power or (0.8, 0.9),
        "confidence": confidence,
        "comparisons": comparisons,
    }
    code = 0
    if sources:
        label = "label" in (*naming.split(by), between)
        read = rows.read_all(sources, read_as, label=label)
        answer = planned(read, metric, kept, between, by, pair, **asked)
        code = read.code
    else:
        from fiotools.stats.plan import plan as of_spread
        from fiotools.tables.columns import of_pandas

        told: Any = of_spread
        answer = of_pandas(told(cv, **asked))
    give(format, lambda: answer, lambda: layout.sheet(answer))
    return code
