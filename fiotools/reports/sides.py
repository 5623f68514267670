"""What tells runs apart: the fields of a path template sorted, and sides where nobody named them.

A unit is a file, or a run where there is one file only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import PurePath
from typing import Any, NamedTuple

import pandas as pd

from fiotools.files import short_names
from fiotools.tables import naming
from fiotools.tables.results import Results

_COMMAND = "command_name"
FEW = 12  # sides at most that nobody named
SWEPT = ("rw", "bs_bytes", "iodepth", "numjobs", "rwmixread_pct")  # conditions that make a sweep
_NUMBER = re.compile(r"\d+(\.\d+)?")
_STAMP = re.compile(r"[\d:_.TZ+-]*\d[\d:_.TZ+-]*")  # of time, or any number
_BREAK = re.compile(r"[_\-. ]+")  # between the words of a name
_NUMBERED = re.compile(rf"(.+)[_\-. ](?:{'|'.join(naming.COUNTS)})?\d+")  # disk_2, disk-run2


def unit(frame: pd.DataFrame, *, by_run: bool = False) -> pd.Series[Any]:
    """Name the unit of each row of a table."""
    source: pd.Series[Any] = frame["source"]
    return source + "#" + frame["run"].astype("str") if by_run else source


def conditions(results: Results, *, by_run: bool = False) -> pd.DataFrame:
    """Return the conditions in which units differ: tuples of values, a row for each unit.

    Timed commands have no conditions; they are among the units if the others do not differ.
    """
    own = results.io.groupby(unit(results.io, by_run=by_run), sort=False)
    told = {
        name: {one: tuple(sorted({*values.dropna()})) for one, values in own[name]}
        for name in ("direction", *SWEPT)
    }
    frame = pd.DataFrame(told)
    frame = frame[[name for name in frame if len(frame[name].unique()) > 1]]
    if len(frame.columns):
        return frame
    timed = unit(results.timings, by_run=by_run)
    return frame.reindex(list(dict.fromkeys([*frame.index, *timed])))


def are_alike(told: pd.DataFrame, names: Mapping[str, str]) -> bool:
    """Say whether all these names have the same conditions, so that they can be sides."""
    sides: dict[str, set[Any]] = {}
    for one, *row in told.itertuples():
        sides.setdefault(names[one], set()).add(tuple(row))
    return all(side == next(iter(sides.values())) for side in sides.values())


def are_repeats(names: Iterable[str]) -> bool:
    """Say whether names end with the number of a repeat: disk_1, disk_2, mem_1, mem_2."""
    own = {*names}
    numbered = [match[1] for name in own if (match := _NUMBERED.fullmatch(name))]
    return len(numbered) == len(own) and 1 < len({*numbered}) < len(own)


def sorted_out(results: Results, fields: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Tell the fields of a path template apart: sides, sweeps and counters.

    Returns the fields that name sides or cells; those of them that are numbers, of three values or
    more, which become numbers in the tables; and which fields were left out, and why.
    """
    files = results.runs.drop_duplicates("source").set_index("source")
    told = conditions(results)
    of_all = told.reindex(files.index).dropna(axis="columns")
    kept, swept, said = [], [], []
    for name in fields:
        own = files[name].astype(str)
        rest = [other for other in fields if other != name and len(files[other].unique()) > 1]
        same = any(_one_to_one(own, of_all[other]) for other in of_all)
        if name == "round" or not own.str.fullmatch(_STAMP).all():
            if not (same and rest):  # else the condition says it
                kept.append(name)
        elif name in naming.COUNTS:
            template = "{name} numbers the runs: runs that differ in nothing else are repeats"
            said.append((template).format(name=name))
        elif same:
            continue  # the condition says it, in its unit
        elif own.is_unique and len(own) > 2 and (rest or len(told.columns)):
            template = "{name} is different in every file and not a condition: it is left out"
            said.append((template).format(name=name))
        else:
            kept.append(name)
            if own.nunique() > 2 and own.str.fullmatch(_NUMBER).all():
                swept.append(name)
    for name in swept:
        for frame in results.tables.values():
            frame[name] = pd.to_numeric(frame[name])
    return kept, swept, said


class _Thing(NamedTuple):
    """Something that may set units apart: a column to be, what it is, and the value of each."""

    column: str
    what: str
    values: pd.Series[Any]


class Found(NamedTuple):
    """Labels of the units, each of which holds sides, and where they were found, or why not."""

    labels: dict[str, dict[str, str]]
    said: str = ""


def found_sides(results: Results, told: pd.DataFrame, *, by_run: bool = False) -> Found:
    """Find the option, target, host or command, or words of the names, in which units differ.

    Words of the file names count if nothing else does, or if they say the same, and each side has
    all conditions. Several things are several labels if every value of one occurs with every value
    of the others.
    """
    found = [
        thing
        for thing in _telling(told, _things(results, by_run=by_run))
        # files have their commands from what else differs; those of one file must be alike
        if thing.column != _COMMAND or (by_run and are_alike(told, _texts(thing)))
    ]
    words = [] if by_run else _telling(told, _words_of_names([*map(str, told.index)]))
    measured = pd.Series(told.index.isin({*results.io["source"]}), told.index)
    # what was timed and what was measured have nothing in common that could be compared
    words = [word for word in words if not _one_to_one(word.values, measured)]
    if words and len(found) < 2:
        joined = _joined(words)
        sides = _texts(joined)
        if not found and are_alike(told, sides):
            found = words if _is_crossed(words) else [joined]
            found = found if len({*sides.values()}) <= FEW else []
        elif found and _is_crossed(words) and _one_to_one(found[0].values, joined.values):
            found = words
    if len(found) > 1 and not _is_crossed(found):
        names = " and ".join(thing.what for thing in found)
        return Found({}, f"The runs differ in {names}, so no sides are taken from them")
    if not found:
        return Found({})
    labels, shown = {}, []
    for thing in found:
        short = _shortened(thing)
        column = "label" if len(found) == 1 else thing.column
        labels[column] = {str(one): short[value] for one, value in thing.values.items()}
        pairs = (
            value if short[value] == value else f"{short[value]} is {value}"
            for value in thing.values.unique()
        )
        shown.append(f"{thing.what}: {', '.join(pairs)}")
    return Found(labels, f"The sides were found in {'; '.join(shown)}")


