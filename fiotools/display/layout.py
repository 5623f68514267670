"""The layouts of answers that people read, and of any other frame.

A value has its unit and its interval beside it. Columns without a value are left out, and columns
with one value in all rows are named once. In an answer of `check`, a finding that several runs
share has one row; if it is impossible or suspect, it has a row for each different number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fiotools.display import cells, columns
from fiotools.display.cells import printable
from fiotools.display.frame import Frame, answer_of
from fiotools.display.model import Column, Sheet
from fiotools.errors import argument
from fiotools.files.path_labels import common_folder
from fiotools.language import called, counted, listed, places, say, spoken
from fiotools.schema import ANSWERS
from fiotools.vocabulary import CONDITIONS, EVERY, KEYS

if TYPE_CHECKING:
    import polars as pl

WRAPS = 24  # letters that a line of a sentence has at least
_SAID = ("warnings", "varies_in", "settings_differ")  # below the table, and each thing once
# in the unit of the row's metric, which stands in the column `unit`
_MEASURED = (
    *("center", "center_baseline", "median", "mean", "stddev", "min", "max", "window_mean"),
    *("log_rate", "summary_rate", "observed", "limit", "stddev_within", "stddev_between"),
)
_SENTENCES = (
    *("verdict", "message", "text", "text_baseline", "command", "description", "why"),
    *("remedy", "basis", "note", "stragglers"),
)
# named once if it is the same in all rows; a measured number stays in its column
_ASKED = ("confidence", "interval_s", "window", "tolerance_pct", "comparisons", "percentile")
_STEM = re.compile(r"(.*?)((?:_bytes_per_s|_bytes|_ns|_s|_pct)?)$")
_NUMBER = re.compile(r"\d[\d.,]*")


def plain(frame: Frame) -> Sheet:
    """Lay out any frame."""
    if not frame.size:
        return Sheet([], say("no rows"))
    filled = [name for name in frame.names if not frame.is_empty(name)]
    ends = {end for name in filled for end in interval_of(name, filled)}
    names = [name for name in filled if name not in ends and name not in ("unit", *_SAID)]
    if "verdict" in names and "met" in names:
        names.remove("met")  # the same in one word
    names, shared = folded(frame, names)
    made = [column(frame, name, keep=_worth(frame, name)) for name in names]
    return Sheet(made, notes=[*said(frame, filter(is_label, names)), *cut(frame)], shared=shared)


def column(frame: Frame, name: str, title: str = "", keep: int = 0) -> Column:
    """Make a column: with the interval in the same cell, if there is one."""
    return Column(
        title or head(name),
        cells_of(frame, name),
        right=cells.is_numeric(frame.columns[name], name),
        keep=keep,
        wraps=WRAPS if name in _SENTENCES else 0,
        about=about(name),
    )


def about(name: str) -> str:
    """Say what a column means, as a tooltip of its heading."""
    known = EVERY.get(name)
    return f"{name}: {known.meaning}" if known else ""


def head(name: str) -> str:
    """Write a heading.

    Examples
    --------
    >>> head("lat_mean_ns"), head("bw_bytes_per_s"), head("volume")
    ('lat mean', 'bw', 'volume')
    """
    known = name in EVERY
    return columns.short(name).replace("_", " ") if known else name


def cells_of(frame: Frame, name: str) -> list[str]:
    """Write the values of a column, with their intervals if there are any."""
    values = frame.columns[name]
    if name == "confidence":
        return [cells.NONE if value is None else f"{100 * value:g} %" for value in values]
    if name == "value" and "quantity" in frame.columns:
        return cells.each(values, frame.columns["quantity"])
    units = _units(frame, name, len(values))
    ends = interval_of(name, frame.names)
    if not ends and len(set(units)) < 2:
        return cells.column(values, name, *units[:1])[0]
    near = {unit: cells.like(_of(values, units, unit), unit) for unit in set(units)}
    lows, highs = ([frame.columns[end] for end in ends]) or ([None] * len(values),) * 2
    rows = zip(values, lows, highs, units, strict=True)
    return [cells.within(*row, like=near[row[-1]]) for row in rows]


def _of(values: Sequence[Any], units: Sequence[str], unit: str) -> list[Any]:
    return [value for value, own in zip(values, units, strict=True) if own == unit]


def _units(frame: Frame, name: str, rows: int) -> list[str]:
    """Return the unit of each row: of the column, or of the row's metric."""
    if name in _MEASURED and "unit" in frame.columns and not cells.unit_of(name):
        return [unit or "" for unit in frame.columns["unit"]]
    return [cells.unit_of(name)] * rows


