"""`fiotools plot`: one plot, by its kind.

The library computes the statistics of a plot; if no column is named for the rows, the curves or the
axis, it is found in the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import typer

from fiotools import language, units
from fiotools.cli import options, rows
from fiotools.cli.check import Known, checked, is_compared, refuse_nonsense
from fiotools.cli.compare import compared
from fiotools.cli.options import column, command, flag, group, option
from fiotools.cli.output import Trouble, say
from fiotools.display import columns
from fiotools.errors import SchemaError
from fiotools.files import atomic_write

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Steady = Literal["snia", "fio-deviation", "fio-slope", "none"]

_SUFFIXES = (".svg", ".png", ".pdf")
# a row of these is a part of a run, so the total beside them is left out
_PARTS = ("thread", "job", "target", "entry", "host", "group", "scope")
# columns that may distinguish the rows of files
_WITHIN = ("source", "job", "thread", "direction", "command")


@group
class Wish:
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
    spread: str | None = option("COLUMN", "latency: the deviation to draw; none: no bars.")
    ceiling: list[str] | None = option("NAME=VALUE", "throughput: a limit to draw: USB=500MB/s.")
    log: bool = flag("--log", "throughput: a logarithmic axis.")
    speedup: bool = flag("--speedup", "ratios: times faster instead of level / baseline.")
    pair: str | None = column("ratios, plan, tails: the column that pairs runs.")
    band: float | None = option(
        "SHARE", "ratios, tails: differences up to this share do not count; 0.05.", min=0, max=1
    )
    limit: str | None = option(
        "LIMIT", "load: marks the best below this latency, 1ms. series: of --steady, in percent."
    )
    steady: Steady | None = typer.Option(None, help="series: the steady-state rule; default: snia.")
    window: int | None = option("N", "series: the number of rounds that are judged.", min=2)
    round: str | None = option("TIME", "series, shifts: the length of a round: 10s.")
    merge: bool = flag("--merge", "cdf, heatmap: add up the histograms of jobs and runs.")


@dataclass(frozen=True)
class Drawing:
    """A plot, with all its options."""

    kind: str
    wish: Wish
    sides: options.Sides
    kept: options.Rows
    known: Known

    def refuse_what_is_not_taken(self) -> None:
        """Refuse an option that would have no effect."""
        takes = KINDS[self.kind].takes
        every = {*takes, *KINDS[self.kind].filters}
        groups = (self.wish, self.sides, self.kept, self.known)
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


# the positional arguments of a function of fiotools.plot, and the others
Call: TypeAlias = tuple[list[Any], dict[str, Any]]


@contextmanager
def _speaking(lang: str) -> Iterator[None]:
    """Draw in our style and in a language, and leave matplotlib as it was."""
    import matplotlib as mpl

    from fiotools.plot import style

    with mpl.rc_context(), language.speaking(language.ENGLISH):
        style(lang=lang)
        yield


def _draw(read: rows.Reading, asked: Drawing) -> Axes | Figure:
    """Draw the plot that was asked for; several panels are a Figure."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.axes import Axes

    from fiotools import plot

    given, named = KINDS[asked.kind].call(read, asked)
    drawn = getattr(plot, asked.kind)(*given, **named)
    ax: Axes | Figure = drawn if isinstance(drawn, Axes) else drawn[0].get_figure(root=True)
    return ax


