"""`tell`: an answer in sentences, and in the line that stands above its plot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw

from fiotools import units
from fiotools.display import columns, explained
from fiotools.display.layout import answer_of
from fiotools.errors import SchemaError
from fiotools.files import short_names
from fiotools.reports.blocks import Block
from fiotools.reports.blocks import verdicts as listed
from fiotools.reports.cells import names_of
from fiotools.reports.findings import Row, Top, records
from fiotools.reports.sentences import Sentence, headline_of_sweep, of_sweep, sentences, title
from fiotools.stats.explain import NOTHING
from fiotools.stats.frames import metric_of
from fiotools.tables import naming
from fiotools.tables.results import to_pandas
from fiotools.vocabulary import ANSWERS, KEYS
from fiotools.words import counted, named

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoDataFrame

_MOST = 3  # logs that a title names
_FILES = ("source", "run", "entry", "group")
_WHOLE = 50.0  # % of a window that a log has to cover


class Told(Block):
    """An answer in words: a list in a notebook, and lines where it is printed.

    Attributes
    ----------
    title : str
        What was found, in a line.
    sentences : list of Sentence
    """

    def __init__(self, title: str, said: Sequence[Sentence]) -> None:
        block = listed(said)
        super().__init__(block.text, block.html)
        self.title, self.sentences = title, list(said)


def tell(answer: IntoDataFrame) -> Told:
    """Tell what an answer says, in sentences.

    Parameters
    ----------
    answer : pandas.DataFrame or polars.DataFrame
        The answer of `compare`, `speedup`, `overall`, `tails`, `explain`, `summarize`, `fairness`
        or `window`.

    Returns
    -------
    Told
        Shows itself in a notebook, and prints as text. Its ``title`` says what was found in a line,
        as `plot.title` takes it.

    Raises
    ------
    SchemaError
        If it is none of these answers.

    See Also
    --------
    show : The answer as a table.

    Examples
    --------
    >>> import fiotools as ft
    >>> res = ft.read("data/page-cache/{cache}.txt")
    >>> told = ft.tell(ft.speedup(res, "real_s", baseline="before"))
    >>> told.title
    'after against before, one run each: 9.36 times as fast'
    >>> told  # doctest: +ELLIPSIS
    * after against before, one run each: 9.36 times as fast (takes 11 % as long); the spread ...
    """
    frame = nw.from_native(answer, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise SchemaError(f"tell takes the answer of {_NAMED}, not {type(answer).__name__}")
    own: Any = frame.to_native()
    if frame.implementation.is_polars():
        own = to_pandas(own.clone())
    kind = "window" if {*_OF_WINDOWS} <= {*frame.columns} else answer_of(frame.columns)
    if kind not in _TOLD:
        raise SchemaError(f"tell takes the answer of {_NAMED}: these columns are of none")
    if not len(own):
        raise SchemaError("the answer has no rows, and tells nothing")
    return _TOLD[kind](own)


def _compared(answer: pd.DataFrame) -> Told:
    return Told(title(answer), sentences(answer))


def _summarized(answer: pd.DataFrame) -> Told:
    """Say of a sweep, or of other cells, where the metric is best."""
    known = answer[answer["center"].notna()]
    if not len(known):
        raise SchemaError("no cell has a value: the answer tells nothing")
    by = [name for name in naming.of(answer) if name not in ANSWERS["summarize"]]
    telling = [name for name in by if len(known[name].unique()) > 1]
    metric = known["metric"].iloc[0]
    order = known["center"].sort_values(ascending=_is_low(metric)).index
    best, worst = (records(known.loc[[at]])[0] for at in (order[0], order[-1]))
    if not telling:
        unit = metric_of(metric).unit
        value = columns.within(best["center"], best["center_lo"], best["center_hi"], unit)
        runs = counted(best["n"], "{n} run", "{n} runs")
        one = Sentence(naming.short(metric), (value, runs))
        return Told(f"{one.head}: {value}", [one])
    found = Top(metric, telling, [], best, worst, [])
    (said,) = of_sweep(found)
    reach = _reaching(best, records(known.drop(index=order[0])), metric)
    others = counted(reach, "{n} other point may be as good", "{n} other points may be as good")
    caution = "one run each" if known["n"].max() == 1 else others if reach else ""
    meets = counted(reach, "its interval meets this one", "their intervals meet this one")
    parts = (*said.parts, f"{others}: {meets}") if reach else said.parts
    line = "; ".join(filter(None, [headline_of_sweep(found), caution]))
    return Told(line, [Sentence(said.head, parts)])


def _reaching(best: Row, others: Sequence[Row], metric: str) -> int:
    """Count the cells whose interval meets that of the best one: any of them may be the best."""
    near, far = ("center_hi", "center_lo") if _is_low(metric) else ("center_lo", "center_hi")
    pairs = [(best[near], row[far]) for row in others]
    known = [pair for pair in pairs if not any(map(columns.is_missing, pair))]
    return sum(far <= near if _is_low(metric) else far >= near for near, far in known)


def _is_low(metric: str) -> bool:
    return metric_of(metric).better == "lower"


def _shared(answer: pd.DataFrame) -> Told:
    """Say of each run how unequal its threads were, the most unequal in the title."""
    rows = records(answer)
    names = _names(answer, answer.columns[: list(answer.columns).index("n")])
    said = [
        Sentence(named(name, head) if name else f"{head[0].upper()}{head[1:]}", rest)
        for name, (head, rest) in zip(names, map(_of_threads, rows), strict=True)
    ]
    least = answer["jain"].fillna(1.0).to_numpy().argmin()
    return Told(said[least].head, said)


def _of_threads(row: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    k = row["k"]
    if k < 2:
        return "one thread", ("nothing to share out",)
    if not row["iops_lowest"]:
        return f"one of {k} threads did no I/O", (f"Jain's index {columns.figures(row['jain'])}",)
    ends = (units.human(row[f"iops_{end}"], "1/s") for end in ("lowest", "highest"))
    head = f"the busiest of {k} threads did {columns.figures(row['max_over_min'])} times the I/Os"
    jain = columns.figures(row["jain"])
    scale = f"1 is an equal share, {columns.figures(1 / k)} is all in one thread"
    return f"{head} of the idlest", (" against ".join(ends), f"Jain's index {jain} ({scale})")


def _names(frame: pd.DataFrame, by: Iterable[str]) -> list[str]:
    """Name rows by labels, or by their files in short where these do not tell them apart."""
    by = [name for name in by if len(frame[name].unique()) > 1]
    by = [*{tuple(frame[name]): name for name in reversed(by)}.values()][::-1]  # a name once
    rest = [name for name in by if name not in _FILES]
    if (rest and not frame.duplicated(rest).any()) or "source" not in by:
        return names_of(frame, rest or by)
    whole = list(dict.fromkeys(frame["source"]))
    short = frame["source"].map(dict(zip(whole, short_names(whole), strict=True)))
    return names_of(frame.assign(source=short), by)


def _explained(answer: pd.DataFrame) -> Told:
    """Say of each cell, or of each side alone, what explains it."""
    cells = explained.cells(records(answer))
    heads = [explained.headline(rows) for rows in cells]
    firsts = [explained.largest(rows) for rows in cells]
    said = [Sentence(head, tuple(_reasons(row))) for head, row in zip(heads, firsts, strict=True)]
    return Told("; ".join(heads[:_MOST]), said)


def _reasons(row: Mapping[str, Any]) -> Iterator[str]:
    """Say why, where the headline only names a part of the difference, and what to do."""
    if row["verdict"] == NOTHING:
        return
    if not columns.is_missing(row["log_ratio"]):
        yield explained.why(row)
    if remedy := explained.remedy(row):
        yield remedy


# --- a log ---------------------------------------------------------------------------------------

_OF_WINDOWS = ("time_s", "interval_s", "coverage_pct", "iops")


def _over_time(answer: pd.DataFrame) -> Told:
    """Say between which values a log lies, and when."""
    whole = answer[answer["coverage_pct"].ge(_WHOLE)]
    whole = whole if len(whole) else answer
    is_share = "value_ns" in whole and whole["value_ns"].notna().any()
    metric = "value_ns" if is_share else "iops"
    whole = whole[whole[metric].notna()]
    apart = [*KEYS, *(["percentile"] if is_share else [])]
    by = [name for name in answer.columns if name in apart or name not in _KNOWN]
    said = []
    cells = whole.groupby(
        [name for name in by if whole[name].notna().any()] or "interval_s", sort=False
    )
    parts = [part for _, part in cells]
    firsts = whole.loc[[part.index[0] for part in parts]]
    for part, name in zip(parts, _names(firsts, by), strict=True):
        low, high = (part.loc[part[metric].agg(end)] for end in ("idxmin", "idxmax"))
        values = (units.human(row[metric], metric_of(metric).unit) for row in (low, high))
        what = naming.short(metric)
        if is_share:
            what = f"p{units.percentile(part['percentile'].iloc[0])}"
        first, last = values
        is_one = low["time_s"] == high["time_s"]
        head = named(name, f"{what} {first}" if is_one else f"{what} from {first} to {last}")
        when = (units.human(row["time_s"], "s") for row in (high, low))
        windows = counted(len(part), "{n} window", "{n} windows")
        each = units.human(part["interval_s"].iloc[0], "s")
        rest = "highest in the window that ends at {}, lowest at {}".format(*when)
        own = f"{windows} of {each}"
        said.append(Sentence(head, (own,) if is_one else (rest, own)))
    return Told("; ".join(one.head for one in said[:_MOST]), said)


_KNOWN = {*ANSWERS["window"], *KEYS}
_TOLD: Mapping[str | None, Callable[[Any], Told]] = {
    **dict.fromkeys(["compare", "speedup", "overall", "tails"], _compared),
    "summarize": _summarized,
    "explain": _explained,
    "fairness": _shared,
    "window": _over_time,
}
_NAMED = ", ".join(map(str, _TOLD))
