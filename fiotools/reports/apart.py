"""What sets runs apart: the sides, what was swept, and numbers that only count the runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import pandas as pd

from fiotools.files import path_labels

if TYPE_CHECKING:
    from fiotools.tables.results import Results

FEW = 12  # sides at most that nobody named
SWEPT = ("rw", "bs_bytes", "iodepth", "numjobs", "rwmixread_pct")  # conditions that make a sweep
# how the number of a run is called in names of files
_COUNTS = {"run", "rep", "repeat", "repetition", "iteration", "iter", "trial", "try", "pass"}
_NUMBER = re.compile(r"\d+(\.\d+)?")
_STAMP = re.compile(r"[\d:_.TZ+-]*\d[\d:_.TZ+-]*")  # of time, or any number
_BREAK = re.compile(r"[_\-. ]+")  # between the words of a name


def conditions(results: Results) -> pd.DataFrame:
    """Give the conditions in which files differ: a row for each file, with all values that it has.

    Parameters
    ----------
    results : Results

    Returns
    -------
    pandas.DataFrame
        By ``source``: tuples of values.
    """
    io = results.io
    files = io.groupby("source", sort=False)
    told = {
        name: {source: tuple(sorted({*own.dropna()})) for source, own in files[name]}
        for name in SWEPT
    }
    frame = pd.DataFrame(told)
    return frame[[name for name in frame if len(frame[name].unique()) > 1]]


def are_alike(results: Results, names: dict[str, str]) -> bool:
    """Say whether each of these names stands for the same conditions, so that it may be a side."""
    told = conditions(results)
    sides: dict[str, set[Any]] = {}
    for source, row in zip(told.index, told.itertuples(index=False), strict=True):
        sides.setdefault(names[source], set()).add(tuple(row))
    return all(side == next(iter(sides.values())) for side in sides.values())


def labels(results: Results, fields: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Sort the fields of a path template out.

    Parameters
    ----------
    results : Results
        Swept labels become numbers in its tables.
    fields : sequence of str

    Returns
    -------
    fields : list of str
        Those that name sides or cells.
    swept : list of str
        Those of them that are numbers, of three values or more.
    said : list of str
        Which were left out, and why.
    """
    files = results.runs.drop_duplicates("source").set_index("source")
    told = conditions(results)
    kept, swept, said = [], [], []
    for name in fields:
        own = files[name].astype(str)
        rest = [other for other in fields if other != name and len(files[other].unique()) > 1]
        same = [other for other in told if _are_one(own, told[other].reindex(own.index))]
        if name == "round" or not own.str.fullmatch(_STAMP).all():
            if not (same and rest):  # else the condition says it
                kept.append(name)
        elif name in _COUNTS:
            said.append(f"{name} counts the runs: those that differ in nothing else are repeats")
        elif same:
            continue  # the condition says it, in its unit
        elif own.is_unique and len(own) > 2 and (rest or len(told.columns)):
            said.append(
                f"{name} is another one in every file, and no condition: it is left out, and runs "
                "that differ in nothing else are repeats"
            )
        else:
            kept.append(name)
            if own.nunique() > 2 and own.str.fullmatch(_NUMBER).all():
                swept.append(name)
    for name in swept:
        for frame in results.tables.values():
            frame[name] = pd.to_numeric(frame[name])
    return kept, swept, said


def sides(results: Results) -> tuple[dict[str, str], str]:
    """Find the one thing, besides conditions, that sets the runs of unnamed files apart.

    Returns
    -------
    sides : dict
        The side of each file; empty if there is no such thing, or there are several.
    said : str
        What it is, and the name of each side.
    """
    told = conditions(results)
    found: list[tuple[str, pd.Series[Any]]] = []
    for name, own in _things(results):
        own = own.reindex(told.index)
        if own.isna().any() or not 2 <= own.nunique() <= FEW:
            continue
        # a file for each depth is no side, but follows from the depth
        several = own.groupby([told[one] for one in told] or (lambda _: 0)).nunique()
        if several.gt(1).any() and not any(_are_one(own, other) for _, other in found):
            found.append((name, own))
    if not found:
        return {}, ""
    name, own = found[0]
    if len(found) > 1:
        names = " and ".join(name for name, _ in found)
        return {}, f"The runs differ in {names}, so that no sides are taken from them"
    short = _words(own) or dict(zip(own.unique(), path_labels.names([*own.unique()]), strict=True))
    shown = ", ".join(f"{short[value]} is {value}" for value in own.unique())
    return {str(file): short[value] for file, value in own.items()}, (
        f"The sides were found in {name}: {shown}"
    )


def _things(results: Results) -> Iterator[tuple[str, pd.Series[Any]]]:
    """Give what may name a device or a place, by file."""
    settings = results.settings
    for option in ("directory", "filename"):
        yield f"the option {option}", _joined(settings[settings["option"].eq(option)], "text")
    yield "the target", _joined(results.io, "target")


def _joined(frame: pd.DataFrame, name: str) -> pd.Series[Any]:
    """Give all values of a column in each file."""
    return (
        frame[frame[name].notna()]
        .groupby("source", sort=False)[name]
        .agg(lambda own: ", ".join(dict.fromkeys(map(str, own))))
    )


def _words(own: pd.Series[Any]) -> dict[str, str]:
    """Name each side by the word of the files' names that changes with it, if there is one."""
    if own.is_unique:  # a word of each name says no more than the name
        return {}
    words = [_BREAK.split(PurePath(str(file)).stem) for file in own.index]
    if len({len(one) for one in words}) > 1:
        return {}
    for word in zip(*words, strict=True):
        if _are_one(own, pd.Series(word, own.index)):
            return dict(zip(own, word, strict=True))
    return {}


def _are_one(one: pd.Series[Any], other: pd.Series[Any]) -> bool:
    """Say whether each value of one column goes with one of the other."""
    pairs = {*zip(one, other, strict=True)}
    return len(pairs) == one.nunique() == other.nunique()