def _of_rows(read: rows.Reading, asked: Drawing) -> Call:
    """Show the rows."""
    from fiotools.stats.replicates import in_one_scope

    kind, wish, own = asked.kind, asked.wish, KINDS[asked.kind].table
    kept = replace(asked.kept, table=own or asked.kept.table)
    frame, name = rows.asked(read, wish.metric or KINDS[kind].metric, kept)
    named = _roles(read, frame, kind, wish)
    panels = named.get("by", [])
    one_by_one = [column for role, column in named.items() if role != "by"]
    frame = rows.complete(frame, kept, name, *one_by_one, *panels)
    shown = [role for role in (named.get("y"), named.get("hue")) if role]
    whole = own is None and not {*shown} & {*_PARTS}
    if not kept.combine and (kept.scope or whole):
        frame = in_one_scope(frame, kept.scope, shown)
    named |= _ordered(frame, named.get("y") or named.get("hue"), wish.order or None)
    if kind == "throughput":
        named |= {"ceilings": _ceilings(wish.ceiling, name), "log": wish.log}
    if kind == "latency" and wish.spread:
        named["spread"] = None if wish.spread == "none" else columns.full(wish.spread, frame)
    elif kind == "latency" and name != "lat_mean_ns":
        deviation = name.replace("_mean_", "_stddev_")
        named["spread"] = deviation if deviation != name and deviation in frame else None
    return [frame, name] if own is None else [frame], named


def _roles(read: rows.Reading, frame: pl.DataFrame, kind: str, wish: Wish) -> dict[str, Any]:
    """Choose the columns of the rows, the curves and the axis that were not named."""
    takes = KINDS[kind].takes
    found: dict[str, Any] = {
        role: columns.found(named, frame, f"--{role}")
        for role in ("y", "hue", "x")
        if role in takes and (named := getattr(wish, role))
    }
    first = "y" if "y" in takes else "hue"
    if first not in found:
        found[first] = _role(read, frame, wish, first, taken=found.get("x")) or "source"
    free = first == "y" and "hue" in takes and "hue" not in found
    if free and found["y"] != "direction" and _differs(frame, "direction"):
        found["hue"] = "direction"
    if "x" in takes:
        found.setdefault("x", "bs_bytes")
        if wish.by:
            found["by"] = [columns.found(name, frame, "--by") for name in columns.split(wish.by)]
        if _differs(frame, "direction") and not wish.by and found["hue"] != "direction":
            there = ", ".join(frame["direction"].drop_nulls().unique(maintain_order=True))
            raise SchemaError(f"several directions ({there}): keep one, --where direction=...")
    return found


def _role(
    read: rows.Reading,
    frame: pl.DataFrame,
    wish: Wish,
    role: str,
    *,
    taken: str | None = None,
    within: Sequence[str] = _WITHIN,
) -> str | None:
    """Return the column of a role: the named one, the sides, or one that differs in the files."""
    if named := getattr(wish, role):
        return columns.found(named, frame, f"--{role}")
    sides = [side for side in read.sides if side != taken]
    if len(sides) == 1:
        return sides[0]
    if sides:
        raise SchemaError(
            f"the paths hold {', '.join(sides)}: name the column of the rows with --{role}"
        )
    for name in within:
        if _differs(frame, name) and not frame[name].null_count():
            return name
    return None


def _differs(frame: pl.DataFrame, name: str) -> bool:
    """Whether a column has several values."""
    return name in frame and frame[name].drop_nulls().n_unique() > 1


def _ordered(frame: pl.DataFrame, role: str | None, order: str | None) -> dict[str, Any]:
    """Read the values of `--order` in the type of their column."""
    if order is None:
        return {}
    if role is None:
        raise Trouble("--order needs several lines: name them with --hue", 2)
    return {"order": [columns.value_of(frame, role, text) for text in columns.split([order])]}


def _ceilings(given: list[str] | None, metric: str) -> dict[str, float]:
    found = {}
    for text in given or []:
        name, _, value = text.rpartition("=")
        is_rate = columns.unit_of(metric) == "B/s"
        try:
            rate = units.size(value, kilo=1000) if is_rate else float(value)
        except ValueError:
            rate = -1.0
        if not name or rate <= 0:
            raise Trouble(f"--ceiling {text} is not a limit: write NAME=500MB/s", 2)
        found[name] = rate
    return found


def _ratios(read: rows.Reading, asked: Drawing) -> Call:
    """Show the answer of `compare` or `speedup`."""
    band = asked.wish.band
    return [_answer(read, asked, asked.wish.by)], {} if band is None else {"band": band}


