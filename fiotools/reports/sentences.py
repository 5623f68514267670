"""Comparisons in words: a title, sentences about all cells and about each, the top of a sweep."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TypeAlias

import pandas as pd

from fiotools import units
from fiotools.display import columns, verdicts
from fiotools.display.columns import OPEN, Mark
from fiotools.reports.cells import cell_names
from fiotools.reports.findings import Finding, Row, Top, records
from fiotools.stats.compare import settled
from fiotools.stats.frames import Metric, metric_of
from fiotools.tables import naming
from fiotools.words import counted, more, named

_MANY = 6  # sentences about one side; above, those of one verdict are one
_FEW = 3  # sides, and cells of one verdict, that a title names
_OPEN = ("undecided", "one run each", "few runs")
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
    "submitting": "clat leaves out the time of submitting, nearly all of it: compare lat_mean",
}

# by the unit of a metric: how many times what
_WORDS = {"1/s": "{times} times as many I/Os per second", "B/s": "{times} times the bandwidth"}
_EQUAL = {"1/s": "as many I/Os per second", "B/s": "the same bandwidth"}
_LATENCIES = {"value_ns": "latency", "lat_mean_ns": "mean latency"}
_NAMES = {"1/s": "I/Os per second", "B/s": "bandwidth", "s": "time"}
# by the metric's unit; where lower is better, the lowest
_TOP = {"1/s": "Most I/Os per second at {place}", "B/s": "Highest bandwidth at {place}"}

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
    cells = list(zip(records(answer), cell_names(answer), strict=True))
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


def title(answer: pd.DataFrame) -> str:
    """Say in a line what an answer found of each side."""
    sides: dict[str, list[_Cell]] = {}
    for row, name in zip(records(answer), cell_names(answer), strict=True):
        if not columns.is_missing(row["ratio"]):
            sides.setdefault(sides_of(row)[0], []).append((row, name))
    found = [_of_side(cells) for cells in sides.values()]
    return "; ".join([*found[:_FEW], *more(len(found) - _FEW)]) or str(sentences(answer)[0])


def _of_side(cells: list[_Cell]) -> str:
    """Say the ratio of a side, or in which of several cells it has which verdict."""
    first, shown = cells[0][0], [_value(row) for row, _ in cells]
    of = len(cells)
    if of == 1:
        return f"{_head(first)}: {_wording(first, columns.figures(shown[0]))}{_interval(first)}"
    found = {
        _found(row): [name for own, name in cells if _found(own) == _found(row)] for row, _ in cells
    }
    if len(found) == 1:
        low, high = columns.figures(min(shown)), columns.figures(max(shown))
        said = _wording(first, low if low == high else f"estimates from {low} to {high}")
        where = f" in {'both' if of == 2 else f'all {of}'} cases"
        return f"{_head(first)}{'' if first['verdict'] in _UNSURE else where}: {said}"
    level, baseline = sides_of(first)
    parts: list[str] = []
    for word, names in sorted(found.items(), key=lambda item: item[0] in _OPEN):
        many = len(names) > _FEW or of > _MANY or word in _OPEN
        count = f"{word} in {len(names)}{'' if parts else f' of {of} cases'}"
        parts.append(count if many else _of(count, names))
    return f"{level} against {baseline}: {', '.join(parts)}"


def _found(row: Row) -> str:
    """Name the verdict of a row, or the runs that are too few for one."""
    return verdicts.lacking(row) if row["verdict"] in verdicts.LACKING else str(row["verdict"])


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


def _head(row: Row, *, where: str = "", begins: bool = True) -> str:
    """Write the verdict with the names of both sides, and where it holds."""
    level, baseline = sides_of(row)
    found = str(row["verdict"])
    if found in _UNSURE:
        return f"{level} against {baseline}{where}, {verdicts.lacking(row)}"
    if found == "same":
        within = f"within {units.percent(row['band'])} %"
        return f"{level} and {baseline} are the same {within}{where}"
    if found == "undecided":
        return f"{'C' if begins else 'c'}annot tell {level} from {baseline}{where}"
    said = f"{level} is {found} than {baseline}{where}"
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
    if _is_equal(row, times):
        if _told(row) == "speedup":
            return "as fast"
        return _EQUAL[metric.unit] if _is_counted(metric) else f"the same {_name(metric.name)}"
    if _told(row) == "speedup":
        return f"{times} times as fast"
    if _is_counted(metric):
        return _WORDS[metric.unit].format(times=times)
    return f"{times} times the {_name(metric.name)}"


def _is_equal(row: Row, times: str) -> bool:
    """Say whether a ratio without an interval is 1 in all digits that are shown."""
    return times in ("1", "1.00") and columns.is_missing(row["ratio_lo"])


def _name(metric: str) -> str:
    return _LATENCIES.get(metric) or naming.short(metric)


def _is_counted(metric: Metric) -> bool:
    """Say whether a metric is of I/Os or bytes per second, and not their spread."""
    return metric.unit in _WORDS and "stddev" not in metric.name


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


def across(found: Finding) -> Sentence:
    """Write one sentence about a side over all cells; its mark is that of this verdict."""
    over, cells = found.over, found.cells
    rows = sorted(cells, key=_value)
    low, high = (f"{columns.figures(_value(row))}{_interval(row)}" for row in (rows[0], rows[-1]))
    agree = len({(row["verdict"], _is_settled(row)) for row in cells}) == 1
    every = "both cells" if len(cells) == 2 else f"all {len(cells)} cells"
    where = f" in {every}" if agree and _is_settled(over) else " over all cells"
    mean = f"{_wording(over, columns.figures(_value(over)))}{_interval(over)}"
    if found.count == 1:  # the total of its parts
        where, parts = " in total", [mean]
    else:
        of = "the cells" if found.count == len(cells) else f"{found.count} cells"
        parts = [f"{mean}, the geometric mean of {of}"]
    if not agree:
        parts.append(_states(cells))
    if low != high:
        parts.append(f"the cells lie from {low} to {high}")
    return Sentence(_head(over, where=where), (*parts, *_unsure(over)), verdicts.mark_of(over))


def _is_settled(row: Row) -> bool:
    return settled(row["beyond_band"])


def _states(cells: list[Row]) -> str:
    """Count the verdicts of cells."""
    words = Counter(row["verdict"] for row in cells if _is_settled(row))
    counts = [f"{word} in {count} of {len(cells)} cells" for word, count in words.items()]
    if open_ := len(cells) - words.total():
        counts.append(f"undecided in {open_}" + ("" if counts else f" of {len(cells)} cells"))
    return ", ".join(counts)


def headline(found: Finding) -> str:
    """Say in the words of a title what was found of a side."""
    over, metric = found.over, metric_of(found.over["metric"])
    level, baseline = sides_of(over)
    is_plain = metric.unit in _NAMES and "stddev" not in metric.name
    name = _NAMES[metric.unit] if is_plain else _name(metric.name)
    about = f"{level} against {baseline}"
    if found.comparison.only:
        about = f"{about}, {found.comparison.only} only"
    decided = Counter(row["verdict"] for row in found.cells if _is_settled(row))
    against = {word: n for word, n in decided.items() if word not in ("same", over["verdict"])}
    if over["verdict"] in ("same", "undecided") and against:
        return f"{about}: {_states(found.cells)}"
    if over["verdict"] == "same":
        return f"{about}: the same {name} within {units.percent(over['band'])} %"
    if over["verdict"] == "undecided":
        return f"{about}: no difference could be shown in {name}"
    value = columns.figures(_value(over))
    times = "as fast" if _told(over) == "speedup" else f"the {name}"
    said = [f"{about}: {value} times {times}"]
    if _is_equal(over, value):
        said = [f"{about}: {times if times == 'as fast' else f'the same {name}'}"]
    if over["verdict"] in _UNSURE:
        said.append(verdicts.lacking(over))
    said += [f"{word} in {n} of {len(found.cells)} cells" for word, n in against.items()]
    return ", ".join(said)


def of_sweep(found: Top) -> list[Sentence]:
    """Say where a sweep without sides does best, also below a latency."""
    most, least, metric = found.most, found.least, metric_of(found.metric)
    unit, is_low = metric.unit, metric.better == "lower"
    ends = (
        [units.human(most[f"center_{end}"], unit) for end in ("lo", "hi")] if most["n"] > 1 else []
    )
    within = f" [{', '.join(ends)}]" if ends else ""
    place, lowest = (_at(row, [*found.rest, *found.names]) for row in (most, least))
    name = _name(found.metric)
    known = "Lowest {name} at {place}" if is_low else _TOP.get(unit, "Highest {name} at {place}")
    head = known.format(place=place, name=name)
    there = f"{units.human(most['center'], unit)}{within}, {_runs(most['n'])}"
    end = f"{'most' if is_low else 'least'} at {lowest}, {units.human(least['center'], unit)}"
    said = [Sentence(head, (there, end))]
    for row in found.below:
        limit, latency = (units.human(row[name] / 1e9, "s") for name in ("limit", "observed"))
        head = f"Most I/Os per second below a mean latency of {limit}, at {_at(row, found.names)}"
        at = f"{units.human(row['iops'], '1/s')} at {latency}"
        said.append(Sentence(head, (f"{at}, {_runs(row['n'])}",)))
    return said


def headline_of_sweep(found: Top) -> str:
    """Say in the words of a title where a sweep does most."""
    first, unit = of_sweep(found)[0], metric_of(found.metric).unit
    return f"{first.head}: {units.human(found.most['center'], unit)}"


def _runs(count: int) -> str:
    return "one run" if count == 1 else f"n {count}"


def _at(row: Row, names: list[str]) -> str:
    """Name a place of a sweep by its conditions."""
    return ", ".join(units.level(row[name], name) for name in names)
