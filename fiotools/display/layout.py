"""The layouts of results, of answers that people read, and of any other frame.

A value has its unit and its interval beside it. Columns without a value are left out, and columns
with one value in all rows are named once. In an answer of `check`, a finding that several runs
share has one row; if it is impossible or suspect, it has a row for each different number.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fiotools import flags, units
from fiotools.display import columns
from fiotools.display.columns import Sheet, SheetColumn, is_missing, printable
from fiotools.errors import SchemaError, argument, typed
from fiotools.files import common_folder
from fiotools.tables import metrics, naming
from fiotools.units import many, percentile
from fiotools.vocabulary import (
    ANSWERS,
    COLUMNS,
    CONDITIONS,
    EVERY,
    GRAVEST,
    KEYS,
    STATISTICS,
    SWEPT,
)
from fiotools.words import more, spanned

if TYPE_CHECKING:
    import polars as pl

    from fiotools.tables.results import Results

_NEEDED = "show takes a Results, or a pandas or polars DataFrame"
_HINTS = {
    "LazyFrame": "; collect() it first",
    "Series": "; to_frame() makes one of it",
    "dict": "; show its frames one by one",
}
# the answers that are read by people, and not taken further; one that has all columns of another
# stands before it
_READ = (
    *("overview", "overall", "tails", "speedup", "compare", "gate", "summarize", "check", "steady"),
    *("reconcile", "best_under", "scaling", "variance", "settings_diff", "fairness", "shifts"),
    *("plan", "explain"),
)
WRAPS = 24  # letters that a line of a sentence has at least
# below the table, and each thing once
_SAID = ("flags", "details", "varies_in", "settings_differ")
_LONG_HEAD = 24  # letters of a name in a heading
_CENTERS = {"log-t": "geometric mean", "t": "mean"}  # by method
_NEEDED_RUNS = {"runs_needed": "runs needed", "runs_needed_same": "if equal"}
_PLANNED = {
    "runs_differ": "runs to see it",
    "runs_same": "runs to rule it out",
    "rounds_differ": "rounds to see it",
    "rounds_same": "rounds to rule it out",
}
# in the unit of the row's metric, which stands in the column `unit`
_MEASURED = (
    *("center", "center_baseline", "median", "mean", "stddev", "min", "max", "window_mean"),
    *("log_rate", "summary_rate", "observed", "limit", "rate_one", "knee_rate"),
)
_SENTENCES = (
    *("verdict", "message", "text", "text_baseline", "description", "why"),
    *("remedy", "basis", "note", "stragglers"),
)
_OWN_SIGNS = ("confidence", "percentile")  # these are written in a way of their own
# What is shown first where a table is too narrow for all, of all tables and answers: what names the
# rows, after labels; what an answer found; conditions, if rows cannot be told apart without them;
# the numbers; and the rest in its own order.
_NAMING = (
    *("verdict", "direction", "percentile", "message", "severity", "line", "option", "job"),
    *("thread", "quantity", "time_s", "bin_lo_ns", "bin_hi_ns"),
)
_NUMBERS = (
    *("value_ns", "value", "count", "text", "iops", "bw_bytes_per_s", "lat_mean_ns"),
    *("clat_mean_ns", "real_s", "user_s", "sys_s", "command", "p50_ns", "p99_ns", "p99.9_ns"),
    *("cpu_pct", *SWEPT, "latency", "scope", "lat_stddev_ns", "runtime_s"),
)
_LAST = ("source", "run", "entry", "io_bytes", "total_ios", "port", "size_bytes")
# conditions and names of a single row stand below it
_ALONE = (*(name for name in KEYS if name not in ("job", "direction")), *CONDITIONS, "latency")
# named once if it is the same in all rows; a measured number stays in its column
_ASKED = (
    "confidence",
    "interval_s",
    "window",
    "tolerance_pct",
    "comparisons",
    "percentile",
    "band",
)


class Frame:
    """The first rows of a pandas or polars frame as lists, and facts about all its rows."""

    def __init__(self, frame: Any, rows: int | None = None) -> None:
        self._data = _opened(frame)
        self.rows = rows  # to be read; None for all
        self.remedy = ""  # what shows the other rows
        self.names: list[str] = list(self._data.columns)
        self.size = len(self._data)
        part = self._data if rows is None else self._data.head(rows)
        self.shown = len(part)
        # missing values as None
        self.columns = {name: _values(part[name]) for name in self.names}
        self._prefixes: dict[tuple[str, str], float | None] | None = None

    def share_prefixes(self, names: Sequence[str]) -> None:
        """Choose the prefixes of some columns, the most important first.

        All columns of a unit have one prefix, so that their values can be compared: one that suits
        the first column, if the others can be read with it. A column that cannot has one of its
        own; each value has, where the column's own are too far apart.
        """
        found, shared = dict[tuple[str, str], float | None](), dict[str, dict[float, int]]()
        for name in names:
            for unit, values in _by_unit(self, name).items():
                fit = units.readable(values, unit)
                if not fit:
                    if any(values):
                        found[name, unit] = None
                    continue
                best = {scale: odd for scale, odd in fit.items() if odd == min(fit.values())}
                before = shared.get(unit, dict.fromkeys(best, 0))
                both = {scale: odd + fit[scale] for scale, odd in before.items() if scale in fit}
                if both:
                    shared[unit] = both
                else:
                    found[name, unit] = min(best)
        for unit, fit in shared.items():
            like = min(fit, key=fit.__getitem__)
            for name in names:
                found.setdefault((name, unit), like)
        self._prefixes = found

    def prefix(self, name: str, unit: str) -> float | None:
        """Return the prefix of a column's values of some unit, as a value that has it."""
        if self._prefixes is None:
            self.share_prefixes(self.names)
        return (self._prefixes or {}).get((name, unit))

    def whole(self) -> dict[str, list[Any]]:
        """Return all rows, as `columns` has the first."""
        return {name: _values(self._data[name]) for name in self.names}

    def rows_of(self) -> list[dict[str, Any]]:
        """Return the first rows, each with the names of its columns."""
        values = zip(*self.columns.values(), strict=True)
        return [dict(zip(self.columns, row, strict=True)) for row in values]

    def is_empty(self, name: str) -> bool:
        """Say whether a column has no value in any row."""
        return bool(self._data[name].is_null().all())

    def is_idle(self, name: str) -> bool:
        """Say whether a column counts nothing in any row, which says nothing."""
        known = COLUMNS.get(name)
        if known is None or known.better or name in (*KEYS, *CONDITIONS):
            return False
        if known.dtype not in ("Int64", "float64") or any(self.columns[name]):
            return False
        return self.size == self.shown or not any(_values(self._data[name]))

    def is_alike(self, name: str) -> bool:
        """Say whether a column has one value in all of several rows."""
        first = self.columns[name][:1]
        if self.size < 2 or any(one != first[0] for one in self.columns[name]):
            return False
        return self.size == self.shown or len(self._data[name].unique()) == 1