def _answer(read: rows.Reading, asked: Drawing, by: list[str] | None) -> pl.DataFrame:
    """Compare the sides."""
    from fiotools.stats.compare import compare, speedup

    wish = asked.wish
    judging = options.Judging(pair=wish.pair)
    if wish.band is not None:
        judging = replace(judging, band=wish.band)
    question = options.Comparison(
        metric=wish.metric, sides=asked.sides, by=by, kept=asked.kept, judging=judging
    )
    return compared(speedup if wish.speedup else compare, read, question)


def _grid(read: rows.Reading, asked: Drawing) -> Call:
    """Show a value for each combination of two conditions, or the ratio of two sides."""
    frame, metric = rows.asked(read, asked.wish.metric, asked.kept)
    x = columns.found(asked.wish.x or "iodepth", frame, "--x")
    y = columns.found(asked.wish.y or "numjobs", frame, "--y")
    if asked.sides.baseline is not None:
        return [_answer(read, asked, [x, y])], {"x": x, "y": y}
    return [rows.complete(frame, asked.kept, metric, x, y), metric], {"x": x, "y": y}


def _plan(read: rows.Reading, asked: Drawing) -> Call:
    """Show how many runs differences take, by the spread of the runs."""
    from fiotools.stats.plan import plan

    kept, between, pair = asked.kept, asked.sides.between, asked.wish.pair
    frame, name = rows.asked(read, asked.wish.metric, kept)
    told = plan(
        rows.complete(frame, kept, name),
        name,
        between=columns.full(between, frame) if between else None,
        pair=columns.full(pair, frame) if pair else None,
        scope=kept.own_scope,
        differences=(0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2),
    )
    return [told], {}


def _tails(read: rows.Reading, asked: Drawing) -> Call:
    """Show the ratios of the percentiles of the sides."""
    from fiotools.stats.tails import tails

    wish, sides, frame = asked.wish, asked.sides, _table(read, asked, "bins", "count")
    between = read.between(frame, sides.between)
    band = 0.05 if wish.band is None else wish.band
    answer = tails(
        frame,
        between=between,
        baseline=read.baseline(frame, between, sides.baseline),
        by=columns.fulls(wish.by, frame),
        pair=columns.full(wish.pair, frame) if wish.pair else None,
        band=band,
    )
    return [answer], {"band": band}


def _load(read: rows.Reading, asked: Drawing) -> Call:
    """Show IOPS and latency against the queue depth, and the best point below a limit."""
    wish, kept = asked.wish, replace(asked.kept, table=asked.kept.table or "io")
    frame, latency = rows.asked(read, wish.metric or "lat_mean_ns", kept)
    frame = rows.of_scope(rows.complete(frame, kept, latency, "iops"), kept.own_scope)
    x = columns.found(wish.x or "iodepth", frame, "--x")
    hue = _role(read, frame, wish, "hue", taken=x, within=["direction"])
    frame = rows.complete(frame, kept, hue, x)
    named = {"x": x, "hue": hue, **_ordered(frame, hue, wish.order)}
    if wish.limit:
        named["limit"] = columns.value_of(frame, latency, wish.limit)
    return [frame, latency], named


def _fairness(read: rows.Reading, asked: Drawing) -> Call:
    """Show the threads of each run, and how far they are from an equal share."""
    from fiotools.stats.combine import fairness, per_thread

    kept = replace(asked.kept, table="io")
    frame, _ = rows.asked(read, "iops", kept)
    y = _role(read, frame, asked.wish, "y", within=()) or "source"
    frame = rows.complete(frame, kept, "iops", y)
    named = {"fairness": fairness(frame, by=y), "y": y, **_ordered(frame, y, asked.wish.order)}
    return [per_thread(frame, by=y)], named


def _cdf(read: rows.Reading, asked: Drawing) -> Call:
    """Show the distribution of latencies."""
    wish, frame = asked.wish, _table(read, asked, "bins", "count")
    hue = _role(read, frame, wish, "hue") or "source"
    frame = _merged(rows.complete(frame, asked.kept, hue), wish, hue)
    return [frame], {"hue": hue, **_ordered(frame, hue, wish.order)}


