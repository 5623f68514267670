"""`fiotools plot`: one plot, by its kind.

The library computes the statistics of a plot; if no column is named for the rows, the curves or the
axis, it is found in the files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import typer

from fiotools import language, units
from fiotools.cli import options, rows
from fiotools.cli.check import Known, checked, is_compared, refuse_nonsense
from fiotools.cli.compare import compared, planned
from fiotools.cli.options import choice, column, command, flag, group, option
from fiotools.cli.output import Trouble, say
from fiotools.errors import SchemaError, argument
from fiotools.files import atomic_write
from fiotools.tables import naming

if TYPE_CHECKING:
    import polars as pl

Steady = Literal["snia", "fio-deviation", "fio-slope", "none"]

_SUFFIXES = (".svg", ".png", ".pdf")
_LIMITS = {"B/s": "500MB/s", "ns": "1ms", "s": "10s"}  # examples by the metric's unit
# a row of these is a part of a run, so the total beside them is left out
_PARTS = ("thread", "job", "target", "entry", "host", "group", "scope")
# columns that may distinguish the rows of files
_WITHIN = ("source", "job", "thread", "direction", "command")
_AXES = ("bs_bytes", "iodepth", "numjobs")  # conditions of a sweep that are numbers
_CURVES = ("source", *_AXES, "rw", "target", *_WITHIN[1:])  # columns that may name the curves of it


@group
class PlotWish:
    """What is drawn, and how."""

    metric: str | None = options.METRIC
    y: str | None = column("The column of the rows, of a grid too; default: the files.")
    hue: str | None = column("The column of the colours and curves.")
    x: str | None = column(
        "sweep, load, grid: the condition that was swept. history: the order of the runs."
    )
    by: list[str] | None = options.BY
    order: str | None = option(
        "VALUES", "Rows or curves, in this order: a,b,c. shifts: the column that runs follow."
    )
    to: str | None = option("COLUMN", "latency: the column that the bars reach to; none: no bars.")
    ceiling: list[str] | None = option("NAME=VALUE", "A limit to draw: USB=500MB/s.")
    log: bool = flag("A logarithmic axis.")
    speedup: bool = flag("ratios: times faster instead of level / baseline.")
    pair: str | None = column("ratios, plan, tails: the column that pairs runs.")
    band: float | None = option(
        "SHARE", "ratios, tails: differences up to this share do not count; 0.05.", min=0, max=1
    )
    limit: str | None = option(
        "LIMIT", "load: marks the best below this latency, 1ms. series: of --steady, in percent."
    )
    steady: Steady | None = choice(None, "series: the steady-state rule; default: snia.")
    window: int | None = option("N", "series: the number of rounds that are judged.", min=2)
    round: str | None = option("TIME", "series, shifts: the length of a round: 10s.")


# the positional arguments of a function of fiotools.plot, and the others
Call: TypeAlias = tuple[list[Any], dict[str, Any]]


@dataclass(frozen=True)
class Drawing:
    """A plot with all its options, and the files that it is of."""

    kind: str
    wish: PlotWish
    sides: options.Sides
    kept: options.RowFilter
    known: Known
    read: rows.Reading

    def rows(self) -> tuple[pl.DataFrame, str]:
        """Return the rows that have the metric, and its full name."""
        own = KINDS[self.kind]
        kept = replace(self.kept, table=self.kept.table or own.table)
        return rows.asked(self.read, self.wish.metric or own.metric, kept, *self._names())

    def _names(self) -> list[str | None]:
        """Return the columns that are named for any role."""
        wish = self.wish
        return [self.sides.between, wish.x, wish.y, wish.hue, wish.pair, *(wish.by or ())]

    def table(self, name: str, metric: str) -> pl.DataFrame:
        """Return the rows of a table with one metric."""
        frame = self.read.table(name)
        if not len(frame):
            raise SchemaError(f"plot {self.kind} draws {name}, and these files have none")
        frame = rows.filtered(self.read, frame, replace(self.kept, combine=None))
        frame = self.complete(self.read.with_runs(frame, self._names()), metric)
        return rows.of_scope(frame, self.kept.scope)

    def complete(self, frame: pl.DataFrame, *names: str | None) -> pl.DataFrame:
        """With --drop-missing, leave out rows that lack one of the columns."""
        return rows.complete(frame, self.kept, *names)

    def named(self, frame: pl.DataFrame, role: str) -> str | None:
        """Return the column that was named for a role."""
        name = getattr(self.wish, role)
        return naming.found(name, frame, f"--{role}") if name else None

    def panels(self, frame: pl.DataFrame) -> list[str]:
        """Return the columns that --by names."""
        return [naming.found(name, frame, "--by") for name in naming.split(self.wish.by)]

    def role(
        self,
        frame: pl.DataFrame,
        role: str,
        *,
        x: str | None = None,
        within: Sequence[str] = _WITHIN,
    ) -> str | None:
        """Return the column of a role: the named one, the sides, or one that differs.

        With an axis, one that only says at which of its values a run stands names no curves.
        """
        if named := self.named(frame, role):
            return named
        sides = [side for side in self.read.sides if _names_curves(frame, side, x)]
        if len(sides) > 1:
            there = ", ".join(sides)
            raise SchemaError(f"the paths hold {there}: name the column of the rows with --{role}")
        differ = (
            name for name in within if rows.differs(frame, name) and not frame[name].null_count()
        )
        return sides[0] if sides else next((n for n in differ if _names_curves(frame, n, x)), None)

    def ordered(self, frame: pl.DataFrame, role: str | None) -> dict[str, Any]:
        """Read the values of --order in the type of their column."""
        order = self.wish.order
        if not order:
            return {}
        if role is None:
            raise Trouble("--order needs several lines: name them with --hue", 2)
        return {"order": [naming.value_of(frame, role, text) for text in naming.split([order])]}

    def answer(self, by: list[str] | None) -> pl.DataFrame:
        """Compare the sides."""
        from fiotools.stats.compare import compare, speedup

        wish = self.wish
        judging = options.Judging(pair=wish.pair, band=_band(wish))
        question = options.ComparisonOptions(
            metric=wish.metric, sides=self.sides, by=by, kept=self.kept, judging=judging
        )
        return compared(speedup if wish.speedup else compare, self.read, question)


def _names_curves(frame: pl.DataFrame, name: str, x: str | None) -> bool:
    if x is None or not rows.differs(frame, x):
        return True
    return name != x and any(len(own[x].unique()) > 1 for own in frame.partition_by(name))


def _band(wish: PlotWish) -> float:
    return options.Judging().band if wish.band is None else wish.band


def _of_rows(asked: Drawing) -> Call:
    from fiotools.stats.replicates import in_one_scope
    from fiotools.stats.summary import summarize

    kind, wish, kept, own = asked.kind, asked.wish, asked.kept, KINDS[asked.kind].table
    frame, name = asked.rows()
    named = _roles(asked, frame)
    panels = {"by": asked.panels(frame)} if wish.by else {}
    frame = asked.complete(frame, name, *named.values(), *panels.get("by", []))
    shown = [role for role in (named.get("y"), named.get("hue")) if role]
    whole = own is None and not {*shown} & {*_PARTS}
    if not kept.combine and (kept.scope or whole):
        frame = in_one_scope(frame, kept.scope, shown)
    more = {**panels, **asked.ordered(frame, next(iter(shown), None))}
    if kind == "repeats":
        more["summary"] = summary = summarize(frame, name, by=shown)
        if differ := dict.fromkeys(summary["varies_in"].drop_nulls()):
            say(f"the runs of one row differ in {', '.join(differ)}: --hue draws one of them apart")
    takes = KINDS[kind].takes
    if "ceiling" in takes:
        more |= {"ceilings": _ceilings(wish.ceiling, name)}
    if "log" in takes and wish.log:
        more["log"] = True
    if kind == "latency":
        slowest = name.replace("_mean_", "_max_")
        more["to"] = None if wish.to == "none" else naming.full(wish.to or slowest, frame)
    return [frame, name] if own is None else [frame], named | more


def _roles(asked: Drawing, frame: pl.DataFrame) -> dict[str, str]:
    """Choose the columns of the rows, the curves and the axis that were not named."""
    takes = KINDS[asked.kind].takes
    if "x" in takes:
        return _curves(asked, frame, _AXES)
    found: dict[str, str] = {
        role: named
        for role in ("y", "hue")
        if role in takes and (named := asked.named(frame, role))
    }
    first = "y" if "y" in takes else "hue"
    found[first] = asked.role(frame, first) or "source"
    if first == "y" and "hue" in takes:
        colours = (name for name in ("label", "direction") if rows.differs(frame, name))
        if name := next((name for name in colours if name not in found.values()), None):
            found.setdefault("hue", name)
    return found


def _curves(asked: Drawing, frame: pl.DataFrame, axes: Sequence[str]) -> dict[str, str]:
    """Choose the axis of a sweep and its curves; refuse curves of runs that are unlike."""
    differ = (name for name in axes if rows.differs(frame, name))
    x = asked.named(frame, "x") or next(differ, axes[0])
    hue = asked.role(frame, "hue", x=x, within=_CURVES)
    panels = asked.panels(frame)
    apart = [hue, *panels] if hue else panels
    cells = frame.partition_by(apart) if apart else [frame]
    for name in ("direction", *_AXES, "rw"):
        if name != x and any(rows.differs(own, name) for own in cells):
            values = frame[name].drop_nulls().unique(maintain_order=True)
            there, short = ", ".join(map(str, values)), naming.short(name)
            either = "--hue or --by" if "by" in KINDS[asked.kind].takes else "--hue"
            raise SchemaError(
                f"the runs of one curve differ in {short} ({there}): name it in {either}, or "
                f"keep one, --where {short}={values[0]}"
            )
    if not apart and rows.differs(frame, "source"):
        say("all files are one curve: --hue, a path template or NAME=FILES names several")
    return {"x": x, "hue": hue} if hue else {"x": x}


def _ceilings(given: list[str] | None, metric: str) -> dict[str, float]:
    found, unit = {}, naming.unit_of(metric)
    for text in given or []:
        name, _, value = text.rpartition("=")
        limit = math.nan
        with suppress(ValueError):
            limit = units.amount(value, unit)
        if not (name and 0 < limit < math.inf):
            example = _LIMITS.get(unit, "50000")
            raise Trouble(f"--ceiling {text} is not a limit: write NAME={example}", 2)
        found[name] = limit
    return found


def _ratios(asked: Drawing) -> Call:
    band = asked.wish.band
    return [asked.answer(asked.wish.by)], {} if band is None else {"band": band}


def _grid(asked: Drawing) -> Call:
    frame, metric = asked.rows()
    x = naming.found(asked.wish.x or "iodepth", frame, "--x")
    y = naming.found(asked.wish.y or "numjobs", frame, "--y")
    if asked.sides.baseline is not None:
        return [asked.answer([x, y])], {"x": x, "y": y}
    return [asked.complete(frame, metric, x, y), metric], {"x": x, "y": y}


def _plan(asked: Drawing) -> Call:
    differences = (0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2)
    wish, sides = asked.wish, asked.sides
    told = planned(
        asked.read, wish.metric, asked.kept, sides.between, None, wish.pair, differences=differences
    )
    return [told], {}


def _tails(asked: Drawing) -> Call:
    from fiotools.stats.tails import tails

    wish, frame = asked.wish, asked.table("bins", "count")
    question = asked.read.question(frame, asked.sides, wish.by, wish.pair)
    band = _band(wish)
    return [tails(frame, band=band, **question)], {"band": band}


def _load(asked: Drawing) -> Call:
    wish, kept = asked.wish, asked.kept
    frame, latency = asked.rows()
    if naming.unit_of(latency) not in ("ns", ""):
        raise SchemaError(f"{latency!r} is not a latency: name one, {argument('metric')}")
    frame = rows.of_scope(asked.complete(frame, latency, "iops"), kept.own_scope)
    curves = _curves(asked, frame, ("iodepth", "numjobs"))
    frame = asked.complete(frame, *curves.values())
    named: dict[str, Any] = {**curves, **asked.ordered(frame, curves.get("hue"))}
    if wish.limit:
        named["limit"] = naming.value_of(frame, latency, wish.limit)
    return [frame, latency], named


def _fairness(asked: Drawing) -> Call:
    from fiotools.stats.combine import fairness, per_thread

    frame, metric = asked.rows()
    y = asked.role(frame, "y", within=()) or "source"
    frame = asked.complete(frame, metric, y)
    named = {"fairness": fairness(frame, by=y), "y": y, **asked.ordered(frame, y)}
    return [per_thread(frame, by=y)], named


def _cdf(asked: Drawing) -> Call:
    frame = asked.table("bins", "count")
    hue = asked.role(frame, "hue") or "source"
    frame = asked.complete(frame, hue)
    return [frame], {"hue": hue, **asked.ordered(frame, hue)}


def _heatmap(asked: Drawing) -> Call:
    return [asked.table("bins", "count")], {}


def _series(asked: Drawing) -> Call:
    from fiotools.stats.steady import steady

    wish, frame = asked.wish, asked.table("samples", "value")
    quantity = _quantity(frame, wish.metric)
    hue = asked.role(frame, "hue", within=("source", "job", "entry", "direction"))
    frame = asked.complete(frame, hue)
    limit = _percents(wish.limit)
    named = {"hue": hue, "limit": limit, **asked.ordered(frame, hue)}
    if wish.steady != "none":
        method: Any = wish.steady or "snia"
        rules = {"method": method, "window": wish.window, "limit": limit}
        try:
            named["steady"] = steady(frame, quantity, by=hue, round_s=_seconds(wish.round), **rules)
        except SchemaError as error:
            if wish.steady or wish.window or wish.limit or wish.round:
                raise
            say(f"drawn without a verdict: {error}")
    return [frame, quantity], named


def _history(asked: Drawing) -> Call:
    frame, name = asked.rows()
    frame = asked.read.with_runs(frame, ["started_at", "reported_at"])
    x, by = asked.named(frame, "x"), asked.panels(frame)
    frame = rows.of_scope(asked.complete(frame, name, x, *by), asked.kept.own_scope)
    return [frame, name], {"x": x, "by": by or None, **asked.ordered(frame, x)}


def _shifts(asked: Drawing) -> Call:
    from fiotools.stats.replicates import in_one_scope
    from fiotools.stats.shifts import shifts

    wish, kept = asked.wish, asked.kept
    order = None
    if len(asked.read.table("samples")) and not wish.order and kept.table in (None, "samples"):
        frame = asked.table("samples", "value")
        name = _quantity(frame, wish.metric)
    else:
        frame, name = asked.rows()
        frame = asked.read.with_runs(frame, ["started_at", "reported_at"])
        order = asked.named(frame, "order")
        frame = asked.complete(frame, name, order)
        if not kept.combine:
            frame = in_one_scope(frame, kept.scope, [order] if order else [])
    rules: dict[str, Any] = {"order": order, "round_s": _seconds(wish.round)}
    return [frame, name], {"shifts": shifts(frame, name, **rules), **rules}


def _credibility(asked: Drawing) -> Call:
    from fiotools.tables import conditions

    answer = conditions.kept(checked(asked.read, asked.sides, asked.known), asked.kept.where)
    return [answer], {"y": asked.named(answer, "y")}


def _quantity(frame: pl.DataFrame, metric: str | None) -> str | None:
    """Find a quantity by its name, with or without unit."""
    there = frame["quantity"].drop_nulls().unique(maintain_order=True).to_list()
    if metric is None or metric in there:
        return metric
    return next((name for name in there if name.startswith(f"{metric}_")), metric)


def _percents(limit: str | None) -> Any:
    if limit is None:
        return None
    try:
        found = [float(text.rstrip("% ")) for text in limit.split(",")]
    except ValueError:
        raise Trouble(
            f"--limit {limit} is not a limit of a series: write 0.3, or 20,10", 2
        ) from None
    return found[0] if len(found) == 1 else tuple(found)


def _seconds(text: str | None) -> float | None:
    try:
        return None if text is None else units.seconds(text)
    except ValueError:
        raise Trouble(f"--round {text} is not a time: write 10, or 10s", 2) from None


class _Kind(NamedTuple):
    """How the plot of a function of fiotools.plot is made."""

    takes: tuple[str, ...]  # options, beside files and filters
    call: Callable[[Drawing], Call] = _of_rows
    filters: tuple[str, ...] = ("where", "scope", "combine", "drop_missing", "table")
    metric: str | None = None  # by default
    table: str | None = None  # by default
    compares: bool = True  # files


_SINGLE = ("where", "scope", "drop_missing")  # filters of rows that are not added up
KINDS: Mapping[str, _Kind] = {
    "throughput": _Kind(
        ("metric", "y", "hue", "by", "order", "ceiling", "log"), metric="bw_bytes_per_s"
    ),
    "latency": _Kind(
        ("metric", "y", "hue", "by", "to", "order", "ceiling", "log"), metric="lat_mean_ns"
    ),
    "ratios": _Kind(("metric", "between", "baseline", "by", "speedup", "pair", "band"), _ratios),
    "plan": _Kind(("metric", "between", "pair"), _plan),
    "repeats": _Kind(("metric", "y", "hue", "by", "order", "ceiling", "log")),
    "sweep": _Kind(
        ("metric", "x", "hue", "by", "order", "ceiling", "log"), metric="bw_bytes_per_s"
    ),
    "grid": _Kind(("metric", "x", "y", "between", "baseline", "speedup", "pair", "band"), _grid),
    "load": _Kind(
        ("metric", "x", "hue", "order", "limit"),
        _load,
        metric="lat_mean_ns",
        table="io",
        compares=False,
    ),
    "fairness": _Kind(
        ("y", "order"), _fairness, ("where", "drop_missing"), metric="iops", table="io"
    ),
    "percentiles": _Kind(("hue", "by", "order"), metric="value_ns", table="percentiles"),
    "tails": _Kind(("between", "baseline", "by", "pair", "band"), _tails, _SINGLE),
    "cdf": _Kind(("hue", "order"), _cdf, _SINGLE),
    "heatmap": _Kind((), _heatmap, _SINGLE, compares=False),
    "series": _Kind(
        ("metric", "hue", "order", "steady", "window", "limit", "round"), _series, _SINGLE
    ),
    "history": _Kind(("metric", "x", "by", "order"), _history),
    "shifts": _Kind(("metric", "order", "round"), _shifts),
    "timings": _Kind(("y", "by", "order"), metric="real_s", table="timings"),
    "credibility": _Kind(
        ("y", "between", "baseline", *Known.__dataclass_fields__),
        _credibility,
        ("where",),
        compares=False,
    ),
}


if TYPE_CHECKING:
    Kind: TypeAlias = str
else:
    Kind = Literal[tuple(KINDS)]  # a choice, for typer


@command(
    "plot throughput single.json mirror.json -o bw.svg",
    "plot latency '{volume}.xml' --hue thread --scope thread -w direction=total -o lat.svg",
    "plot ratios 'data/{volume}.xml' --baseline vhdx --metric iops --by direction -o r.svg",
    "plot plan 'runs/{fs}_{bs}_{round:d}.json' --metric iops --between bs -o plan.svg",
    "plot repeats old='old/*.json' new='new/*.json' --metric iops -o repeats.png",
    "plot percentiles a.json b.json -w latency=clat -w direction=read -o tail.svg",
    "plot sweep 'runs/{fs}_{bs_bytes}_{round:d}.json' --hue fs --metric bw -o sweep.svg",
    "plot grid 'runs/{fs}_{bs_bytes}_{round:d}.json' --x bs --y fs --metric bw -o grid.svg",
    "plot load 'runs/{volume}-{iodepth}.json' --hue volume --limit 1ms -o load.svg",
    "plot fairness '{volume}.xml' -w direction=total -o threads.svg",
    "plot tails old=old_clat_hist.1.log new=new_clat_hist.1.log -o shift.svg",
    "plot cdf a.json b.json -w latency=clat -w direction=read -o latencies.svg",
    "plot heatmap run_clat_hist.1.log -w direction=read -o heat.svg",
    "plot series run_iops.1.log -w direction=write --round 10s -o steady.svg",
    "plot history 'runs/{commit}_{round:d}.json' --metric iops --x commit -o history.svg",
    "plot shifts run_iops.1.log -w direction=write --round 10s -o steps.svg",
    "plot credibility runs/ --ram 8GB --link usb3-5g -o page.svg",
    "plot timings 'page-cache/{cache}.txt' -o times.svg",
)
def plot(
    kind: Kind = typer.Argument(
        ..., metavar="KIND", help="One of those above.", show_default=False
    ),
    sources: list[str] = options.FILES,
    *,
    output: str = option(
        "FILE", "FILE.svg, .png or .pdf, written whole or not.", "-o", default=...
    ),
    wish: PlotWish,
    sides: options.Sides,
    kept: options.RowFilter,
    known: Known,
    title: str | None = option("TEXT", "The title above the plot."),
    lang: options.Lang = choice("en", "The language of the plot."),
    read_as: options.ReadAs,
) -> int:
    """Draw a plot.

    KIND is one of: throughput (a value per row), latency (mean and slowest), ratios (of compare,
    with intervals), plan (how many runs a difference takes), repeats (each run, and their middle),
    sweep (against a condition such as the block size), grid (of two conditions; with --baseline the
    ratios of two sides), load (IOPS and latency against the queue depth), fairness (threads of a
    run), percentiles and cdf (curves of latencies), tails (ratios of percentiles), heatmap (latency
    over time), series (a quantity over time, and whether it was steady), history (runs by commit or
    date, with steps), shifts (levels of runs or of a log), timings (user, system, waiting),
    credibility (the findings of check, with its options).
    """
    path = Path(output)
    if path.suffix.lower() not in _SUFFIXES:
        raise Trouble(f"{output}: a plot ends in {', '.join(_SUFFIXES)}", 2)
    atomic_write.refuse_missing_folder(path)
    _refuse_other_options(kind, wish, sides, kept, known)
    if kind == "credibility":
        refuse_nonsense(sides, known)
    label = KINDS[kind].compares or is_compared(sides, known)
    read = rows.read_all(sources, read_as, label=label)
    asked = Drawing(kind, wish, sides, kept, known, read)
    with read.working("drawing"), atomic_write.named(path):
        written = _drawn(asked, path.with_suffix(path.suffix.lower()), title, lang)
    say(f"wrote {written}")
    return read.code


def _refuse_other_options(kind: str, wish: PlotWish, *others: Any) -> None:
    """Refuse options that would have no effect."""
    takes, every = KINDS[kind].takes, {*KINDS[kind].takes, *KINDS[kind].filters}
    given = [
        name
        for group in (wish, *others)
        for name, value in vars(group).items()
        if value is not None and value is not False
    ]
    for name in given:
        if name not in every:
            own = [one for one in takes if one not in Known.__dataclass_fields__]
            listed = ", ".join(map(argument, own)) or "none but filters"
            more = " and the options of check" if len(own) < len(takes) else ""
            what = f"plot {kind} does not take {argument(name)}; it takes {listed}{more}"
            raise Trouble(what, 2)
    if wish.steady == "none" and {"window", "limit", "round"} & {*given}:
        raise Trouble("--steady none judges nothing: leave out --window, --limit, --round", 2)


def _drawn(asked: Drawing, path: Path, title: str | None, lang: str) -> Path:
    """Draw and save a plot in our style and in a language, and leave matplotlib as it was."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.axes import Axes

    from fiotools import plot

    with mpl.rc_context(), language.speaking(language.ENGLISH):
        plot.style(lang=lang)
        given, named = KINDS[asked.kind].call(asked)
        drawn = getattr(plot, asked.kind)(*given, **named)
        # several panels are a Figure
        ax = drawn if isinstance(drawn, Axes) else drawn[0].get_figure(root=True)
        if title:
            plot.title(ax, title)
        return plot.save(ax, path, data=asked.read.results)[0]