def answer_of(names: Sequence[str]) -> str | None:
    """Name the statistic that made these columns; None if they are of no whole answer.

    Columns may have been added or moved. What is compared stands before the baseline.
    """
    there = {*names}
    for name in _READ:
        if there.issuperset(ANSWERS[name]):
            is_compared = "baseline" in ANSWERS[name] and name != "explain"  # or of one side
            return name if not is_compared or columns.named_by(names, name) else None
    return None


def _opened(frame: Any) -> Any:
    """Open a frame: polars as it is, others by narwhals."""
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(frame, polars.DataFrame):
        return frame
    import narwhals as nw  # as the statistics do; a table of `Results` is shown without it

    if nw.dependencies.is_pandas_dataframe(frame):
        frame = _plain(frame)
    try:
        return nw.from_native(frame, eager_only=True)
    except TypeError:
        kind = type(frame).__name__
        raise SchemaError(f"{_NEEDED}, not {kind}{_HINTS.get(kind, '')}") from None
    except nw.exceptions.DuplicateError:
        raise SchemaError("the frame has several columns of one name: rename them") from None


def _plain(frame: Any) -> Any:
    """Turn a named index into columns, and all names into texts."""
    index = frame.index
    if index.nlevels > 1 or index.name is not None or index.dtype.kind not in "iu":
        names = ["" if name is None else name for name in index.names]
        frame = frame.reset_index(names=names, allow_duplicates=True)
    names = [" ".join(map(str, one)) if isinstance(one, tuple) else str(one) for one in frame]
    return frame.set_axis(names, axis="columns")


def _values(series: Any) -> list[Any]:
    return [None if is_missing(value) else value for value in series.to_list()]


def about(name: str) -> str:
    """Say what a column means, as a tooltip of its heading."""
    known = EVERY.get(name)
    return f"{name}: {known.meaning}" if known else ""


def head(name: str) -> str:
    """Write a heading."""
    told = naming.short(name)
    return told.replace("_", " ") if name in EVERY else told


def plain(frame: Frame, title: Callable[[str], str] = head, *, chosen: bool = False) -> Sheet:
    """Lay out any frame: the columns that say something, or if they were chosen, all."""
    if not frame.size:
        return Sheet([], "no rows")
    names, shared = frame.names, ""
    if not chosen:
        filled = [one for one in names if not (frame.is_empty(one) or frame.is_idle(one))]
        ends = {end for name in filled for end in interval_of(name, filled)}
        hidden = ["unit", *_SAID] if "details" in names else ["unit", "varies_in"]
        names = [name for name in filled if name not in ends and name not in hidden]
        names, shared = folded(frame, names, title, alone=_ALONE)
    ranked = _ranked(frame, names)
    frame.share_prefixes(ranked)
    folder = _without_folder(frame) if "source" in names else ""
    made = [
        _verdicts(frame)
        if name == "verdict" and "details" in frame.names
        else column(frame, name, title(name), -ranked.index(name), bare=True)
        for name in names
    ]
    notes = [f"source: in {folder}"] if folder else []
    notes += said(frame, filter(is_label, names))
    return Sheet(made, notes=[*notes, *cut(frame.shown, frame.size, frame.remedy)], shared=shared)