def _heatmap(read: rows.Reading, asked: Drawing) -> Call:
    """Show latency over time."""
    return [_merged(_table(read, asked, "bins", "count"), asked.wish, "time_s")], {}


def _merged(frame: pl.DataFrame, wish: Wish, by: str) -> pl.DataFrame:
    """With --merge, add up the histograms."""
    if not wish.merge:
        return frame
    from fiotools.stats.percentiles import merge_bins

    return merge_bins(frame, by=by)


def _series(read: rows.Reading, asked: Drawing) -> Call:
    """Show a quantity over time, and whether it was steady."""
    from fiotools.stats.steady import steady

    wish, frame = asked.wish, _table(read, asked, "samples", "value")
    quantity = _quantity(frame, wish.metric)
    hue = _role(read, frame, wish, "hue", within=("source", "job", "entry", "direction"))
    frame = rows.complete(frame, asked.kept, hue)
    limit = _percents(wish.limit)
    named = {"hue": hue, "limit": limit, **_ordered(frame, hue, wish.order)}
    if wish.steady != "none":
        method: Any = wish.steady or "snia"
        rules = {"method": method, "window": wish.window, "limit": limit}
        try:
            answer = steady(frame, quantity, by=hue, round_s=_seconds(wish.round), **rules)
        except SchemaError as error:
            if wish.steady or wish.window or wish.limit or wish.round:
                raise
            say(f"drawn without a verdict: {error}")
        else:
            named["steady"] = answer
    return [frame, quantity], named


def _history(read: rows.Reading, asked: Drawing) -> Call:
    """Show runs by commit or date, with the steps between their levels."""
    wish, kept = asked.wish, asked.kept
    frame, name = rows.asked(read, wish.metric, kept)
    frame = _timed(read, frame)
    x = columns.found(wish.x, frame, "--x") if wish.x else None
    by = [columns.found(column, frame, "--by") for column in columns.split(wish.by)]
    frame = rows.of_scope(rows.complete(frame, kept, name, x, *by), kept.own_scope)
    return [frame, name], {"x": x, "by": by or None, **_ordered(frame, x, wish.order)}


def _timed(read: rows.Reading, frame: pl.DataFrame) -> pl.DataFrame:
    """Add the times of the runs."""
    keys = ["source", "run"]
    times = read.table("runs").select(*keys, "started_at", "reported_at")
    own = times.drop([name for name in times.columns if name in frame and name not in keys])
    return frame.join(own, on=keys, how="left") if {*keys} <= {*frame.columns} else frame


def _shifts(read: rows.Reading, asked: Drawing) -> Call:
    """Show the levels of a log, or of runs in their order."""
    from fiotools.stats.replicates import in_one_scope
    from fiotools.stats.shifts import shifts

    wish, kept = asked.wish, asked.kept
    samples = read.table("samples")
    if len(samples) and not wish.order and kept.table in (None, "samples"):
        frame = _table(read, asked, "samples", "value")
        name, order = _quantity(frame, wish.metric), None
    else:
        frame, name = rows.asked(read, wish.metric, kept)
        frame = _timed(read, frame)
        order = columns.found(wish.order, frame, "--order") if wish.order else None
        frame = rows.complete(frame, kept, name, order)
        if not kept.combine:
            frame = in_one_scope(frame, kept.scope, [order] if order else [])
    rules: dict[str, Any] = {"order": order, "round_s": _seconds(wish.round)}
    return [frame, name], {"shifts": shifts(frame, name, **rules), **rules}


def _credibility(read: rows.Reading, asked: Drawing) -> Call:
    """Show the findings of `check`."""
    answer = rows.where(checked(read, asked.sides, asked.known), asked.kept.where)
    y = asked.wish.y
    return [answer], {"y": columns.found(y, answer, "--y") if y else None}


