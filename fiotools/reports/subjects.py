"""The subject of a report: campaigns, or any results, with what sets their runs apart.

That is a label that holds the sides, conditions that were swept, and numbers that only count runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

import pandas as pd

from fiotools.dataset.contents import open_dataset
from fiotools.errors import MeasureError, SchemaError
from fiotools.files import DATASET, fields_of, short_names
from fiotools.input.read import read
from fiotools.input.sources import is_url
from fiotools.measure.campaign import NAME, Campaign, campaign
from fiotools.tables import naming
from fiotools.tables.results import Results
from fiotools.vocabulary import TABLES

_FEW = 12  # sides at most that nobody named
SWEPT = ("rw", "bs_bytes", "iodepth", "numjobs", "rwmixread_pct")  # conditions that make a sweep
# how the number of a run is called in names of files
_COUNTS = {"run", "rep", "repeat", "repetition", "iteration", "iter", "trial", "try", "pass"}
_NUMBER = re.compile(r"\d+(\.\d+)?")
_STAMP = re.compile(r"[\d:_.TZ+-]*\d[\d:_.TZ+-]*")  # of time, or any number
_BREAK = re.compile(r"[_\-. ]+")  # between the words of a name
_SPACE = re.compile(" +")  # and of a command


@dataclass(frozen=True)
class Source:
    """One campaign, or one reading of files."""

    name: str  # the experiment, or ``results``
    results: Results  # in the order in which they were measured, where that is known
    campaign: Campaign | None = None
    fields: tuple[str, ...] = ()  # the labels that tell the runs apart
    swept: tuple[str, ...] = ()  # those of them that are conditions, and no sides
    said: tuple[str, ...] = ()  # how it was found, as far as readers have to know it


def gather(sources: Any) -> list[Source]:
    """Open campaigns or a dataset, or read files; refuse if none can be read."""
    paths = _paths(sources)
    if len(paths) == 1 and not isinstance(sources, Mapping) and Path(paths[0], DATASET).is_file():
        return [_of_dataset(paths[0])]
    found = {path: _campaigns(path) for path in paths}
    folders = [folder for several in found.values() for folder in several]
    if folders and not isinstance(sources, Mapping):
        for path, several in found.items():
            if not several:
                one = folders[0].as_posix()
                raise SchemaError(f"{path} is not a campaign, and {one} is: report them apart")
        return _opened(folders)
    fields = fields_of(paths)
    is_several = any(not (is_url(path) or Path(path).is_file()) for path in paths)
    if is_several and len(paths) > 1 and not (fields or isinstance(sources, Mapping)):
        sources = dict(zip(short_names(paths), paths, strict=True))  # each folder is a side
    results = read(sources, errors="note")
    if not len(results.runs):
        grave = results.notes[results.notes["severity"].ne("info")]
        why = f" ({grave['source'].iloc[0]}: {grave['message'].iloc[0]})" if len(grave) else ""
        raise SchemaError(f"no file that was found there can be read{why}; see fiotools.formats()")
    labels = ["label"] if isinstance(sources, Mapping) else []
    return [_sided(results, paths, dict.fromkeys([*labels, *fields]))]


def _paths(sources: Any) -> list[str]:
    if isinstance(sources, (str, os.PathLike)):
        return [os.fspath(sources)]
    if isinstance(sources, Mapping):
        return [path for part in sources.values() for path in _paths(part)]
    if isinstance(sources, Iterable):
        return [os.fspath(path) for path in sources]
    raise TypeError(f"a path, a list of paths or a mapping is needed, not {sources!r}")


def _campaigns(path: str) -> list[Path]:
    """List the campaigns in a folder: itself, or those of its sub-folders."""
    folder = Path(path)
    if (folder / NAME).is_file():
        return [folder]
    return sorted(manifest.parent for manifest in folder.glob(f"*/{NAME}"))


def _opened(folders: list[Path]) -> list[Source]:
    """Open campaigns; those that cannot be read are said with the first."""
    found, bad = [], []
    for folder in folders:
        try:
            found.append(_of_campaign(campaign(folder)))
        except MeasureError as error:
            bad.append(str(error))
    if not found:
        raise MeasureError(bad[0])
    return [replace(found[0], said=tuple(bad)), *found[1:]]


def _of_campaign(one: Campaign) -> Source:
    """Put a campaign's tables into the order of its runs, with the time when each began."""
    order = {f"{one.folder.as_posix()}/{run.file}": run.order for run in one.asked.runs()}
    began = one.results.runs.set_index(["source", "run"])["started_at"].to_dict()
    tables = {}
    for name, frame in one.results.tables.items():
        place = frame["source"].map(order)
        sorted_ = frame.iloc[place.argsort(kind="stable")].reset_index(drop=True)
        if name in ("io", "timings"):  # so that a drift can be seen
            keys = zip(sorted_["source"], sorted_["run"], strict=True)
            sorted_.insert(0, "started_at", [began.get(key) for key in keys])
        tables[name] = sorted_
    fields = ("place", *one.asked.fields, "round")
    return Source(one.asked.experiment, Results(tables, one.results.files), one, fields)