def _without_folder(frame: Frame) -> str:
    """Leave the folder out that all files lie in, and name it."""
    sources = frame.columns["source"]
    folder = common_folder(source for source in sources if source is not None)
    frame.columns["source"] = [source and source.removeprefix(folder) for source in sources]
    return folder


def column(
    frame: Frame, name: str, title: str = "", keep: int = 0, *, bare: bool = False
) -> SheetColumn:
    """Make a column: with the interval in the same cell, if there is one.

    If it is bare, the unit of all its cells stands with the heading.
    """
    texts, unit = cells_of(frame, name), _unit_of_all(frame, name) if bare else ""
    return SheetColumn(
        title or head(name),
        [text.removesuffix(f" {unit}") for text in texts],
        unit,
        right=columns.is_numeric(frame.columns[name], name),
        keep=keep,
        wraps=WRAPS if name in _SENTENCES else 0,
        about=about(name),
        marks=list(map(columns.mark, frame.columns[name])) if name in columns.MARKED else (),
    )


def cells_of(frame: Frame, name: str) -> list[str]:
    """Write the values of a column, with their intervals if there are any."""
    values = frame.columns[name]
    if name == "confidence":
        return [columns.NONE if value is None else f"{100 * value:g} %" for value in values]
    if name == "percentile":
        return [columns.NONE if value is None else percentile(value) for value in values]
    ends = interval_of(name, frame.names)
    lows, highs = ([frame.columns[end] for end in ends]) or ([None] * len(values),) * 2
    binary = name in columns.BINARY
    return [
        columns.within(value, low, high, unit, like=frame.prefix(name, unit), binary=binary)
        for value, low, high, unit in zip(values, lows, highs, _units(frame, name), strict=True)
    ]


def _unit_of_all(frame: Frame, name: str) -> str:
    """Return the unit and prefix that all values of a column have, if they have one."""
    found = {*_units(frame, name)}
    unit = found.pop() if len(found) == 1 else ""
    if name in (*columns.BINARY, *_OWN_SIGNS) or interval_of(name, frame.names):
        return ""
    like = frame.prefix(name, unit)
    return units.word(unit, like) if like is not None or unit in ("1/s", "%") else ""


def _by_unit(frame: Frame, name: str) -> dict[str, list[float]]:
    """Return the numbers of a column by their units, which have prefixes."""
    found: dict[str, list[float]] = {}
    if name not in columns.BINARY:
        for value, unit in zip(frame.columns[name], _units(frame, name), strict=True):
            if unit and columns.is_number(value):
                found.setdefault(unit, []).append(value)
    return found


def _is_of_quantities(frame: Frame, name: str) -> bool:
    of_quantity = ("value",) if "unit" in frame.columns else ("value", "mean")
    return name in of_quantity and "quantity" in frame.columns


def _units(frame: Frame, name: str) -> list[str]:
    """Return the unit of each row: of the column, or of the row's quantity or metric."""
    if _is_of_quantities(frame, name):
        return list(map(columns.unit_of_quantity, frame.columns["quantity"]))
    own = naming.unit_of(name)
    if name in _MEASURED and "unit" in frame.columns and not own:
        return [unit or "" for unit in frame.columns["unit"]]
    return [own] * len(frame.columns[name])


