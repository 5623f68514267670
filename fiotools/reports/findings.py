"""What a reader wants to know first: up to three sentences, each with its interval."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from fiotools import units
from fiotools.display import cells, columns
from fiotools.errors import SchemaError
from fiotools.plain_text import many
from fiotools.reports.questions import Comparison
from fiotools.reports.sentences import UNKNOWN, Sentence, interval, sentences, sides_of, wording
from fiotools.reports.sweeps import best, swept
from fiotools.stats.arguments import metric_of
from fiotools.stats.compare import settled
from fiotools.stats.overall import overall

if TYPE_CHECKING:
    import pandas as pd

MOST = 3
_TOP = {"1/s": "Most I/Os per second", "B/s": "Highest bandwidth"}  # by the metric's unit
_UNJUDGED = ("one run", "two runs", "not comparable", "no verdict")


def findings(asked: list[Comparison]) -> list[Sentence]:
    """Say the most important of some comparisons: the clearest first, three at most.

    Examples
    --------
    >>> import fiotools as ft
    >>> (part,) = ft.study("data/wsl-filesystems/{place}_*_{round:d}.txt").parts
    >>> [one.head for one in findings(part.comparisons)]
    ['ext4 against ext4-image: not settled', 'tmpfs against ext4-image: not settled']
    """
    ranked = sorted((one for own in asked for one in _of(own)), key=lambda one: -one[0])
    return [sentence for _, sentence in ranked[:MOST]]


def _of(one: Comparison) -> list[tuple[float, Sentence]]:
    """Give the findings of a comparison, each with its weight."""
    if one.answer is None:
        return [(0.0, said) for said in _of_sweep(one)]
    answer, between = one.answer, str(one.between)
    there = answer[answer["ratio"].notna()]
    whole = _whole(one)
    found = []
    for level, part in there.groupby(between, sort=False):
        over = whole.get(level)
        said = _across(part, over) if len(part) > 1 else sentences(part)[0]
        sure = sum(_is_judged(verdict) for verdict in part["verdict"]) / len(part)
        found.append((sure * (1 + abs(math.log(part["ratio"].median()))), said))
    return found


def _whole(one: Comparison) -> dict[Any, dict[str, Any]]:
    """Ask for the ratio over all cells, which takes that each side has runs in every cell."""
    if one.answer is None or one.answer["method"].str.contains("any looks").any():
        return {}  # its interval is for a number of runs that was fixed beforehand
    try:
        told = overall(
            one.frame,
            one.metric,
            between=str(one.between),
            baseline=one.baseline,
            over=list(one.by),
        )
    except SchemaError:
        return {}
    rows = told[told["about"].notna()].to_dict("records")
    return {row[str(one.between)]: {str(key): row[key] for key in row} for row in rows}


def _across(part: pd.DataFrame, whole: dict[str, Any] | None) -> Sentence:
    """Say in one sentence what holds of one side in several cells."""
    rows = [{str(name): value for name, value in row.items()} for row in part.to_dict("records")]
    told = "speedup" if "speedup" in part and metric_of(rows[0]["metric"]).is_time else "ratio"
    rows.sort(key=lambda row: row[told])
    low, high = (f"{cells.figures(row[told])}{interval(row)}" for row in (rows[0], rows[-1]))
    what = wording(rows[0])[0]
    level, baseline = sides_of(rows[0])
    words = Counter(row["verdict"].partition(" ")[0] for row in rows if _is_judged(row["verdict"]))
    open_ = len(rows) - words.total()
    if len(words) == 1 and not open_:
        (word,) = words
        like = f"is {word} than" if word != "same" else "is the same as"
        head = f"{level} {like} {baseline} in all {len(rows)} cells"
        verdict = rows[0]["verdict"]
    else:
        counted = [
            f"{word} in {count} of {many(len(rows), 'cell')}" for word, count in words.items()
        ]
        one_run = all(str(row["verdict"]).startswith("one run") for row in rows)
        counted += [f"not settled in {open_}"] if open_ and words else []
        state = ", ".join(counted) or ("one run each" if one_run else "not settled")
        head, verdict = f"{level} against {baseline}: {state}", "not settled"
    said = f"{low} to {high} {what}, by cell"
    if whole is not None and not cells.is_missing(whole["ratio"]):
        row = {**whole, **_sped(whole)} if told == "speedup" else whole
        mean = f"{cells.figures(row[told])} {what}{interval(row)}, the geometric mean of the cells"
        said = f"{mean}; they lie from {low} to {high}"
    if all(str(row["verdict"]).startswith("one run") for row in rows):
        said += f"; {UNKNOWN}"
    return Sentence(head, said, verdict)


def _sped(row: dict[str, Any]) -> dict[str, float]:
    """Turn the ratio of a time into how many times as fast."""
    lo, hi = row["ratio_lo"], row["ratio_hi"]
    return {"speedup": 1 / row["ratio"], "speedup_lo": 1 / hi, "speedup_hi": 1 / lo}


def _is_judged(verdict: str) -> bool:
    return settled(verdict) and not verdict.startswith(_UNJUDGED)


def _of_sweep(one: Comparison) -> list[Sentence]:
    """Say of a sweep without sides where it did most, and how much that is below a latency."""
    names = swept(one)
    told = one.summary
    told = told[told["mean"].notna()]
    if not names or not len(told) or metric_of(one.metric).better == "lower":
        return []
    top, least = (told.loc[getattr(told["mean"], which)()] for which in ("idxmax", "idxmin"))
    rest = [name for name in one.by if name not in names and len(told[name].unique()) > 1]
    unit = metric_of(one.metric).unit
    runs = "one run" if top["n"] == 1 else f"n {top['n']}"
    ends = [_amount(top[f"mean_{end}"], unit) for end in ("lo", "hi")] if top["n"] > 1 else []
    within = f" [{', '.join(ends)}]" if ends else ""
    most = _TOP.get(unit) or f"Highest {columns.short(one.metric)}"
    apart = [*rest, *names]
    said = f"{_amount(top['mean'], unit)}{within}, {runs}; least at {_at(least, apart)}, "
    said += _amount(least["mean"], unit)
    found = [Sentence(f"{most} at {_at(top, apart)}", said)]
    below = best(one)
    rows = [] if below is None else below[below["iops"].notna()].to_dict("records")
    for row in [] if rest else rows:
        kept = {str(name): value for name, value in row.items()}
        limit = units.human(row["limit"] / 1e9, "s")
        found.append(
            Sentence(
                f"Below a mean latency of {limit}, most I/Os at {_at(kept, names)}",
                f"{_amount(row['iops'], '1/s')} at {units.human(row['observed'] / 1e9, 's')}, "
                + ("one run" if row["n"] == 1 else f"n {row['n']}"),
            )
        )
    return found


def _at(row: Any, names: list[str]) -> str:
    return ", ".join(units.level(_plain(row[name]), name) for name in names)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _amount(value: float, unit: str) -> str:
    return units.human(value, unit)
