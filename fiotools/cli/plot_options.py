"""The options of plots, and which kind of plot takes each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from fiotools.cli import options
from fiotools.cli.options import column, flag, option
from fiotools.cli.output import Trouble
from fiotools.cli.verbs.check import Known

Steady = Literal["snia", "fio-deviation", "fio-slope", "none"]

# the options of each kind beside files and filters, as in the functions of fiotools.plot
TAKES: Mapping[str, tuple[str, ...]] = {
    "throughput": ("metric", "y", "hue", "order", "ceiling", "log"),
    "latency": ("metric", "y", "hue", "spread", "order"),
    "ratios": ("metric", "between", "baseline", "by", "speedup", "pair", "band"),
    "plan": ("metric", "between", "pair"),
    "repeats": ("metric", "y", "hue", "order"),
    "sweep": ("metric", "x", "hue", "by", "order"),
    "grid": ("metric", "x", "y", "between", "baseline", "speedup", "pair", "band"),
    "load": ("metric", "x", "hue", "order", "limit"),
    "fairness": ("y", "order"),
    "percentiles": ("hue", "order"),
    "tails": ("between", "baseline", "by", "pair", "band"),
    "cdf": ("hue", "order", "merge"),
    "heatmap": ("merge",),
    "series": ("metric", "hue", "order", "steady", "window", "limit", "round"),
    "history": ("metric", "x", "by", "order"),
    "shifts": ("metric", "order", "round"),
    "timings": ("y", "order"),
    "credibility": ("y", "between", "baseline", *Known.__dataclass_fields__),
}
_EVERY_FILTER = ("where", "scope", "combine", "drop_missing", "table")
_FILTERS: Mapping[str, tuple[str, ...]] = {
    "fairness": ("where", "drop_missing"),
    "tails": ("where", "scope", "drop_missing"),
    "cdf": ("where", "scope", "drop_missing"),
    "heatmap": ("where", "scope", "drop_missing"),
    "series": ("where", "scope", "drop_missing"),
    "credibility": ("where",),
}


@dataclass(frozen=True)
class Wish:
    """What is drawn, and how."""

    metric: options.Metric = None
    y: Annotated[
        str | None, column("The column of the rows, of a grid too; default: the files.")
    ] = None
    hue: Annotated[str | None, column("The column of the colours and curves.")] = None
    x: Annotated[
        str | None,
        column("sweep, load, grid: the condition that was swept. history: the order of the runs."),
    ] = None
    by: options.By = None
    order: Annotated[
        str | None,
        option(
            "VALUES", "Rows or curves, in this order: a,b,c. shifts: the column that runs follow."
        ),
    ] = None
    spread: Annotated[
        str | None, option("COLUMN", "latency: the deviation to draw; none: no bars.")
    ] = None
    ceiling: Annotated[
        list[str] | None, option("NAME=VALUE", "throughput: a limit to draw: USB=500MB/s.")
    ] = None
    log: Annotated[bool, flag("--log", "throughput: a logarithmic axis.")] = False
    speedup: Annotated[
        bool, flag("--speedup", "ratios: times faster instead of level / baseline.")
    ] = False
    pair: Annotated[str | None, column("ratios, plan, tails: the column that pairs runs.")] = None
    band: Annotated[
        float | None,
        option(
            "SHARE", "ratios, tails: differences up to this share do not count; 0.05.", min=0, max=1
        ),
    ] = None
    limit: Annotated[
        str | None,
        option(
            "LIMIT",
            "load: marks the best below this latency, 1ms. series: of --steady, in percent.",
        ),
    ] = None
    steady: Annotated[
        Steady | None, typer.Option(help="series: the steady-state rule; default: snia.")
    ] = None
    window: Annotated[
        int | None, option("N", "series: the number of rounds that are judged.", min=2)
    ] = None
    round: Annotated[str | None, option("TIME", "series, shifts: the length of a round: 10s.")] = (
        None
    )
    merge: Annotated[
        bool, flag("--merge", "cdf, heatmap: add up the histograms of jobs and runs.")
    ] = False


@dataclass(frozen=True)
class Drawing:
    """A plot, with all its options."""

    kind: str
    wish: Wish
    sides: options.Sides
    rows: options.Rows
    known: Known

    def refuse_what_is_not_taken(self) -> None:
        """Refuse an option that would have no effect."""
        takes = TAKES[self.kind]
        every = {*takes, *_FILTERS.get(self.kind, _EVERY_FILTER)}
        groups = (self.wish, self.sides, self.rows, self.known)
        given = [
            name
            for group in groups
            for name, value in vars(group).items()
            if value is not None and value is not False
        ]
        for name in given:
            if name not in every:
                own = [one for one in takes if one not in Known.__dataclass_fields__]
                listed = ", ".join(map(_option, own)) or "none but filters"
                more = " and the options of check" if len(own) < len(takes) else ""
                what = f"plot {self.kind} does not take {_option(name)}; it takes {listed}{more}"
                raise Trouble(what, 2)
        if self.wish.steady == "none" and {"window", "limit", "round"} & {*given}:
            raise Trouble("--steady none judges nothing: leave out --window, --limit, --round", 2)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