def interval_of(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """Name the columns of a value's interval, ``x_lo_ns`` and ``x_hi_ns`` of ``x_ns``, if any."""
    stem = naming.UNIT.sub("", name)
    unit = name.removeprefix(stem)
    ends = (f"{stem}_lo{unit}", f"{stem}_hi{unit}")
    return ends if set(ends) <= set(names) and name in names else ()


def folded(
    frame: Frame,
    names: Sequence[str],
    title: Callable[[str], str] = head,
    *,
    alone: Sequence[str] = (),
) -> tuple[list[str], str]:
    """Return the columns that differ, and a line with the values of the others.

    Those named ``alone`` are among the others if there is one row.
    """
    same = []
    for name in names:
        known = EVERY.get(name)
        is_measured = known is not None and known.dtype in ("Int64", "float64")
        if is_measured and name not in (*KEYS, *CONDITIONS, *_ASKED):
            continue
        if name != "verdict" and (frame.is_alike(name) or (frame.size == 1 and name in alone)):
            same.append(name)
    if len(same) == len(names):  # a table has a column
        same = []
    alike = [f"{title(name)} {cells_of(frame, name)[0]}" for name in same]
    where = "in all rows" if frame.size > 1 else "in this row"
    shared = f"{where}: {', '.join(alike)}" if alike else ""
    return [name for name in names if name not in same], shared


def said(frame: Frame, labels: Iterable[str]) -> list[str]:
    """List the notes of the rows, each once."""
    shown = [
        [
            "" if level == columns.NONE else level
            for level in columns.levels(frame.columns[name], name)
        ]
        for name in labels
    ]
    # without labels, the rows have no names
    where = [" ".join(filter(None, row)) for row in zip(*shown, strict=True)] or [""] * frame.shown
    found: list[tuple[Any, str, str]] = []
    if "details" in frame.names:
        from fiotools.display import verdicts  # a table of Results is shown without statistics

        rows = list(zip(frame.rows_of(), where, strict=True))
        found += [(one.kind, text, at) for row, at in rows for one, text in verdicts.cautions(row)]
        for row, at in rows:
            differ = [f"options that differ: {text}" for text in verdicts.settings(row)]
            found += [(text, text, at) for text in differ]
    for value, at in zip(frame.columns.get("varies_in", ()), where, strict=False):
        if value is not None:
            found.append((value, f"varies, and is not named: {value}", at))
    return grouped(found, len(where))


def grouped(notes: Iterable[tuple[Any, str, str]], of: int) -> list[str]:
    """List notes, those of one kind once, with the rows they are about if these are not all.

    Each note has its kind, its text and its row.
    """
    said: dict[Any, tuple[str, list[str]]] = {}
    for kind, text, place in notes:
        said.setdefault(kind, (printable(text), []))[1].append(place)
    return [
        text if len(rows) >= of else f"{text} ({_few(rows, '; ')})" for text, rows in said.values()
    ]


def _few(places: Iterable[str], apart: str = ", ") -> str:
    """Name the first two places, and count the rest."""
    names = list(dict.fromkeys(filter(None, places)))
    return apart.join([", ".join(names[:2]), *more(len(names) - 2)])


def cut(shown: int, rows: int, remedy: str = "") -> list[str]:
    """Say how many of the rows a table shows, unless it shows all."""
    if shown == rows:
        return []
    remedy = remedy or typed("", f": {argument('rows', 0)} shows all")
    return [f"the first {shown} of {rows:,} rows{remedy}"]


def is_label(name: str) -> bool:
    """Say whether a column tells rows apart."""
    asked = ("latency", "percentile", "quantity", "option", "difference_pct", "power")
    return name in (*KEYS, *CONDITIONS, *asked) or name not in EVERY


def _ranked(frame: Frame, names: Sequence[str]) -> list[str]:
    """Rank columns, the most important first, for tables that are too narrow for all."""
    labels = [name for name in names if name not in EVERY]
    files = ["source", "run"] if "message" in names or not labels else []
    naming = [name for name in (*labels, *_NAMING, *files) if name in names]
    sure = [name for name in names if interval_of(name, frame.names)]
    answered = [name for name in names if name in STATISTICS and name not in _NUMBERS]
    rows = {*zip(*(frame.columns[name] for name in naming), strict=True)}
    conditions = SWEPT if len(rows) < frame.shown else ()
    rest = [name for name in names if name not in _LAST]
    ranked = [*naming, *sure, *answered, *conditions, *_NUMBERS, *rest, *names]
    return [name for name in dict.fromkeys(ranked) if name in names]


def sheet(answer: Any, rows: int | None = None) -> Sheet:
    """Lay out an answer, or any other pandas or polars frame: its first rows, or all."""
    frame = Frame(answer, rows)
    name = answer_of(frame.names)
    if not frame.size and name not in ("check", "settings_diff"):  # these say what was not found
        return plain(frame)
    return _LAYOUTS.get(name, plain)(frame)


def comparison(frame: Frame) -> Sheet:
    """Lay out an answer of `compare`, `speedup` or `tails`."""
    name = answer_of(frame.names) or "compare"
    *by, between = columns.named_by(frame.names, name)
    added = [one for one in frame.names if one not in (*ANSWERS[name], *by, between)]
    what = "speedup" if "speedup" in frame.names else "ratio"
    left, shared = folded(frame, [*by, what])
    labels = [*left[:-1], between, *added]
    metric, method, confidence = (_one(frame, name) for name in ("metric", "method", "confidence"))
    baselines = {one for one in frame.columns["baseline"] if one is not None}
    sides = {units.sides("", one, between)[1] for one in baselines}
    baseline = sides.pop() if len(sides) == 1 else ""
    told = {"metric": metric, "baseline": baseline}
    several = [name for name, one in told.items() if not one]
    pairs = zip(frame.columns["n"], frame.columns["n_baseline"], strict=True)
    runs = [str(own) if own == other else f"{own} vs {other}" for own, other in pairs]
    made = [
        *(column(frame, name, keep=5) for name in [*labels, *several]),
        column(frame, "center", head(metric or "center"), keep=1),
        column(frame, "center_baseline", _of(baseline), keep=1),
        column(frame, what, f"{what} [{confidence}]" if confidence else what, keep=4),
        SheetColumn("n", runs, right=True, keep=2, about=about("n")),
        _verdicts(frame),
    ]
    sure = [*filter(None, [_intervals(frame, confidence)])]  # one line
    if any(frame.columns["runs_needed"]) or any(frame.columns["runs_needed_same"]):
        if "any looks" not in method:
            sure.append(f"added runs count as another look: {argument('looks', 'any')}")
        made += [
            SheetColumn(title, needed, right=True, about=about(name))
            for name, title in _NEEDED_RUNS.items()
            if any(needed := [f"+{count}" if count else "" for count in frame.columns[name]])
        ]
    # files have names of their own
    of = "" if between == "label" else f" of each {head(between)}"
    means = " (geometric means)" if max(filter(None, frame.columns["n"]), default=0) > 1 else ""
    whose = "latency percentiles" if "percentile" in by else _metric(metric)
    title = f"{whose}{of}, against {baseline or 'its baseline'}{means}"
    below = ["; ".join([*sure, *cut(frame.shown, frame.size)])]
    return Sheet(made, title, [*said(frame, labels), *filter(None, below)], shared)


def _intervals(frame: Frame, confidence: str) -> str:
    """Say how the intervals were found; rows over all share their error among themselves."""
    over = [bool(one) for one in frame.columns.get("about", [None] * frame.shown)]
    said = []
    for is_over, rows in ((True, "over all "), (False, "of each " if any(over) else "")):
        own = [row for row, one in enumerate(over) if one is is_over]
        methods = {frame.columns["method"][row] for row in own} - {None}
        if len(methods) == 1:
            count = max(frame.columns["comparisons"][row] for row in own)
            together = f", for all {count} together" if count > 1 else ""
            said.append(f"{rows}by {methods.pop()}{together}{_pooled(frame, own[0])}")
    return f"{confidence} intervals {'; '.join(said)}" if confidence and said else ""


def _pooled(frame: Frame, row: int) -> str:
    """Say whose spread an interval has, if not that of its own sides alone."""
    from fiotools.display import verdicts

    values = frame.rows_of()[row]
    found = [flags.sentence(one) for one in verdicts.of_row(values) if one.code == "pooled"]
    return "".join(f" ({one})" for one in found)


def _of(baseline: str) -> str:
    """Head the column of the baseline; a long command stands in the title alone."""
    return f"of {baseline}" if 0 < len(baseline) <= _LONG_HEAD else "baseline"


def load_curve(frame: Frame) -> Sheet:
    """Lay out an answer of `scaling`."""
    title = "the knee of each load curve: beyond it, more load adds more latency than rate"
    return replace(plain(frame), title=title)


def plan(frame: Frame) -> Sheet:
    """Lay out an answer of `plan`: what takes more runs than anybody makes is said."""
    made = plain(frame)
    return replace(made, columns=[_planned(frame, one) for one in made.columns])


def _planned(frame: Frame, column: SheetColumn) -> SheetColumn:
    name = column.head.replace(" ", "_")
    if name not in _PLANNED:
        return column
    cells, flags = column.cells, frame.columns["flags"]
    for row, count in enumerate(frame.columns[name]):
        if count is None:
            unseen = name.endswith("differ") and "within-band" in str(flags[row])
            cells[row] = "none" if unseen else "over 1,000"
    return replace(column, head=_PLANNED[name], cells=cells)


def _verdicts(frame: Frame) -> SheetColumn:
    """Make the column of verdicts, in words."""
    from fiotools.display import verdicts

    rows = frame.rows_of()
    marks = list(map(verdicts.mark_of, rows))
    told = about("verdict")
    return SheetColumn(
        "verdict", list(map(verdicts.verdict, rows)), keep=3, wraps=WRAPS, about=told, marks=marks
    )


def held(frame: Frame) -> Sheet:
    """Lay out an answer of `gate`: which rules are broken, and why."""
    from fiotools.display import verdicts

    why = SheetColumn("why", list(map(verdicts.held, frame.rows_of())), keep=4, wraps=WRAPS)
    names, shared = folded(frame, ["rule"])
    made = [column(frame, name, keep=5) for name in ("outcome", *names)]
    return Sheet([*made, why], "", cut(frame.shown, frame.size), shared)


def explanation(frame: Frame) -> Sheet:
    """Lay out an answer of `explain`: the answer in a line, and its parts."""
    from fiotools.display import explained

    whole = frame.whole()
    rows = [dict(zip(whole, row, strict=True)) for row in zip(*whole.values(), strict=True)]
    return explained.sheet(rows, frame.names, frame.rows)


def overall(frame: Frame) -> Sheet:
    """Lay out an answer of `overall`: a comparison whose rows over all have a name."""
    over = {
        row: f"all {count} workloads" if about == "these workloads" else f"{about} ({count})"
        for row, (count, about) in enumerate(
            zip(frame.columns["workloads"], frame.columns["about"], strict=True)
        )
        if about is not None
    }
    for name in columns.named_by(frame.names, "overall"):
        if any(frame.columns[name][row] is None for row in over):
            told = cells_of(frame, name)
            frame.columns[name] = [over.get(row, one) for row, one in enumerate(told)]
            break
    return comparison(frame)


def summary(frame: Frame) -> Sheet:
    """Lay out an answer of `summarize`."""
    labels = [name for name in frame.names if name not in ANSWERS["summarize"]]
    metric, confidence = _one(frame, "metric"), _one(frame, "confidence")
    left, shared = folded(frame, labels)
    # of one run, there is nothing between the least and the most
    spread = ("stddev", "cov_pct", "min", "max") if max(frame.columns["n"]) > 1 else ()
    keep = {"n": 3, "center": 4, "median": 3, "cov_pct": 2, "outliers": 2}
    names = ["n", "center", "median", *spread, *(["outliers"] * any(frame.columns["outliers"]))]
    called = {"center": _CENTERS.get(_one(frame, "method"), "center")}
    made = [column(frame, name, keep=5) for name in left]
    for name in names:
        sure = confidence and any(frame.columns.get(f"{name}_lo", ()))
        title = called.get(name, "")
        if sure:
            title = f"{title or name} [{confidence}]"
        made.append(column(frame, name, title, keep.get(name, 1)))
    title = f"{_metric(metric)} of the runs"
    if labels:
        title = f"{title} of each {', '.join(map(head, labels))}"
    return Sheet(made, title, [*said(frame, left), *cut(frame.shown, frame.size)], shared)


def options_that_differ(frame: Frame) -> Sheet:
    """Lay out an answer of `settings_diff`: each option, and what it was set to."""
    if not frame.size:
        return Sheet([], "no option in the files differs between the sides")
    of = _of(_one(frame, "baseline"))
    texts = {"set to": frame.columns["text"], of: frame.columns["text_baseline"]}
    made = [column(frame, name, keep=1) for name in ("option", frame.names[0])]
    for head, values in texts.items():
        told = ["not given" if value is None else given(value) for value in values]
        made.append(SheetColumn(head, told, wraps=WRAPS))
    title = f"options that differ between {frame.names[0]}"
    return Sheet(made, title, cut(frame.shown, frame.size))


def given(text: str | None) -> str:
    """Write what an option was set to; an option may have no value."""
    return text or "given"


def _metric(name: str) -> str:
    return head(name) if name else "each metric"


def _one(frame: Frame, name: str) -> str:
    """Write the value of a column, if it has only one."""
    texts = {text for text in cells_of(frame, name) if text != columns.NONE}
    return texts.pop() if len(texts) == 1 else ""


_DECISIVE = ("engine", "medium")  # checks that say that no device was measured
_LONG_WRAPS = 44  # letters that a line has at least: these sentences are long


def findings(frame: Frame, *, ok: bool = True) -> Sheet:
    """Lay out an answer of `check`; without ``ok``, findings that are ok are only counted.

    Findings of one kind stand in one row, with the span of their numbers; up to two accusations
    stand with their own. Findings that are unknown are folded: a row for each piece of evidence
    that is missing. What says that no device was measured stands before the others.
    """
    from fiotools.stats.check import outcomes

    table = frame.whole()
    labels = [name for name in table if name not in (*ANSWERS["check"], "source", "run")]
    runs = set(zip(table["source"], table["run"], strict=True))
    files = set(zip(*(table[name] for name in (*labels, "source")), strict=True))
    folder = "" if labels else common_folder(_text(source) for (source,) in files)
    where = labels or ["source"] if len(files) > 1 else []
    alike: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    needed: Counter[str] = Counter()
    for one in _findings(table, where, folder):
        key: tuple[Any, ...] = one["verdict"], one["check"], one["remedy"]
        if one["verdict"] == "unknown":
            needed.update(outcomes.needs(one["finding"], one["values"]))
            key = one["verdict"], one["remedy"]
        elif one["verdict"] == "ok" and not ok:
            continue
        else:
            key = (*key, one["finding"], outcomes.kind(one["values"]))
        alike.setdefault(key, []).append(one)
    order = [*_DECISIVE, *map(_text, table["check"])]
    ranked = sorted(
        (part for own in alike.values() for part in _apart(own)),
        key=lambda own: (GRAVEST.index(own[0]["verdict"]), order.index(own[0]["check"])),
    )
    shown = ranked[: frame.rows]
    sentence: dict[str, Any] = {"keep": 4, "wraps": _LONG_WRAPS}
    made = [
        replace(_marked("verdict", [own[0]["verdict"] for own in shown]), keep=3),
        SheetColumn("check", [_few(one["check"] for one in own) for own in shown], keep=2),
        SheetColumn(
            "of", [_few(one["place"] for one in own) for own in shown], joins="", **sentence
        ),
        SheetColumn(
            "observed vs limit",
            list(map(_against, shown)),
            right=True,  # numbers: whole, or left out
        ),
        SheetColumn("why", list(map(_reason, shown)), joins=": ", **sentence),
        SheetColumn(
            "what to do", [own[0]["remedy"] for own in shown], joins="\n> ", once=True, **sentence
        ),
    ]
    counts = Counter(table["verdict"])
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in GRAVEST)
    title = f"{many(len(runs), 'run')}{f' in {folder}' if folder else ''}: {told}"
    below = (
        [f"I would need: {', '.join(name for name, _ in needed.most_common())}"] if needed else []
    )
    below += cut(len(shown), len(ranked))
    return Sheet([one for one in made if any(one.cells)], title, below)