def _of_dataset(path: str) -> Source:
    """Read a dataset that `convert` made."""
    dataset = open_dataset(path)
    if missing := [table for table in TABLES if table not in dataset.tables]:
        raise SchemaError(
            f"{path}: a report needs all tables, and the dataset has no {', '.join(missing)}: "
            "convert the files again, with all tables"
        )
    source = _sided(dataset.read(within=path), [path], dataset.labels)
    unfinished = (f"{path}: {dataset.unfinished}",) if dataset.unfinished else ()
    return replace(source, said=(*unfinished, *source.said))


def _sided(results: Results, paths: list[str], fields: Iterable[str]) -> Source:
    """Choose the labels of files without a manifest; without labels, name the files."""
    if labels := [*fields]:
        kept, swept, said = _sorted_out(results, labels)
        return Source("results", results, None, tuple(kept), tuple(swept), tuple(said))
    names = _names(list(dict.fromkeys(results.runs["source"])), paths)
    several = len(set(names.values()))
    if several < 2:
        return _of_commands(results)
    told = conditions(results)
    found, why = names, ""
    if several > 2 and not (several <= _FEW and _are_alike(told, names)):
        found, why = _found_sides(results, told)
    if (
        not found
        and several <= _FEW
        and _are_alike(told.drop(columns="direction", errors="ignore"), names)
    ):
        found, why = names, ""  # some only read
    if not found:
        return Source("results", results, said=(why or _nameless(results, several),))
    for frame in results.tables.values():
        frame.insert(0, "label", frame["source"].map(found).astype("str"))
    return Source("results", results, fields=("label",), said=(why,) if why else ())


def _of_commands(results: Results) -> Source:
    """Take the commands that hyperfine timed for one file as sides, each named by its own words."""
    runs = results.runs
    if not (runs["tool"].eq("hyperfine").all() and 2 <= runs["command"].nunique() <= _FEW):
        return Source("results", results)
    commands = runs["command"].unique()
    words = _words_by_place({one: one for one in commands}, _SPACE)
    telling = [own for own in words if len(own.unique()) > 1]
    names = {one: " ".join(own[one] for own in telling) or one for one in commands}
    keys = zip(runs["source"], runs["run"], strict=True)
    of_runs = dict(zip(keys, runs["command"].map(names), strict=True))
    for frame in results.tables.values():
        sides = [of_runs.get(key) for key in zip(frame["source"], frame["run"], strict=True)]
        frame.insert(0, "label", pd.Series(sides, frame.index, "str"))
    return Source("results", results, fields=("label",))


def _nameless(results: Results, files: int) -> str:
    """Say why files without labels have no sides."""
    swept = [naming.short(str(name)) for name in conditions(results)]
    said = f"nothing says which of the {files} files belong to one side"
    if swept:
        said = f"{said}; they differ in {', '.join(swept)}"
    example = "'runs/{side}_{round:d}.txt'"
    template = "{said}: to compare, give NAME=FILES for each side, or a path template: {example}"
    return (template).format(said=said, example=example)


def _names(files: list[str], paths: list[str]) -> dict[str, str]:
    """Name the side of each file: its folder if there are several, else the file."""
    if len(paths) == 1 and Path(paths[0]).is_dir():
        tops = {file: PurePath(file).relative_to(PurePath(paths[0])).parts for file in files}
        if all(len(parts) > 1 for parts in tops.values()):
            folders = {file: parts[0] for file, parts in tops.items()}
            if len(set(folders.values())) > 1:
                return folders
    return dict(zip(files, short_names(files), strict=True))


def differs(frame: pd.DataFrame, name: str) -> bool:
    """Say whether a column has several values."""
    return len(frame[name].dropna().unique()) > 1


def of_one(results: Results, label: str, value: Any) -> Results:
    """Keep the rows of one value of a label, in every table."""
    tables: dict[str, pd.DataFrame] = {
        name: frame[frame[label].eq(value)].reset_index(drop=True)
        for name, frame in results.tables.items()
    }
    return Results(tables, tables["runs"]["source"].nunique())