def _texts(thing: _Thing) -> dict[str, str]:
    return {str(one): str(value) for one, value in thing.values.items()}


def _joined(things: Sequence[_Thing]) -> _Thing:
    """Take several things for one."""
    values = pd.concat([thing.values for thing in things], axis="columns")
    what = " and ".join(thing.what for thing in things)
    return _Thing("label", what, values.agg("_".join, axis="columns"))


def _is_crossed(things: Sequence[_Thing]) -> bool:
    """Say whether every value of a thing occurs with every value of the others."""
    there = {*zip(*(thing.values for thing in things), strict=True)}
    return len(things) > 1 and there == {*product(*(thing.values.unique() for thing in things))}


def _shortened(thing: _Thing) -> dict[str, str]:
    """Name each side: by the word of the file names that changes with it, or in short."""
    every = [*thing.values.unique()]
    if thing.column == _COMMAND:
        return _of_commands(every)
    return _words(thing.values) or dict(zip(every, short_names(every), strict=True))


def _of_commands(commands: Sequence[str]) -> dict[str, str]:
    """Name each command by the words that not all of them have."""
    words = {one: one.split() for one in commands}
    shared = set.intersection(*map(set, words.values()))
    short = {one: " ".join(word for word in words[one] if word not in shared) for one in commands}
    is_apart = all(short.values()) and len({*short.values()}) == len(commands)
    return short if is_apart else {one: one for one in commands}


def _telling(told: pd.DataFrame, things: Iterable[_Thing]) -> list[_Thing]:
    """Keep what has a few values and differs between runs of the same conditions."""
    found: list[_Thing] = []
    for thing in things:
        own = thing.values.reindex(told.index) if len(told.columns) else thing.values
        if own.isna().any() or not 2 <= own.nunique() <= FEW:
            continue
        # a file for each depth follows from the depth: it is not a side
        several = own.groupby([told[one] for one in told] or (lambda _: 0)).nunique()
        if several.gt(1).any() and not any(_one_to_one(own, other.values) for other in found):
            found.append(thing._replace(values=own))
    return found


def _things(results: Results, *, by_run: bool) -> Iterator[_Thing]:
    """Return what may name a device, a place, a machine or a way, by unit."""
    settings, runs = results.settings, results.runs
    options = [
        (option, f"the option {option}", settings[settings["option"].eq(option)], "text")
        for option in ("directory", "filename")
    ]
    columns = [("target_name", "the target", results.io, "target")]
    of_runs = [name for name in ("host", "heading", "command") if name in runs]
    columns += [(f"{name}_name", f"the {name}", runs, name) for name in of_runs]
    for column, what, frame, name in (*options, *columns):
        there = frame[frame[name].notna()]
        values = there.groupby(unit(there, by_run=by_run), sort=False)[name]
        yield _Thing(column, what, values.agg(lambda own: ", ".join(dict.fromkeys(map(str, own)))))


def _words_by_place(names: Mapping[str, str], breaks: re.Pattern[str]) -> list[pd.Series[Any]]:
    """Split the names of things into words; nothing if some names have more words than others."""
    words = [breaks.split(name) for name in names.values()]
    if len({len(one) for one in words}) > 1:
        return []
    return [pd.Series(word, [*names]) for word in zip(*words, strict=True)]


def _stems(files: Iterable[object]) -> dict[str, str]:
    return {str(file): PurePath(str(file)).stem for file in files}


def _words_of_names(files: Sequence[str]) -> Iterator[_Thing]:
    """Return the words of the file names, by their place, without numbers such as run1, run2."""
    for breaks in (re.compile("_"), _BREAK):
        places = _words_by_place(_stems(files), breaks)
        if len(places) > 1:
            for at, own in enumerate(places, 1):
                if len(own.str.replace(r"[0-9.]+", "", regex=True).unique()) > 1:
                    yield _Thing(f"word_{at}", f"word {at} of the file names", own)
            return


def _words(own: pd.Series[Any]) -> dict[str, str]:
    """Name each side by the word of the file names that changes with it, if there is one."""
    if own.is_unique:  # a word of each name says no more than the name
        return {}
    for word in _words_by_place(_stems(own.index), _BREAK):
        if _one_to_one(own, word):
            return dict(zip(own, word, strict=True))
    return {}


def _one_to_one(one: Collection[Any], other: Collection[Any]) -> bool:
    """Say whether each value of one column stands beside one value of the other, and back."""
    return len(set(one)) == len(set(other)) == len(set(zip(one, other, strict=True)))