def _reason(several: Sequence[Mapping[str, Any]]) -> str:
    """Write the reason of findings that stand in one row, without the numbers that differ."""
    from fiotools.stats.check import outcomes

    first = several[0]
    needs = list(
        dict.fromkeys(
            name for one in several for name in outcomes.needs(one["finding"], one["values"])
        )
    )
    if first["verdict"] == "unknown" and needs and len(several) > 1:
        return f"I would need: {', '.join(needs)}"
    kinds: dict[Any, list[Mapping[str, Any]]] = {}
    for one in several:
        kinds.setdefault((one["finding"], outcomes.kind(one["values"])), []).append(one)
    return _few(
        (
            own[0]["why"]
            if len({one["why"] for one in own}) == 1
            else outcomes.why(own[0]["finding"], outcomes.together([one["values"] for one in own]))
            for own in kinds.values()
        ),
        "; ",
    )


def _findings(
    table: Mapping[str, list[Any]], where: list[str], folder: str
) -> Iterator[dict[str, Any]]:
    """Write the rows, with the run and its subject as ``place``; ``where`` names the run."""
    from fiotools.stats.check import outcomes

    of_several = {row[0] for row in zip(table["source"], table["run"], strict=True) if row[1] != 1}
    for values in zip(*table.values(), strict=True):
        row = dict(zip(table, values, strict=True))
        place = [_text(row[name]).removeprefix(folder) for name in where]
        is_numbered, subject = row["source"] in of_several, _text(row["subject"])
        place += [f"run {row['run']}"] if is_numbered else []
        place += [] if subject in place or (is_numbered and subject == "run") else [subject]
        told = {name: _text(row[name]) for name in ("verdict", "check", "finding", "why", "remedy")}
        yield {
            **told,
            "values": outcomes.read(row["details"]),
            "place": " ".join(place),
            "ends": (row["observed"], row["limit"]),
            "unit": _text(row["unit"]),
        }