def conditions(results: Results) -> pd.DataFrame:
    """Return the conditions in which files differ: tuples of values, a row for each file."""
    files = results.io.groupby("source", sort=False)
    told = {
        name: {source: tuple(sorted({*own.dropna()})) for source, own in files[name]}
        for name in ("direction", *SWEPT)
    }
    frame = pd.DataFrame(told)
    return frame[[name for name in frame if len(frame[name].unique()) > 1]]


def _are_alike(told: pd.DataFrame, names: dict[str, str]) -> bool:
    """Say whether all these names have the same conditions, so that they can be sides."""
    sides: dict[str, set[Any]] = {}
    for source, *row in told.itertuples():
        sides.setdefault(names[source], set()).add(tuple(row))
    return all(side == next(iter(sides.values())) for side in sides.values())


def _sorted_out(results: Results, fields: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
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
        elif name in _COUNTS:
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


def _found_sides(results: Results, told: pd.DataFrame) -> tuple[dict[str, str], str]:
    """Find the one option or target, or the words of the names, in which unnamed files differ.

    Words of the file names count if no option or target does, and each side has all conditions.
    Returns the side of each file, none if several set them apart, and where the sides were found.
    """
    found = _telling_sides(told, _things(results))
    if not found and (words := _telling_sides(told, _words_of_names([*map(str, told.index)]))):
        name = " and ".join((name for name, _ in words))
        own = pd.concat([own for _, own in words], axis="columns").agg("_".join, axis="columns")
        sides = {str(file): word for file, word in own.items()}
        is_side = own.nunique() <= _FEW and _are_alike(told, sides)
        found = [(name, own)] if is_side else []
    if not found:
        return {}, ""
    name, own = found[0]
    if len(found) > 1:
        names = " and ".join((name for name, _ in found))
        return {}, f"The runs differ in {names}, so no sides are taken from them"
    short = _words(own) or dict(zip(own.unique(), short_names([*own.unique()]), strict=True))
    shown = ", ".join(
        value if short[value] == value else f"{short[value]} is {value}" for value in own.unique()
    )
    said = f"The sides were found in {name}: {shown}"
    return {str(file): short[value] for file, value in own.items()}, said


def _telling_sides(
    told: pd.DataFrame, named: Iterable[tuple[str, pd.Series[Any]]]
) -> list[tuple[str, pd.Series[Any]]]:
    """Keep what has a few values and differs between runs of the same conditions."""
    found: list[tuple[str, pd.Series[Any]]] = []
    for name, own in named:
        own = own.reindex(told.index)
        if own.isna().any() or not 2 <= own.nunique() <= _FEW:
            continue
        # a file for each depth follows from the depth: it is not a side
        several = own.groupby([told[one] for one in told] or (lambda _: 0)).nunique()
        if several.gt(1).any() and not any(_one_to_one(own, other) for _, other in found):
            found.append((name, own))
    return found


def _things(results: Results) -> Iterator[tuple[str, pd.Series[Any]]]:
    """Return what may name a device or a place, by file."""
    settings = results.settings
    tables = [
        (f"the option {option}", settings[settings["option"].eq(option)], "text")
        for option in ("directory", "filename")
    ]
    for said, frame, name in (*tables, ("the target", results.io, "target")):
        files = frame[frame[name].notna()].groupby("source", sort=False)[name]
        yield said, files.agg(lambda own: ", ".join(dict.fromkeys(map(str, own))))


def _words_by_place(names: Mapping[str, str], breaks: re.Pattern[str]) -> list[pd.Series[Any]]:
    """Split the names of things into words; nothing if some names have more words than others."""
    words = [breaks.split(name) for name in names.values()]
    if len({len(one) for one in words}) > 1:
        return []
    return [pd.Series(word, [*names]) for word in zip(*words, strict=True)]


def _stems(files: Iterable[object]) -> dict[str, str]:
    return {str(file): PurePath(str(file)).stem for file in files}


def _words_of_names(files: Sequence[str]) -> Iterator[tuple[str, pd.Series[Any]]]:
    """Return the words of the file names, by their place, without numbers such as run1, run2."""
    for breaks in (re.compile("_"), _BREAK):
        places = _words_by_place(_stems(files), breaks)
        if len(places) > 1:
            for at, own in enumerate(places, 1):
                if len(own.str.replace(r"[0-9.]+", "", regex=True).unique()) > 1:
                    yield f"word {at} of the file names", own
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
