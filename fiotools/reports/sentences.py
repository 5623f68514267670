"""A comparison in sentences, and the findings that a report begins with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from fiotools import units
from fiotools.display import columns, verdicts
from fiotools.display.columns import OPEN, Mark
from fiotools.errors import SchemaError
from fiotools.reports.questions import Comparison, best, swept
from fiotools.stats.compare import settled
from fiotools.stats.frames import metric_of
from fiotools.stats.overall import overall
from fiotools.tables import naming
from fiotools.vocabulary import CONDITIONS
from fiotools.words import counted, more, named

_MANY = 6  # sentences about one side; above, those of one verdict are one
UNKNOWN = "the spread between runs is unknown"
# why too few runs have no verdict
_UNSURE = {"one run": UNKNOWN, "few runs": "too few for a verdict"}
# the flags that weaken what `compare` finds, and how they are called for several rows
_CAVEATS = {
    "sides": "the sides differ in more than that",
    "shares": "the sides do not hold the same mixture",
    "settings": "the sides had other options",
    "no-spread": "the runs do not differ at all",
    "blocks": "the sides ran in blocks",
    "drift": "values drift over the series of runs",
}

# by the unit of a metric: how many times what
_WORDS = {"1/s": "{times} times as many I/Os per second", "B/s": "{times} times the bandwidth"}
MOST = 3
# by the metric's unit
_TOP = {"1/s": "Most I/Os per second at {place}", "B/s": "Highest bandwidth at {place}"}

Row: TypeAlias = dict[str, Any]
Written: TypeAlias = Callable[[Iterable[str]], str]
_Cell: TypeAlias = tuple[Row, str]  # of a comparison, with its name


@dataclass(frozen=True)
class Sentence:
    """A comparison in words: in short, its numbers, and their verdict."""

    head: str
    parts: tuple[str, ...]
    mark: Mark = OPEN

    @property
    def rest(self) -> str:
        """What follows the head."""
        return "; ".join(self.parts)

    def __str__(self) -> str:
        return f"{self.head}: {self.rest}."


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
            is_alone = len(own) <= _MANY or _is_in_part(row)
            key = at if is_alone else (row["verdict"], verdicts.lacking(row))
            alike.setdefault(key, []).append((row, name))
        parts = sorted(alike.values(), key=_openness if len(own) > _MANY else lambda _: 0)
        found += [_one(*part[0]) if len(part) == 1 else _several(part, len(own)) for part in parts]
    if len(gaps) < 3:
        return [*found, *(_one(row, name) for row, name in gaps)]
    names = [named(name, sides_of(row)[0]) for row, name in gaps]
    shown = "; ".join(names[:_MANY] + more(len(names) - _MANY))
    said = f"one of the sides has no run there ({shown})"
    return [*found, Sentence(f"Nothing to compare in {len(gaps)} of {len(cells)} cases", (said,))]


def _records(answer: pd.DataFrame) -> list[Row]:
    """Return the rows of an answer."""
    return [{str(name): row[name] for name in row} for row in answer.to_dict("records")]


def cell_names(answer: pd.DataFrame, written: Written = ", ".join) -> list[str]:
    """Name the cell of each row, by the columns before the two sides in which cells differ."""
    names = naming.of(answer)
    return names_of(answer, names[: names.index("baseline") - 1], written)


def names_of(frame: pd.DataFrame, by: Iterable[str], written: Written = ", ".join) -> list[str]:
    """Name rows by the columns that tell them apart; plots write them in their language."""
    by = telling(frame, by)
    texts = [columns.levels(frame[name].tolist(), name) for name in by]
    rows = list(zip(*texts, strict=True)) or [()] * len(frame)
    if "direction" in by and len(by) > 1:
        at = by.index("direction")  # a mixed workload has two, and the others have one
        rests = [(*row[:at], *row[at + 1 :]) for row in rows]
        ways = Counter(rest for rest, _ in {*zip(rests, (row[at] for row in rows), strict=True)})
        rows = [rest if ways[rest] == 1 else row for row, rest in zip(rows, rests, strict=True)]
    return [written(row) for row in rows]


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
    row = part[0][0]
    if row["verdict"] in verdicts.LACKING:
        return 3
    return 2 if row["verdict"] == "undecided" else int(_is_in_part(row))


def _is_in_part(row: Row) -> bool:
    """Say whether there is a difference, and it is undecided whether it matters."""
    is_found = row["verdict"] not in ("undecided", *verdicts.LACKING)
    return is_found and row["beyond_band"] == "undecided"


def _one(row: Row, cell: str) -> Sentence:
    """Write the sentence of one cell."""
    level, baseline = sides_of(row)
    if columns.is_missing(row["ratio"]):
        return Sentence(named(cell, f"{level} against {baseline}"), (verdicts.verdict(row),))
    runs = f"n {row['n']} and {row['n_baseline']}"
    parts = [_times(row) if row["verdict"] == "one run" else f"{_times(row)}, {runs}"]
    if not columns.is_missing(needed := row["runs_needed"]) and needed:
        single = "{n} more run a side would probably settle it"
        several = "{n} more runs a side would probably settle it"
        parts.append(counted(needed, single, several))
    parts += [*_caveats(row), *_unsure(row)]
    head = named(cell, _head(row, begins=not cell))
    return Sentence(head, tuple(parts), verdicts.mark_of(row))


def _unsure(row: Row) -> list[str]:
    return [_UNSURE[row["verdict"]]] if row["verdict"] in _UNSURE else []


def _head(row: Row, *, begins: bool = True) -> str:
    """Write the verdict with the names of both sides."""
    level, baseline = sides_of(row)
    found = str(row["verdict"])
    if found in _UNSURE:
        return f"{level} against {baseline}, {verdicts.lacking(row)}"
    if found == "same":
        return f"{level} and {baseline} are the same within {units.percent(row['band'])} %"
    if found == "undecided":
        return f"{'C' if begins else 'c'}annot tell {level} from {baseline}"
    said = f"{level} is {found} than {baseline}"
    if not _is_in_part(row):
        return said
    comma = "," if metric_of(row["metric"]).is_time else ""
    return f"{said}{comma} {verdicts.by(row)}"


def _several(part: list[_Cell], of: int) -> Sentence:
    """Write the sentence of several cells."""
    rows = [row for row, _ in part]
    head = f"{_head(rows[0])} in {f'all {of}' if len(part) == of else f'{len(part)} of {of}'}"
    shown = [_value(row) for row in rows]
    low, high = columns.figures(min(shown)), columns.figures(max(shown))
    # each has an interval of its own: that of the estimates is none
    said = _wording(rows[0], low if low == high else f"estimates from {low} to {high}")
    runs = sorted({(row["n"], row["n_baseline"]) for row in rows})
    if len(runs) == 1:
        said = f"{said}, n {runs[0][0]} and {runs[0][1]} each"
    parts = [_of(said, [name for _, name in part]), *_unsure(rows[0])]
    for code, text in _CAVEATS.items():
        weak = [name for row, name in part if verdicts.has(row, code)]
        if weak:
            parts.append(text if len(weak) == len(part) else _of(text, weak))
    return Sentence(head, tuple(parts), verdicts.mark_of(rows[0]))


def _of(said: str, names: list[str]) -> str:
    return f"{said} ({'; '.join(names)})"


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
        return f"{times} times as fast"
    if "stddev" not in metric.name and metric.unit in _WORDS:
        return _WORDS[metric.unit].format(times=times)
    return f"{times} times the {naming.short(metric.name)}"


def _times(row: Row) -> str:
    """Say how many times what, how sure, and in other words by which share."""
    value, metric = _value(row), metric_of(row["metric"])
    said = f"{_wording(row, columns.figures(value))}{_interval(row)}"
    if _told(row) == "speedup":
        ratio = float(row["ratio"])
        share = 100 * ratio
        much = f"{columns.figures(ratio)} times"
        if ratio <= 1:
            much = f"{share:.0f} %" if share >= 10 else f"{share:.2g} %"
        return f"{said} ({'takes' if metric.unit == 's' else 'waits'} {much} as long)"
    share = 100 * abs(value - 1)
    if share < 0.995 or not 0.1 < value < 2:
        return said
    way = "more" if value >= 1 else "less"
    if way == "less" and metric.unit == "1/s" and "stddev" not in metric.name:
        way = "fewer"
    return f"{said} ({share:.0f} % {way})"


def _interval(row: Row) -> str:
    """Write the interval of a row in brackets, if it has one."""
    ends = [row[f"{_told(row)}_{end}"] for end in ("lo", "hi")]
    if any(columns.is_missing(end) or not math.isfinite(end) for end in ends):
        return ""
    return f" [{columns.figures(ends[0])}, {columns.figures(ends[1])}]"


def _caveats(row: Row) -> list[str]:
    """Repeat the cautions that weaken the comparison, and an option only once."""
    found = {one.code: text for one, text in verdicts.cautions(row) if one.code in _CAVEATS}
    if "sides" in found:
        found.pop("settings", None)
    return list(found.values())


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
        sure = part["beyond_band"].map(settled).mean()
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
    words = Counter(row["verdict"] for row in rows if settled(row["beyond_band"]))
    open_ = cells_of - words.total()
    all_one_run = all(row["verdict"] == "one run" for row in rows)
    mark = OPEN
    if len(words) == 1 and not open_:
        (word,) = words
        than = "the same as" if word == "same" else f"{word} than"
        head = f"{level} is {than} {baseline} in all {cells_of} cells"
        mark = verdicts.mark_of(rows[0])
    else:
        state = [f"{word} in {count} of {cells_of} cells" for word, count in words.items()]
        if open_ and words:
            state.append(f"undecided in {open_}")
        state = state or ["one run each" if all_one_run else "undecided"]
        head = named(f"{level} against {baseline}", ", ".join(state))
    parts = [f"{_wording(rows[0], f'{low} to {high}')}, by cell"]
    if whole is not None and not columns.is_missing(whole["ratio"]):
        mean = f"{_wording(rows[0], columns.figures(_value(whole)))}{_interval(whole)}"
        parts = [f"{mean}, the geometric mean of the cells"]
        parts.append(f"the cells lie from {low} to {high}")
    if all_one_run:
        parts.append(UNKNOWN)
    return Sentence(head, tuple(parts), mark)


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
    place, name = _at(top, apart), naming.short(one.metric)
    head = _TOP.get(unit, "Highest {name} at {place}").format(place=place, name=name)
    most = f"{units.human(top['mean'], unit)}{within}, {_runs(top['n'])}"
    lowest = f"least at {_at(least, apart)}, {units.human(least['mean'], unit)}"
    found = [Sentence(head, (most, lowest))]
    below = best(one)
    rows = [] if below is None or rest else _records(below[below["iops"].notna()])
    for row in rows:
        limit, latency = (units.human(row[name] / 1e9, "s") for name in ("limit", "observed"))
        head = f"Most I/Os per second below a mean latency of {limit}, at {_at(row, names)}"
        at = f"{units.human(row['iops'], '1/s')} at {latency}"
        found.append(Sentence(head, (f"{at}, {_runs(row['n'])}",)))
    return found


def _runs(count: int) -> str:
    return "one run" if count == 1 else f"n {count}"


def _at(row: Row, names: list[str]) -> str:
    """Name a place of a sweep by its conditions."""
    return ", ".join(units.level(row[name], name) for name in names)