def _marked(head: str, values: Sequence[str]) -> SheetColumn:
    """Make a column of values that have marks."""
    return SheetColumn(head, list(values), marks=list(map(columns.mark, values)))


def _apart(several: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Keep up to two accusations of one kind apart, if their numbers differ."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for one in several:
        found.setdefault((one["why"], _against([one])), []).append(one)
    is_apart = several[0]["verdict"] in GRAVEST[:2] and len(found) < 3
    return [*found.values()] if is_apart else [several]


def _against(several: Sequence[Mapping[str, Any]]) -> str:
    """Write what was observed against the limit, in the span of several findings."""
    units = {one["unit"] for one in several}
    is_open = several[0]["verdict"] == "unknown" and len({one["ends"] for one in several}) > 1
    if len(units) > 1 or is_open or any(is_missing(one["ends"][0]) for one in several):
        return ""
    (unit,) = units
    every = zip(*(one["ends"] for one in several), strict=True)
    known = [own for ends in every if (own := [end for end in ends if not is_missing(end)])]
    return " vs ".join(
        spanned(columns.cell(min(own), unit), columns.cell(max(own), unit)) for own in known
    )


def _text(value: object) -> str:
    return "" if is_missing(value) else printable(str(value))


_FEW = 5  # values of an option that are listed


def options(settings: pl.DataFrame) -> Sheet:
    """Lay out the options that were given, and the values that the runs had of each."""
    own = settings.filter(settings["origin"].ne_missing("default"))
    texts = own.group_by("option", maintain_order=True).agg("text")
    found = {option: list(dict.fromkeys(map(given, values))) for option, values in texts.rows()}
    told = [", ".join(values[:_FEW] + more(len(values) - _FEW)) for values in found.values()]
    made = [SheetColumn("option", list(found)), SheetColumn("set to", told, wraps=40)]
    return Sheet(made if found else [], title="How it was measured")


_MOST = 5  # warnings
_GLANCE = 12  # rows of results


def overview(results: Results, rows: int | None = None) -> Sheet:
    """Lay out results at a glance: what was measured, and the warnings of the readers."""
    name, frame = first_look(results)
    most = min(rows or _GLANCE, _GLANCE)
    frame, of_each = _of_each_side(frame, results.labels, most)
    shown = Frame(frame, most)
    shown.remedy = f"{of_each}: ft.overview(res) shows all"
    made = _of_table(shown, name, head)
    made.title, made.whole = f"Results: {', '.join(results.counts())}", "overview()"
    made.notes += [*results.unread(), *_warnings(results)]
    return made


def _of_each_side(
    frame: pl.DataFrame, labels: Sequence[str], most: int
) -> tuple[pl.DataFrame, str]:
    """Put as many rows of one side first as of the others, and say so."""
    import polars as pl

    from fiotools.stats.order import ROUND

    sides = [name for name in labels if name in frame.columns and name not in ("run", ROUND)]
    while sides and frame.select(sides).n_unique() > most:
        sides.pop()  # as many labels as can be shown
    if len(frame) <= most or not sides or frame.select(sides).n_unique() < 2:
        return frame, ""
    at, place = pl.int_range(pl.len()), "place of the row"
    places = frame.select(at.over(sides).alias("of its side"), at.alias(place))
    first = places.sort("of its side", place)[place]
    return frame[[*first.head(most).sort(), *first.slice(most).sort()]], ", some of each side"


def first_look(results: Results) -> tuple[str, pl.DataFrame]:
    """Return the overview of results, or if nothing can be in it, their main table."""
    from fiotools.stats.overview import tabulated

    tables = {name: results.tables.polars(name) for name in results.tables}
    with suppress(SchemaError):  # a run is there twice
        frame = tabulated(tables)
        if any(frame[name].count() for name in ANSWERS["overview"] if name != "status"):
            return "overview", frame
    name = metrics.main_table(results)
    return name, tables[name]


def _of_table(
    frame: Frame, name: str, title: Callable[[str], str], *, chosen: bool = False
) -> Sheet:
    return by_run(frame, title) if name == "overview" else plain(frame, title, chosen=chosen)


def by_run(frame: Frame, title: Callable[[str], str] = head) -> Sheet:
    """Lay out an answer of `overview`."""
    if {*frame.columns["status"]} <= {"ok", None}:
        frame.names.remove("status")
    return plain(frame, lambda name: "percentiles of" if name == "latency" else title(name))


def preview(results: Results, frame: pl.DataFrame, name: str, rows: int, chosen: bool) -> Sheet:
    """Lay out rows of a table of results: the first, or all if ``rows`` is 0.

    If the columns are not chosen, those without values are left out.
    """
    made = _of_table(Frame(frame, rows or None), name, naming.short, chosen=chosen)
    made.title = ", ".join(results.counts())
    whole = typed("overview()", "--table overview --format csv")
    made.whole = whole if name == "overview" else ""
    if name == "notes":
        made.columns = [
            replace(one, wraps=WRAPS) if one.head == "source" else one for one in made.columns
        ]
    if not len(frame):
        made.notes = [f"{name} has no rows in these files"]
    others = [
        f"{one} {count:,}"
        for one in results.tables
        if (count := results.tables.height(one)) and one not in (name, "notes")
    ]
    if others and not chosen:
        this = f"{name} is shown; " if len(frame) else ""
        made.notes.append(f"{this}other tables ({argument('table')}): {', '.join(others)}")
    return made


def _warnings(results: Results) -> list[str]:
    """List the warnings of the readers; the rest is in `notes`."""
    notes = results.tables.polars("notes")
    grave = notes.filter(notes["severity"].is_in(["warning", "error"]))
    if not len(grave):
        return []
    told = zip(grave["code"], grave["message"], grave["source"], strict=True)
    lines = grouped((((code, text), text, source) for code, text, source in told), len(grave))
    left = many(len(lines) - _MOST, "more warning")
    return lines[:_MOST] + ([f"and {left} in .notes"] if len(lines) > _MOST else [])


_LAYOUTS: Mapping[str | None, Callable[[Frame], Sheet]] = {
    "overview": by_run,
    "compare": comparison,
    "gate": held,
    "overall": overall,
    "scaling": load_curve,
    "plan": plan,
    "speedup": comparison,
    "tails": comparison,
    "summarize": summary,
    "check": findings,
    "settings_diff": options_that_differ,
    "explain": explanation,
}
