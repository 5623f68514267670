"""`fiotools plot KIND`: one plot.

The library computes the statistics of a plot; if no column is named for the rows, the curves or the
axis, it is found in the files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from fiotools import language, units
from fiotools.cli.check import checked, is_compared, refuse_nonsense
from fiotools.cli.options import flag
from fiotools.cli.output import Trouble, say
from fiotools.cli.questions import (
    RowFilter,
    answers,
    complete,
    differs,
    filtered,
    of_scope,
    wrong_condition,
)
from fiotools.cli.signatures import signature
from fiotools.cli.sources import Reading, read_all
from fiotools.cli.verbs import GROUPS, Verb
from fiotools.errors import SchemaError
from fiotools.files import atomic_write
from fiotools.tables import naming

if TYPE_CHECKING:
    import polars as pl

_SUFFIXES = (".svg", ".png", ".pdf")
_LIMITS = {"B/s": "500MB/s", "ns": "1ms", "s": "10s"}  # examples by the metric's unit
# a row of these is a part of a run, so the total beside them is left out
_PARTS = ("thread", "job", "target", "entry", "host", "group", "scope")
# columns that may distinguish the rows of files
_WITHIN = ("source", "job", "thread", "direction", "command")
_AXES = ("bs_bytes", "iodepth", "numjobs")  # conditions of a sweep that are numbers
_CURVES = ("source", *_AXES, "rw", "target", *_WITHIN[1:])  # columns that may name the curves of it


@dataclass(frozen=True)
class Wish:
    """What is drawn, and how.

    Parameters
    ----------
    metric : str, optional
        The column to draw: iops, bw, lat_mean.
    y : str, optional
        The column of the rows; by default the files.
    hue : str, optional
        The column of the colours and curves.
    x : str, optional
        The condition that was swept.
    follows : str, optional
        The column that the runs follow, such as a commit; by default their time.
    by : sequence of str
        A panel, or one answer, for each value of these: direction,bs.
    order : sequence of str
        Rows or curves in this order: a,b,c.
    sequence : str, optional
        The column that the runs follow, such as a round; by default their time.
    to : str, optional
        The column that the bars reach to; none: no bars.
    ceiling : mapping of str to str
        A limit to draw: USB=500MB/s.
    log : bool
        Draw a logarithmic axis.
    speedup : bool
        Draw times faster instead of level / baseline.
    pair : str, optional
        The column that pairs runs: round.
    band : float, optional
        Differences up to this share do not count; by default 0.05.
    limit : str, optional
        Mark the best below this latency: 1ms.
    percents : sequence of float
        The limit of --steady, in percent: 20,10.
    steady : {"snia", "fio-deviation", "fio-slope", "none"}, optional
        The rule for a steady state; by default snia.
    window : int, optional
        The number of rounds that are judged.
    round : float, optional
        The length of a round: 10s.
    """

    metric: str | None = None
    y: str | None = None
    hue: str | None = None
    x: str | None = None
    follows: str | None = None
    by: Sequence[str] = ()
    order: Sequence[str] = ()
    sequence: str | None = None
    to: str | None = None
    ceiling: Mapping[str, str] | None = None
    log: bool = False
    speedup: bool = False
    pair: str | None = None
    band: float | None = None
    limit: str | None = None
    percents: float | Sequence[float] | None = None
    steady: Literal["snia", "fio-deviation", "fio-slope", "none"] | None = None
    window: int | None = None
    round: float | None = None


# the positional arguments of a function of fiotools.plot, and the others
Call: TypeAlias = tuple[list[Any], dict[str, Any]]


@dataclass(frozen=True)
class Drawing:
    """A plot with all its options, and the files that it is of."""

    kind: str
    wish: Wish
    sides: Mapping[str, Any]
    kept: RowFilter
    known: Mapping[str, Any]
    read: Reading

    def rows(self) -> tuple[pl.DataFrame, str]:
        """Return the rows that have the metric, and its full name."""
        from fiotools.stats.question import metric_of

        own = KINDS[self.kind]
        table = self.kept.table or own.table
        frame, metric = metric_of(self.read.results, self.wish.metric or own.metric, table)
        return self.with_runs(filtered(self.read, frame, self.kept)), metric

    def with_runs(self, frame: pl.DataFrame, *more: str) -> pl.DataFrame:
        """Fill in columns of the runs: those that are named for any role, and more."""
        from fiotools.tables.results import with_runs

        wish = self.wish
        named = [wish.x, wish.follows, wish.sequence, wish.y, wish.hue, wish.pair, *wish.by]
        return with_runs(self.read.results, frame, [self.sides.get("between"), *named, *more])

    def table(self, name: str, metric: str) -> pl.DataFrame:
        """Return the rows of a table with one metric."""
        frame = self.read.table(name)
        if not len(frame):
            raise SchemaError(f"plot {self.kind} draws {name}, and these files have none")
        frame = filtered(self.read, frame, replace(self.kept, combine=None))
        return of_scope(self.complete(self.with_runs(frame), metric), self.kept.scope)

    def complete(self, frame: pl.DataFrame, *names: str | None) -> pl.DataFrame:
        """With --drop-missing, leave out rows that lack one of the columns."""
        return complete(frame, self.kept, *names)

    def named(self, frame: pl.DataFrame, role: str) -> str | None:
        """Return the column that was named for a role."""
        name = getattr(self.wish, role)
        return naming.found(name, frame, flag(role)) if name else None

    def panels(self, frame: pl.DataFrame) -> list[str]:
        """Return the columns that --by names."""
        return [naming.found(name, frame, "--by") for name in self.wish.by]

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
        sides = [side for side in self.read.results.labels if _names_curves(frame, side, x)]
        if len(sides) > 1:
            there = ", ".join(sides)
            raise SchemaError(f"the paths hold {there}: name the column of the rows with --{role}")
        differ = (name for name in within if differs(frame, name) and not frame[name].null_count())
        return sides[0] if sides else next((n for n in differ if _names_curves(frame, n, x)), None)

    def ordered(self, frame: pl.DataFrame, role: str | None) -> dict[str, Any]:
        """Read the values of --order in the type of their column."""
        order = self.wish.order
        if not order:
            return {}
        if role is None:
            raise Trouble("--order needs several lines: name them with --hue", 2)
        return {"order": [naming.value_of(frame, role, text) for text in order]}

    def answer(self, by: Sequence[str]) -> pl.DataFrame:
        """Compare the sides."""
        from fiotools.stats.compare import compare, speedup

        wish = self.wish
        asked = {**self.sides, "pair": wish.pair, "by": [*by] or None, "band": _band(wish)}
        asked["metric"] = [wish.metric] if wish.metric else []
        (answer,) = answers(self.read, speedup if wish.speedup else compare, asked, self.kept)
        return answer


def _names_curves(frame: pl.DataFrame, name: str, x: str | None) -> bool:
    if x is None or not differs(frame, x):
        return True
    return name != x and any(len(own[x].unique()) > 1 for own in frame.partition_by(name))


def _band(wish: Wish) -> float:
    return 0.05 if wish.band is None else wish.band


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
        more["ceilings"] = _ceilings(wish.ceiling, name)
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
        colours = (name for name in ("label", "direction") if differs(frame, name))
        if name := next((name for name in colours if name not in found.values()), None):
            found.setdefault("hue", name)
    return found


def _curves(asked: Drawing, frame: pl.DataFrame, axes: Sequence[str]) -> dict[str, str]:
    """Choose the axis of a sweep and its curves; refuse curves of runs that are unlike."""
    differ = (name for name in axes if differs(frame, name))
    x = asked.named(frame, "x") or next(differ, axes[0])
    hue = asked.role(frame, "hue", x=x, within=_CURVES)
    panels = asked.panels(frame)
    apart = [hue, *panels] if hue else panels
    cells = frame.partition_by(apart) if apart else [frame]
    for name in ("direction", *_AXES, "rw"):
        if name != x and any(differs(own, name) for own in cells):
            values = frame[name].drop_nulls().unique(maintain_order=True)
            there, short = ", ".join(map(str, values)), naming.short(name)
            either = "--hue or --by" if "by" in KINDS[asked.kind].takes else "--hue"
            raise SchemaError(
                f"the runs of one curve differ in {short} ({there}): name it in {either}, or "
                f"keep one, --where {short}={values[0]}"
            )
    if not apart and differs(frame, "source"):
        say("all files are one curve: --hue, a path template or NAME=FILES names several")
    return {"x": x, "hue": hue} if hue else {"x": x}


def _ceilings(given: Mapping[str, str] | None, metric: str) -> dict[str, float]:
    found, unit = {}, naming.unit_of(metric)
    for name, value in (given or {}).items():
        limit = math.nan
        with suppress(ValueError):
            limit = units.amount(value, unit)
        if not (name and 0 < limit < math.inf):
            example = _LIMITS.get(unit, "50000")
            raise Trouble(f"--ceiling {name}={value} is not a limit: write NAME={example}", 2)
        found[name] = limit
    return found


def _ratios(asked: Drawing) -> Call:
    band = asked.wish.band
    return [asked.answer(asked.wish.by)], {} if band is None else {"band": band}


def _grid(asked: Drawing) -> Call:
    frame, metric = asked.rows()
    x = naming.found(asked.wish.x or "iodepth", frame, "--x")
    y = naming.found(asked.wish.y or "numjobs", frame, "--y")
    if "baseline" in asked.sides:
        return [asked.answer([x, y])], {"x": x, "y": y}
    return [asked.complete(frame, metric, x, y), metric], {"x": x, "y": y}


def _plan(asked: Drawing) -> Call:
    from fiotools.stats.plan import plan

    wish = asked.wish
    wanted = {
        "between": asked.sides.get("between"),
        "pair": wish.pair,
        "metric": [wish.metric] if wish.metric else [],
        "differences": (0.07, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3),
    }
    return [*answers(asked.read, plan, wanted, asked.kept)], {}


def _tails(asked: Drawing) -> Call:
    from fiotools.stats.tails import tails

    wish, band = asked.wish, _band(asked.wish)
    wanted = {**asked.sides, "pair": wish.pair, "by": [*wish.by] or None, "band": band}
    return [*answers(asked.read, tails, wanted, asked.kept)], {"band": band}


def _load(asked: Drawing) -> Call:
    wish, kept = asked.wish, asked.kept
    frame, latency = asked.rows()
    if naming.unit_of(latency) not in ("ns", ""):
        raise SchemaError(f"{latency!r} is not a latency: name one, {flag('metric')}")
    frame = of_scope(asked.complete(frame, latency, "iops"), kept.own_scope)
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
    limit = wish.percents
    named = {"hue": hue, "limit": limit, **asked.ordered(frame, hue)}
    if wish.steady != "none":
        method: Any = wish.steady or "snia"
        rules = {"method": method, "window": wish.window, "limit": limit}
        try:
            named["steady"] = steady(frame, quantity, by=hue, round_s=wish.round, **rules)
        except SchemaError as error:
            if wish.steady or wish.window or limit or wish.round:
                raise
            say(f"drawn without a verdict: {error}")
    return [frame, quantity], named


def _history(asked: Drawing) -> Call:
    frame, name = asked.rows()
    frame = asked.with_runs(frame, "started_at", "reported_at")
    x, by = asked.named(frame, "follows"), asked.panels(frame)
    frame = of_scope(asked.complete(frame, name, x, *by), asked.kept.own_scope)
    return [frame, name], {"x": x, "by": by or None, **asked.ordered(frame, x)}


def _shifts(asked: Drawing) -> Call:
    from fiotools.stats.replicates import in_one_scope
    from fiotools.stats.shifts import shifts

    wish, kept = asked.wish, asked.kept
    order = None
    if len(asked.read.table("samples")) and not wish.sequence and kept.table in (None, "samples"):
        frame = asked.table("samples", "value")
        name = _quantity(frame, wish.metric)
    else:
        frame, name = asked.rows()
        frame = asked.with_runs(frame, "started_at", "reported_at")
        order = asked.named(frame, "sequence")
        frame = asked.complete(frame, name, order)
        if not kept.combine:
            frame = in_one_scope(frame, kept.scope, [order] if order else [])
    rules: dict[str, Any] = {"order": order, "round_s": wish.round}
    return [frame, name], {"shifts": shifts(frame, name, **rules), **rules}


def _credibility(asked: Drawing) -> Call:
    from fiotools.tables import conditions

    with wrong_condition():
        findings = checked(asked.read, {**asked.known, **asked.sides})
        answer = conditions.kept(findings, asked.kept.where)
    return [answer], {"y": asked.named(answer, "y")}


def _quantity(frame: pl.DataFrame, metric: str | None) -> str | None:
    """Find a quantity by its name, with or without unit."""
    there = frame["quantity"].drop_nulls().unique(maintain_order=True).to_list()
    if metric is None or metric in there:
        return metric
    return next((name for name in there if name.startswith(f"{metric}_")), metric)


_SINGLE = ("where", "scope", "drop_missing")  # filters of rows that are not added up
_FILTERS = ("where", "scope", "combine", "drop_missing", "table")
_WISHES = tuple(one.name for one in fields(Wish))
_KNOWN = tuple({**signature(GROUPS["known"].place).arguments}.keys() - GROUPS["known"].leaves)


class Kind(NamedTuple):
    """How the plot of a function of fiotools.plot is made."""

    line: str
    example: str
    takes: tuple[str, ...]  # options, beside files and filters
    call: Callable[[Drawing], Call] = _of_rows
    filters: tuple[str, ...] = _FILTERS
    metric: str | None = None  # by default
    table: str | None = None  # by default
    compares: bool = True  # files

    def verb(self, kind: str) -> Verb:
        """Return the kind as a verb."""
        every = [*_WISHES, *_FILTERS, *GROUPS["sides"].names, *_KNOWN]
        takes = {*self.takes, *self.filters}
        left = tuple(name for name in every if name not in takes)
        return Verb(self.line, (f"plot {kind} {self.example}",), f"plot:{kind}", "plot:draw", left)


KINDS: Mapping[str, Kind] = {
    "throughput": Kind(
        "a value per row",
        "single.json mirror.json -o bw.svg",
        ("metric", "y", "hue", "by", "order", "ceiling", "log"),
        metric="bw_bytes_per_s",
    ),
    "latency": Kind(
        "mean and slowest I/O, per row",
        "'{volume}.xml' --hue thread --scope thread -w direction=total -o lat.svg",
        ("metric", "y", "hue", "by", "to", "order", "ceiling", "log"),
        metric="lat_mean_ns",
    ),
    "ratios": Kind(
        "the answer of compare, with intervals",
        "'data/{volume}.xml' --baseline vhdx --metric iops --by direction -o r.svg",
        ("metric", "between", "baseline", "by", "speedup", "pair", "band"),
        _ratios,
    ),
    "plan": Kind(
        "how many runs a difference takes",
        "'runs/{fs}_{bs}_{round:d}.json' -m iops --between bs -w fs=xfs -o plan.svg",
        ("metric", "between", "pair"),
        _plan,
    ),
    "repeats": Kind(
        "each run, and their geometric mean",
        "old='old/*.json' new='new/*.json' --metric iops -o repeats.png",
        ("metric", "y", "hue", "by", "order", "ceiling", "log"),
    ),
    "sweep": Kind(
        "a value against a condition such as the queue depth",
        "'runs/{volume}-{iodepth:d}.json' --hue volume --metric bw -o sweep.svg",
        ("metric", "x", "hue", "by", "order", "ceiling", "log"),
        metric="bw_bytes_per_s",
    ),
    "grid": Kind(
        "a value, or the ratio of two sides, for two conditions",
        "'runs/{fs}_{bs_bytes}_{round:d}.json' --x bs --y fs --metric bw -o grid.svg",
        ("metric", "x", "y", "between", "baseline", "speedup", "pair", "band"),
        _grid,
    ),
    "load": Kind(
        "IOPS and latency against the queue depth",
        "'runs/{volume}-{iodepth}.json' --hue volume --limit 1ms -o load.svg",
        ("metric", "x", "hue", "order", "limit"),
        _load,
        metric="lat_mean_ns",
        table="io",
        compares=False,
    ),
    "fairness": Kind(
        "the threads of a run",
        "'{volume}.xml' -w direction=total -o threads.svg",
        ("y", "order"),
        _fairness,
        ("where", "drop_missing"),
        metric="iops",
        table="io",
    ),
    "percentiles": Kind(
        "latency against percentile",
        "a.json b.json -w latency=clat -w direction=read -o tail.svg",
        ("hue", "by", "order"),
        metric="value_ns",
        table="percentiles",
    ),
    "tails": Kind(
        "ratios of percentiles, from histograms",
        "old=old_clat_hist.1.log new=new_clat_hist.1.log -o shift.svg",
        ("between", "baseline", "by", "pair", "band"),
        _tails,
        _SINGLE,
    ),
    "cdf": Kind(
        "the share of the I/Os that took no longer",
        "a.json b.json -w latency=clat -w direction=read -o latencies.svg",
        ("hue", "order"),
        _cdf,
        _SINGLE,
    ),
    "heatmap": Kind(
        "latency over time",
        "run_clat_hist.1.log -w direction=read -o heat.svg",
        (),
        _heatmap,
        _SINGLE,
        compares=False,
    ),
    "series": Kind(
        "a quantity over time, and whether it was steady",
        "run_iops.1.log -w direction=write --round 10s -o steady.svg",
        ("metric", "hue", "order", "steady", "window", "percents", "round"),
        _series,
        _SINGLE,
    ),
    "history": Kind(
        "runs by commit or date, with steps",
        "'runs/{commit}_{round:d}.json' --metric iops --x commit -o history.svg",
        ("metric", "follows", "by", "order"),
        _history,
    ),
    "shifts": Kind(
        "levels of runs or of a log",
        "run_iops.1.log -w direction=write --round 10s -o steps.svg",
        ("metric", "sequence", "round"),
        _shifts,
    ),
    "timings": Kind(
        "user, system, waiting",
        "'page-cache/{cache}.txt' -o times.svg",
        ("y", "by", "order"),
        metric="real_s",
        table="timings",
    ),
    "credibility": Kind(
        "the findings of check on a page",
        "runs/ --ram 8GB --link usb3-5g -o page.svg",
        ("y", "between", "baseline", *_KNOWN),
        _credibility,
        ("where",),
        compares=False,
    ),
}


def draw(
    name: str,
    files: Sequence[str],
    *,
    output: str,
    title: str | None = None,
    lang: Literal["en", "ja"] = "en",
    wish: Wish,
    sides: dict[str, Any],
    known: dict[str, Any],
    rows: RowFilter,
    reading: dict[str, Any],
) -> int:
    """Draw one kind of plot.

    Parameters
    ----------
    output : str
        FILE.svg, .png or .pdf, written whole or not at all.
    title : str, optional
        The title above the plot.
    lang : {"en", "ja"}
        The language of the plot.
    """
    path = Path(output)
    if path.suffix.lower() not in _SUFFIXES:
        raise Trouble(f"{output}: a plot ends in {', '.join(_SUFFIXES)}", 2)
    atomic_write.refuse_missing_folder(path)
    if wish.steady == "none" and not (wish.window is wish.percents is wish.round is None):
        raise Trouble("--steady none judges nothing: leave out --window, --limit, --round", 2)
    if name == "credibility":
        refuse_nonsense({**known, **sides})
    label = KINDS[name].compares or is_compared({**known, **sides})
    read = read_all(files, reading, label=label)
    asked = Drawing(name, wish, sides, rows, known, read)
    with read.working("drawing"), atomic_write.named(path):
        written = _drawn(asked, path.with_suffix(path.suffix.lower()), title, lang)
    say(f"wrote {written}")
    return read.code


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
