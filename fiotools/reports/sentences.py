"""A comparison in sentences, and the findings that a report begins with."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from fiotools import units
from fiotools.display import columns
from fiotools.errors import SchemaError
from fiotools.language import called, counted, listed, more, named, say, spoken
from fiotools.reports.questions import Comparison, best, swept
from fiotools.stats.compare import settled
from fiotools.stats.frames import metric_of
from fiotools.stats.overall import overall
from fiotools.vocabulary import CONDITIONS

# a verdict: its word, and by how much or in how much time
_WORD = re.compile(r"(\w+)(?: by (.*)|, taking (.*) (more|less) time)?")
_CHANGED = {
    "": "{level} is {word} than {baseline} by {share}",
    "more": "{level} is {word} than {baseline}, taking {share} more time",
    "less": "{level} is {word} than {baseline}, taking {share} less time",
}
_MANY = 6  # sentences about one side; above, those of one verdict are one
_OPEN = "not settled"
UNKNOWN = "the spread between runs is unknown"
# why too few runs have no verdict
_UNSURE = {"one run": UNKNOWN, "two runs": "too few for a verdict"}
# the warnings of `compare` that weaken what it finds, and how they are called where they differ
_CAVEATS = {
    "the sides differ in": "the sides differ in more than that",
    "the sides hold": "the sides do not hold the same mixture",
    "the sides had other options": "the sides had other options",
    "no spread at all": "the runs do not differ at all",
    "the sides ran in blocks": "the sides ran in blocks",
    "values drift": "values drift over the series of runs",
}

# by the unit of a metric: how many times what
_WORDS = {"1/s": "{times} times as many I/Os per second", "B/s": "{times} times the bandwidth"}
MOST = 3
# by the metric's unit
_TOP = {"1/s": "Most I/Os per second at {place}", "B/s": "Highest bandwidth at {place}"}
_UNJUDGED = (*_UNSURE, "not comparable", "no verdict")


Row: TypeAlias = dict[str, Any]
_Cell: TypeAlias = tuple[Row, str]  # of a comparison, with its name


@dataclass(frozen=True)
class Sentence:
    """A comparison in words: in short, its numbers, and their verdict."""

    head: str
    rest: str
    verdict: str = ""

    def __str__(self) -> str:
        return say("{head}: {rest}.", head=self.head, rest=self.rest)


def sentences(answer: pd.DataFrame) -> list[Sentence]:
    """Turn an answer of `compare`, or of `speedup` if lower is better, into sentences.

    A row is a sentence; those of many rows with the same verdict are merged.
    """
    cells = list(zip(_records(answer), cell_names(answer), strict=True))
    gaps = [(row, name) for row, name in cells if columns.is_missing(row["ratio"])]
    sides: dict[object, list[_Cell]] = {}
    for row, name in cells:
        if not columns.is_missing(row["ratio"]):
            sides.setdefault(sides_of(row)[0], []).append((row, name))
    found: list[Sentence] = []
    for own in sides.values():
        alike: dict[object, list[_Cell]] = {}
        for at, (row, name) in enumerate(own):
            alike.setdefault(row["verdict"] if len(own) > _MANY else at, []).append((row, name))
        parts = sorted(alike.values(), key=_openness if len(own) > _MANY else lambda _: 0)
        found += [_one(*part[0]) if len(part) == 1 else _several(part, len(own)) for part in parts]
    if len(gaps) < 3:
        return [*found, *(_one(row, name) for row, name in gaps)]
    names = [named(name, sides_of(row)[0]) for row, name in gaps]
    shown = listed(names[:_MANY] + more(len(names) - _MANY), "; ")
    said = say("one of the sides has no run there ({cells})", cells=shown)
    head = say("Nothing to compare in {n} of {of} cases", n=len(gaps), of=len(cells))
    return [*found, Sentence(head, said, "not comparable")]


def _records(answer: pd.DataFrame) -> list[Row]:
    """Return the rows of an answer."""
    return [{str(name): row[name] for name in row} for row in answer.to_dict("records")]


def cell_names(answer: pd.DataFrame) -> list[str]:
    """Name the cell of each row, by the columns before the two sides in which cells differ."""
    names = columns.of(answer)
    return names_of(answer, names[: names.index("baseline") - 1])


def names_of(frame: pd.DataFrame, by: Iterable[str]) -> list[str]:
    """Name rows by the columns that tell them apart."""
    by = telling(frame, by)
    texts = [columns.levels(frame[name].tolist(), name) for name in by]
    rows = list(zip(*texts, strict=True)) or [()] * len(frame)
    if "direction" in by and len(by) > 1:
        at = by.index("direction")  # a mixed workload has two, and the others have one
        rests = [(*row[:at], *row[at + 1 :]) for row in rows]
        ways = Counter(rest for rest, _ in {*zip(rests, (row[at] for row in rows), strict=True)})
        rows = [rest if ways[rest] == 1 else row for row, rest in zip(rows, rests, strict=True)]
    return [listed(map(called, row)) for row in rows]


def telling(frame: pd.DataFrame, by: Iterable[str]) -> list[str]:
    """Leave out columns that are the same in all rows or follow from the rest."""
    by = [name for name in by if len(frame[name].unique()) > 1]
    for name in ("direction", *CONDITIONS):
        rest = [other for other in by if other != name]
        if name in by and rest:
            cells_of = frame.groupby(rest, dropna=False)[name]
            if not cells_of.nunique(dropna=False).gt(1).any():
                by = rest
    return by


def _openness(part: list[_Cell]) -> int:
    """Rank a verdict by how much it leaves open."""
    verdict = part[0][0]["verdict"]
    if "not comparable" in verdict or "no verdict" in verdict:
        return 3
    return 2 if verdict == _OPEN else int(verdict.endswith(_OPEN))


def _one(row: Row, cell: str) -> Sentence:
    """Write the sentence of one cell."""
    verdict = str(row["verdict"])
    level, baseline = sides_of(row)
    if columns.is_missing(row["ratio"]):
        head = say("{level} against {baseline}", level=level, baseline=baseline)
        return Sentence(named(cell, head), spoken(verdict), verdict)
    runs = say("n {n} and {m}", n=row["n"], m=row["n_baseline"])
    parts = [_times(row) if verdict.startswith("one run") else listed([_times(row), runs])]
    unsure = _unsure(verdict)
    if not unsure:
        if open_ := verdict.partition("; ")[2]:
            parts.append(spoken(open_))
        if not columns.is_missing(needed := row["runs_needed"]) and needed:
            single = "{n} more run a side would probably settle it"
            several = "{n} more runs a side would probably settle it"
            parts.append(counted(needed, single, several))
    parts += [*_caveats(row), *unsure]
    return Sentence(named(cell, _head(row, begins=not cell)), listed(parts, "; "), verdict)


def _unsure(verdict: str) -> list[str]:
    return [say(why) for runs, why in _UNSURE.items() if verdict.startswith(runs)]


def _head(row: Row, *, begins: bool = True) -> str:
    """Write the verdict with the names of both sides."""
    level, baseline = sides_of(row)
    verdict = str(row["verdict"])
    both = {"level": level, "baseline": baseline}
    if _unsure(verdict):
        runs = spoken(verdict.partition(":")[0])
        return say("{level} against {baseline}, {runs}", runs=runs, **both)
    if verdict.startswith("same"):
        band = re.findall(r"[\d.]+", verdict)[0]
        return say("{level} and {baseline} are the same within {band} %", band=band, **both)
    if verdict == _OPEN and begins:
        return say("Not settled between {level} and {baseline}", **both)
    if verdict == _OPEN:
        return say("not settled between {level} and {baseline}", **both)
    word, by, time, way = _WORD.findall(verdict.partition("; ")[0])[0]
    template = _CHANGED[way] if by or time else "{level} is {word} than {baseline}"
    return say(template, word=called(word), share=spoken(by or time), **both)


def _several(part: list[_Cell], of: int) -> Sentence:
    """Write the sentence of several cells."""
    verdict = str(part[0][0]["verdict"])
    rows = [row for row, _ in part]
    template = "{said} in all {of}" if len(part) == of else "{said} in {n} of {of}"
    head = say(template, said=_head(rows[0]), n=len(part), of=of)
    shown = [_value(row) for row in rows]
    low, high = columns.figures(min(shown)), columns.figures(max(shown))
    # each has an interval of its own: that of the estimates is none
    between = say("estimates from {low} to {high}", low=low, high=high)
    said = _wording(rows[0], low if low == high else between)
    runs = sorted({(row["n"], row["n_baseline"]) for row in rows})
    if len(runs) == 1:
        said = listed([said, say("n {n} and {m} each", n=runs[0][0], m=runs[0][1])])
    parts = [_of(said, [name for _, name in part]), *_unsure(verdict)]
    for start, text in _CAVEATS.items():
        weak = [name for row, name in part if any(n.startswith(start) for n in _notes(row))]
        if weak:
            parts.append(say(text) if len(weak) == len(part) else _of(say(text), weak))
    return Sentence(head, listed(parts, "; "), verdict)


def _of(said: str, names: list[str]) -> str:
    return say("{said} ({names})", said=said, names=listed(names, "; "))


def sides_of(row: Row) -> tuple[str, str]:
    """Name the two sides of a row."""
    names = list(row)
    between = names[names.index("baseline") - 1]
    return units.sides(row[between], row["baseline"], between)


def _told(row: Row) -> str:
    """Name the column to show: the speed-up of a time, else the ratio."""
    return "speedup" if "speedup" in row and metric_of(row["metric"]).is_time else "ratio"


def _value(row: Row) -> float:
    return float(row[_told(row)])


def _wording(row: Row, times: str) -> str:
    """Say how many times what."""
    metric = metric_of(row["metric"])
    if _told(row) == "speedup":
        return say("{times} times as fast", times=times)
    template = "{times} times the {name}"
    if "stddev" not in metric.name:
        template = _WORDS.get(metric.unit, template)
    return say(template, times=times, name=columns.short(metric.name))


def _times(row: Row) -> str:
    """Say how many times what, how sure, and in other words by which share."""
    value, metric = _value(row), metric_of(row["metric"])
    said = f"{_wording(row, columns.figures(value))}{_interval(row)}"
    if _told(row) == "speedup":
        ratio = float(row["ratio"])
        share = 100 * ratio
        if ratio > 1:
            much = say("{n} times", n=columns.figures(ratio))
        else:
            much = f"{share:.0f} %" if share >= 10 else f"{share:.2g} %"
        if metric.unit == "s":
            return say("{said} (takes {share} as long)", said=said, share=much)
        return say("{said} (waits {share} as long)", said=said, share=much)
    share = 100 * abs(value - 1)
    if share < 0.995 or not 0.1 < value < 2:
        return said
    template = "{said} ({share} % less)"
    if value >= 1:
        template = "{said} ({share} % more)"
    elif metric.unit == "1/s" and "stddev" not in metric.name:
        template = "{said} ({share} % fewer)"
    return say(template, said=said, share=f"{share:.0f}")


def _interval(row: Row) -> str:
    """Write the interval of a row in brackets, if it has one."""
    ends = [row[f"{_told(row)}_{end}"] for end in ("lo", "hi")]
    if any(columns.is_missing(end) or not math.isfinite(end) for end in ends):
        return ""
    return f" [{columns.figures(ends[0])}, {columns.figures(ends[1])}]"


def _notes(row: Row) -> list[str]:
    return [] if columns.is_missing(row["warnings"]) else str(row["warnings"]).split("; ")


def _caveats(row: Row) -> list[str]:
    """Repeat the warnings that weaken the comparison, and an option only once."""
    found = [note for note in _notes(row) if note.startswith(tuple(_CAVEATS))]
    if any(note.startswith("the sides differ in") for note in found):
        found = [note for note in found if not note.startswith("the sides had other options")]
    return [spoken(note) for note in found]


def findings(asked: list[Comparison]) -> list[Sentence]:
    """Return up to three findings of some comparisons, the clearest first."""
    ranked = sorted((one for own in asked for one in _ranked(own)), key=lambda one: -one[0])
    return [sentence for _, sentence in ranked[:MOST]]


def _ranked(one: Comparison) -> list[tuple[float, Sentence]]:
    """Return the findings of a comparison, each with its weight."""
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


def _whole(one: Comparison) -> dict[Any, Row]:
    """Compute the ratio over all cells, if each side has runs in every cell."""
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
    if "speedup" in one.answer:  # a ratio of times, turned round
        ends = {"speedup_lo": 1 / told["ratio_hi"], "speedup_hi": 1 / told["ratio_lo"]}
        told = told.assign(speedup=1 / told["ratio"], **ends)
    return {row[str(one.between)]: row for row in _records(told[told["about"].notna()])}


def _across(part: pd.DataFrame, whole: Row | None) -> Sentence:
    """Write one sentence about a side in several cells."""
    rows = sorted(_records(part), key=_value)
    low, high = (f"{columns.figures(_value(row))}{_interval(row)}" for row in (rows[0], rows[-1]))
    cells_of, (level, baseline) = len(rows), sides_of(rows[0])
    words = Counter(row["verdict"].partition(" ")[0] for row in rows if _is_judged(row["verdict"]))
    open_ = cells_of - words.total()
    both = {"level": level, "baseline": baseline}
    all_one_run = all(str(row["verdict"]).startswith("one run") for row in rows)
    if len(words) == 1 and not open_:
        (word,) = words
        if word == "same":
            head = say("{level} is the same as {baseline} in all {n} cells", n=cells_of, **both)
        else:
            template = "{level} is {word} than {baseline} in all {n} cells"
            head = say(template, word=called(word), n=cells_of, **both)
        verdict = rows[0]["verdict"]
    else:
        state = [
            say("{word} in {count} of {n} cells", word=called(word), count=count, n=cells_of)
            for word, count in words.items()
        ]
        if open_ and words:
            state.append(say("not settled in {n}", n=open_))
        state = state or [spoken("one run each") if all_one_run else spoken(_OPEN)]
        against = say("{level} against {baseline}", **both)
        head, verdict = named(against, listed(state)), _OPEN
    between = say("{low} to {high}", low=low, high=high)
    parts = [say("{said}, by cell", said=_wording(rows[0], between))]
    if whole is not None and not columns.is_missing(whole["ratio"]):
        mean = f"{_wording(rows[0], columns.figures(_value(whole)))}{_interval(whole)}"
        parts = [say("{said}, the geometric mean of the cells", said=mean)]
        parts.append(say("the cells lie from {low} to {high}", low=low, high=high))
    if all_one_run:
        parts.append(say(UNKNOWN))
    return Sentence(head, listed(parts, "; "), verdict)


def _is_judged(verdict: str) -> bool:
    return settled(verdict) and not verdict.startswith(_UNJUDGED)


def _of_sweep(one: Comparison) -> list[Sentence]:
    """Say where a sweep without sides does most, also below a latency."""
    names = swept(one)
    if not names or metric_of(one.metric).better == "lower":
        return []
    told = one.summary
    told = told[told["mean"].notna()]
    if not len(told):
        return []
    top, least = _records(told.loc[[told["mean"].idxmax(), told["mean"].idxmin()]])
    rest = [name for name in one.by if name not in names and len(told[name].unique()) > 1]
    unit = metric_of(one.metric).unit
    ends = [units.human(top[f"mean_{end}"], unit) for end in ("lo", "hi")] if top["n"] > 1 else []
    within = f" [{', '.join(ends)}]" if ends else ""
    apart = [*rest, *names]
    place, name = _at(top, apart), columns.short(one.metric)
    head = say(_TOP.get(unit, "Highest {name} at {place}"), place=place, name=name)
    most = listed([f"{units.human(top['mean'], unit)}{within}", _runs(top["n"])])
    least_at, amount = _at(least, apart), units.human(least["mean"], unit)
    said = say("{most}; least at {place}, {least}", most=most, place=least_at, least=amount)
    found = [Sentence(head, said)]
    below = best(one)
    rows = [] if below is None or rest else _records(below[below["iops"].notna()])
    for row in rows:
        limit, latency = (units.human(row[name] / 1e9, "s") for name in ("limit", "observed"))
        template = "Most I/Os per second below a mean latency of {limit}, at {place}"
        head = say(template, limit=limit, place=_at(row, names))
        at = say("{iops} at {latency}", iops=units.human(row["iops"], "1/s"), latency=latency)
        found.append(Sentence(head, listed([at, _runs(row["n"])])))
    return found


def _runs(count: int) -> str:
    return say("one run") if count == 1 else f"n {count}"


def _at(row: Row, names: list[str]) -> str:
    """Name a place of a sweep by its conditions."""
    return listed(called(units.level(row[name], name)) for name in names)