def _table(read: rows.Reading, asked: Drawing, name: str, metric: str) -> pl.DataFrame:
    frame = read.table(name)
    if not len(frame):
        raise SchemaError(f"plot {asked.kind} draws {name}, and these files have none")
    frame = rows.complete(rows.where(frame, asked.kept.where), asked.kept, metric)
    return rows.of_scope(frame, asked.kept.scope)


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
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return units.seconds(text)
    except ValueError:
        raise Trouble(f"--round {text} is not a time: write 10, or 10s", 2) from None


class _Kind(NamedTuple):
    """How the plot of a function of fiotools.plot is made."""

    takes: tuple[str, ...]  # options, beside files and filters
    call: Callable[[rows.Reading, Drawing], Call] = _of_rows
    filters: tuple[str, ...] = ("where", "scope", "combine", "drop_missing", "table")
    metric: str | None = None  # by default
    table: str | None = None  # the only one
    compares: bool = True  # files


_SINGLE = ("where", "scope", "drop_missing")  # filters of rows that are not added up
KINDS: Mapping[str, _Kind] = {
    "throughput": _Kind(("metric", "y", "hue", "order", "ceiling", "log"), metric="bw_bytes_per_s"),
    "latency": _Kind(("metric", "y", "hue", "spread", "order"), metric="lat_mean_ns"),
    "ratios": _Kind(("metric", "between", "baseline", "by", "speedup", "pair", "band"), _ratios),
    "plan": _Kind(("metric", "between", "pair"), _plan),
    "repeats": _Kind(("metric", "y", "hue", "order")),
    "sweep": _Kind(("metric", "x", "hue", "by", "order"), metric="bw_bytes_per_s"),
    "grid": _Kind(("metric", "x", "y", "between", "baseline", "speedup", "pair", "band"), _grid),
    "load": _Kind(("metric", "x", "hue", "order", "limit"), _load, compares=False),
    "fairness": _Kind(("y", "order"), _fairness, ("where", "drop_missing")),
    "percentiles": _Kind(("hue", "order"), metric="value_ns", table="percentiles"),
    "tails": _Kind(("between", "baseline", "by", "pair", "band"), _tails, _SINGLE),
    "cdf": _Kind(("hue", "order", "merge"), _cdf, _SINGLE),
    "heatmap": _Kind(("merge",), _heatmap, _SINGLE, compares=False),
    "series": _Kind(
        ("metric", "hue", "order", "steady", "window", "limit", "round"), _series, _SINGLE
    ),
    "history": _Kind(("metric", "x", "by", "order"), _history),
    "shifts": _Kind(("metric", "order", "round"), _shifts),
    "timings": _Kind(("y", "order"), metric="real_s", table="timings"),
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
    "plot cdf a.json b.json -w latency=clat -w direction=read --merge -o latencies.svg",
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
        "FILE", "FILE.svg, .png or .pdf, written whole or not.", "--output", "-o", default=...
    ),
    wish: Wish,
    sides: options.Sides,
    kept: options.Rows,
    known: Known,
    title: str | None = option("TEXT", "The title above the plot."),
    lang: options.Lang = options.LANG,
    read_as: options.ReadAs,
) -> int:
    """Draw a plot.

    KIND is one of: throughput (a value per row), latency (mean and spread), ratios (of compare,
    with intervals), plan (how many runs a difference takes), repeats (each run, and the median),
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
    asked = Drawing(kind, wish, sides, kept, known)
    asked.refuse_what_is_not_taken()
    if kind == "credibility":
        refuse_nonsense(sides, known)
    label = KINDS[kind].compares or is_compared(sides, known)
    read = rows.read_all(sources, read_as, label=label)
    from fiotools import plot as plots

    with read.working("drawing"), atomic_write.named(path), _speaking(lang):
        ax = _draw(read, asked)
        if title:
            plots.title(ax, title)
        written = plots.save(ax, path.with_suffix(path.suffix.lower()), data=read.results)
    say(f"wrote {written[0]}")
    return read.code