def interval_of(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """Name the columns of a value's interval, if it has one.

    Examples
    --------
    >>> interval_of("value_ns", ["value_ns", "value_lo_ns", "value_hi_ns"])
    ('value_lo_ns', 'value_hi_ns')
    >>> interval_of("ratio", ["ratio"])
    ()
    """
    found = _STEM.fullmatch(name)
    stem, unit = found.groups() if found else (name, "")
    ends = (f"{stem}_lo{unit}", f"{stem}_hi{unit}")
    return ends if set(ends) <= set(names) and name in names else ()


def folded(
    frame: Frame, names: Sequence[str], title: Callable[[str], str] = head
) -> tuple[list[str], str]:
    """Return the columns that differ, and a line with the values of the others."""
    same = [name for name in names if _folds(name) and frame.is_alike(name)]
    if len(same) == len(names):  # a table has a column
        same = []
    alike = [f"{title(name)} {cells_of(frame, name)[0]}" for name in same]
    shared = say("in all rows: {values}", values=listed(alike)) if alike else ""
    return [name for name in names if name not in same], shared


def said(frame: Frame, labels: Iterable[str]) -> list[str]:
    """List the notes of the rows, each once."""
    shown = [cells.levels(frame.columns[name], name) for name in labels]
    where = [" ".join(map(called, row)) for row in zip(*shown, strict=True)]
    notes: list[str] = []
    for name, words in (
        ("warnings", ""),
        ("settings_differ", "options that differ: {names}"),
        ("varies_in", "varies, and is not named: {names}"),
    ):
        if name in frame.columns:
            found = grouped(frame.columns[name], where)
            notes += [say(words, names=one) if places(words) else one for one in found]
    return notes


def grouped(notes: Iterable[Any], where: Sequence[str]) -> list[str]:
    """List the notes of rows, each once though its numbers differ, with the rows they are about."""
    where = where or [""]  # one row, of everything
    said: dict[str, tuple[str, list[str]]] = {}
    for text, place in zip(notes, where, strict=True):
        for note in [] if cells.is_missing(text) else printable(str(text)).split("; "):
            said.setdefault(_NUMBER.sub("#", note), (note, []))[1].append(place)
    lines = []
    for note, rows in said.values():
        few = list(dict.fromkeys(row for row in rows if row))
        names = [listed(few[:2]), *([say("and {n} more", n=len(few) - 2)] if few[2:] else [])]
        told = spoken(note)
        if len(rows) < len(where):
            told = say("{said} ({names})", said=told, names=listed(names, "; "))
        lines.append(told)
    return lines


def cut(frame: Frame) -> list[str]:
    """Say how many rows are not shown."""
    there = len(next(iter(frame.columns.values()), ()))
    return [first_rows(there, frame.size)] if there < frame.size else []


def first_rows(shown: int, rows: int) -> str:
    """Say how many of the rows a table shows."""
    return say("the first {n} of {total} rows", n=shown, total=f"{rows:,}")


def is_label(name: str) -> bool:
    """Say whether a column tells rows apart."""
    asked = ("latency", "percentile", "quantity", "option", "difference_pct", "power")
    known = (*KEYS, *CONDITIONS, *asked)
    return name in known or name not in EVERY


def _worth(frame: Frame, name: str) -> int:
    """Rank a column for tables that are too narrow for all."""
    if name == "verdict" or name not in EVERY:
        return 3
    if interval_of(name, frame.names):
        return 2
    return 0 if name in ("source", "run", "entry") else 1


def _folds(name: str) -> bool:
    known = EVERY.get(name)
    figure = known is not None and known.dtype in ("Int64", "float64")
    return name != "verdict" and (not figure or name in (*KEYS, *CONDITIONS, *_ASKED))


def sheet(frame: Frame) -> Sheet:
    """Lay out an answer, or any other frame."""
    return _LAYOUTS.get(answer_of(frame.names), plain)(frame)


def comparison(frame: Frame) -> Sheet:
    """Lay out an answer of `compare`, `speedup` or `tails`."""
    *by, between = frame.names[: frame.names.index("baseline")]
    what = "speedup" if "speedup" in frame.names else "ratio"
    left, shared = folded(frame, [*by, what])
    labels = [*left[:-1], between]
    metric, baseline, method, confidence = (
        _one(frame, name) for name in ("metric", "baseline", "method", "confidence")
    )
    several = [name for name in ("metric", "baseline") if not _one(frame, name)]
    pairs = zip(frame.columns["n"], frame.columns["n_baseline"], strict=True)
    of = baseline or say("the baseline")
    runs = [str(own) if own == other else f"{own} vs {other}" for own, other in pairs]
    made = [
        *(column(frame, name, keep=5) for name in [*labels, *several]),
        column(frame, "center", head(metric or "center"), keep=1),
        column(frame, "center_baseline", say("of {name}", name=of), keep=1),
        column(frame, what, f"{what} [{confidence}]" if confidence else what, keep=4),
        Column("n", runs, right=True, keep=2, about=about("n")),
        column(frame, "verdict", keep=3),
    ]
    count = max(frame.columns["comparisons"], default=0)
    sure = []
    if confidence and method:
        sure.append(say("{confidence} intervals by {method}", confidence=confidence, method=method))
        if count > 1:
            sure = [say("{said}, for all {n} together", said=sure[0], n=count)]
    if any(frame.columns["runs_needed"]):
        if "any looks" not in method:
            looks = argument("looks", "any")
            sure.append(say("added runs count as another look: {option}", option=looks))
        more = [f"+{count}" if count else "" for count in frame.columns["runs_needed"]]
        told = about("runs_needed")
        made.append(Column("runs needed", more, right=True, about=told))
    words = {"metric": _metric(metric), "baseline": baseline or say("its baseline")}
    if between == "label":  # the files have names of their own
        title = say("{metric}, against {baseline}", **words)
    else:
        title = say("{metric} of each {name}, against {baseline}", name=between, **words)
    return Sheet(made, title, [*said(frame, labels), *sure, *cut(frame)], shared)


def overall(frame: Frame) -> Sheet:
    """Lay out an answer of `overall`: a comparison whose rows over all have a name."""
    counts, about = frame.columns["workloads"], frame.columns["about"]
    for name in frame.names[: frame.names.index("baseline")]:
        column = frame.columns[name]
        if None in column and all(isinstance(value, str) for value in column if value is not None):
            frame.columns[name] = [
                f"{about[row]} ({counts[row]})" if value is None else value
                for row, value in enumerate(column)
            ]
            break
    return comparison(frame)


def summary(frame: Frame) -> Sheet:
    """Lay out an answer of `summarize`."""
    labels = frame.names[: -len(ANSWERS["summarize"])]
    metric, confidence = _one(frame, "metric"), _one(frame, "confidence")
    left, shared = folded(frame, labels)
    # of one run, there is nothing between the least and the most
    spread = ("stddev", "cov_pct", "min", "max") if max(frame.columns["n"], default=0) > 1 else ()
    keep = {"n": 3, "median": 4, "mean": 4, "cov_pct": 2, "outliers": 2}
    names = ["n", "median", "mean", *spread, *(["outliers"] * any(frame.columns["outliers"]))]
    made = [column(frame, name, keep=5) for name in left]
    for name in names:
        sure = confidence and any(frame.columns.get(f"{name}_lo", ()))
        title = f"{name} [{confidence}]" if sure else ""
        made.append(column(frame, name, title, keep.get(name, 1)))
    title = say("{metric} of the runs", metric=_metric(metric))
    if labels:
        title = say("{said} of each {names}", said=title, names=listed(map(head, labels)))
    return Sheet(made, title, [*said(frame, left), *cut(frame)], shared)


def options_that_differ(frame: Frame) -> Sheet:
    """Lay out an answer of `settings_diff`: each option, and what it was set to."""
    if not frame.size:
        return Sheet([], say("no option in the files differs between the sides"))
    of = say("of {name}", name=_one(frame, "baseline") or say("the baseline"))
    texts = {say("set to"): frame.columns["text"], of: frame.columns["text_baseline"]}
    made = [column(frame, name, keep=1) for name in ("option", frame.names[0])]
    for head, values in texts.items():
        given = [say("not given") if value is None else value for value in values]
        made.append(Column(head, given, wraps=WRAPS))
    title = say("options that differ between {names}", names=frame.names[0])
    return Sheet(made, title, cut(frame))


def _metric(name: str) -> str:
    return head(name) if name else say("each metric")


def _one(frame: Frame, name: str) -> str:
    """Write the value of a column, if it has only one."""
    texts = {text for text in cells_of(frame, name) if text != cells.NONE}
    return texts.pop() if len(texts) == 1 else ""


_GRAVEST = ("impossible", "suspect", "unknown", "ok")
_FIGURE = re.compile(r"(?<![\w.=-])\d[\d.,]*(?: (?:[kMGTP]?i?B|B|s|[mµn]s)(?:/s)?)?(?![\w])")
_LONG_WRAPS = 44  # letters that a line has at least: these sentences are long


@dataclass(frozen=True)
class _Finding:
    """One row of the answer, as texts.

    Attributes
    ----------
    place : str
        The run, where there are several, and what of it was looked at.
    against : str
        The observed, and the limit that it is held against.
    """

    verdict: str
    check: str
    place: str
    against: str
    why: str
    remedy: str


def findings(frame: Frame, *, ok: bool = True) -> Sheet:
    """Lay out an answer of `check`; without ``ok``, findings that are ok are only counted."""
    table = frame.whole()
    labels = [name for name in table if name not in (*ANSWERS["check"], "source", "run")]
    runs = set(zip(table["source"], table["run"], strict=True))
    folder = "" if labels else common_folder(map(_text, table["source"]))
    where = labels or ["source"] if len(runs) > 1 else []
    told_of: dict[tuple[str, ...], list[_Finding]] = {}
    for one in _findings(table, where, folder):
        if ok or one.verdict != "ok":
            own = one.verdict in _GRAVEST[:2]  # an accusation stands with its own numbers
            words = (one.why, one.against) if own else (_FIGURE.sub("…", one.why),)
            told_of.setdefault((one.verdict, one.check, one.remedy, *words), []).append(one)
    order = [*_GRAVEST, *map(_text, [*table["verdict"], *table["check"]])]
    groups = sorted(told_of.items(), key=lambda group: tuple(map(order.index, group[0][:2])))
    shown = groups[: frame.rows]
    made = [
        Column("verdict", [key[0] for key, _ in shown], keep=3),
        Column("check", [spoken(key[1]) for key, _ in shown], keep=2),
        Column(
            say("of"),
            [_few([one.place for one in group]) for _, group in shown],
            keep=4,
            wraps=_LONG_WRAPS,
            joins="",
        ),
        Column(
            say("observed vs limit"), [_alike([one.against for one in group]) for _, group in shown]
        ),
        Column(
            say("why"),
            [_in_words_of_all([one.why for one in group]) for _, group in shown],
            keep=4,
            wraps=_LONG_WRAPS,
            joins=": ",
        ),
        Column(
            say("what to do"),
            [key[2] for key, _ in shown],
            keep=4,
            wraps=_LONG_WRAPS,
            joins="\n> ",
            once=True,
        ),
    ]
    counts = Counter(table["verdict"])
    told = listed(f"{counts[verdict]} {say(verdict)}" for verdict in _GRAVEST)
    notes = [first_rows(len(shown), len(groups))] if len(shown) < len(groups) else []
    where_of = counted(len(runs), "{n} run", "{n} runs")
    where_of = say("{runs} in {folder}", runs=where_of, folder=folder) if folder else where_of
    title = say("{name}: {text}", name=where_of, text=told)
    return Sheet([one for one in made if any(one.cells)], title, notes)


def _findings(table: Mapping[str, list[Any]], where: list[str], folder: str) -> Iterator[_Finding]:
    """Read the rows; ``where`` has the columns that name a run."""
    for values in zip(*table.values(), strict=True):
        row = dict(zip(table, values, strict=True))
        place = [_text(row[name]).removeprefix(folder) for name in where]
        place += [say("run {n}", n=row["run"])] if row["run"] != 1 else []
        yield _Finding(
            _text(row["verdict"]),
            _text(row["check"]),
            " ".join(dict.fromkeys([*place, _text(row["subject"])])),
            _against(row),
            _text(row["why"]),
            _text(row["remedy"]),
        )


def _in_words_of_all(whys: list[str]) -> str:
    """Write a sentence of several runs, without the numbers that differ."""
    figures = zip(*map(_FIGURE.findall, whys), strict=False)
    common = iter([_alike(every) or "…" for every in figures])
    return _FIGURE.sub(lambda _: next(common, "…"), whys[0])


def _alike(texts: Sequence[str]) -> str:
    """Return the text that all share, or nothing."""
    return texts[0] if len(set(texts)) == 1 else ""


def _few(places: list[str]) -> str:
    """Name the first two places, and count the rest."""
    named = list(dict.fromkeys(places))
    more = [say("and {n} more", n=len(named) - 2)] if len(named) > 2 else []
    return listed([*named[:2], *more])


def _against(row: Mapping[str, Any]) -> str:
    """Write the observed against the limit, as far as they are known."""
    unit = "" if cells.is_missing(row["unit"]) else str(row["unit"])
    ends = [end for end in (row["observed"], row["limit"]) if not cells.is_missing(end)]
    texts = [cells.cell(end, unit) for end in ends]
    return " vs ".join(texts) if not cells.is_missing(row["observed"]) else ""


def _text(value: object) -> str:
    return "" if cells.is_missing(value) else printable(str(value))


_FEW = 5  # values of an option that are listed


def options(settings: pl.DataFrame) -> Sheet:
    """Lay out the options that were given, and the values that the runs had of each."""
    given = settings.filter(settings["origin"].ne_missing("default"))
    texts = given.group_by("option", maintain_order=True).agg("text")
    found = {option: list(dict.fromkeys(values)) for option, values in texts.rows()}
    columns = [
        Column("option", list(found)),
        Column("set to", [_listed(values) for values in found.values()], wraps=40),
    ]
    return Sheet(columns if found else [], title="How it was measured")


def _listed(values: list[str | None]) -> str:
    some = ", ".join(str(value) for value in values[:_FEW] if value is not None)
    return f"{some}, and {len(values) - _FEW} more" if len(values) > _FEW else some


_LAYOUTS: Mapping[str | None, Callable[[Frame], Sheet]] = {
    "compare": comparison,
    "overall": overall,
    "speedup": comparison,
    "tails": comparison,
    "summarize": summary,
    "check": findings,
    "settings_diff": options_that_differ,
}
