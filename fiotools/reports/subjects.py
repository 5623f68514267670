"""The subject of a report: campaigns, or any results, with what sets their runs apart.

That is a label that holds the sides, conditions that were swept, and numbers that only count runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

import pandas as pd

from fiotools.dataset import open_dataset
from fiotools.errors import MeasureError, SchemaError
from fiotools.files import DATASET, fields_of, short_names
from fiotools.input.read import read
from fiotools.input.sources import is_url
from fiotools.measure.campaign import NAME, Campaign, campaign
from fiotools.reports.sides import (
    FEW,
    Found,
    are_alike,
    are_repeats,
    conditions,
    found_sides,
    sorted_out,
    unit,
)
from fiotools.tables import naming
from fiotools.tables.results import Results
from fiotools.vocabulary import TABLES
from fiotools.words import slug


@dataclass(frozen=True)
class Source:
    """One campaign, or one reading of files."""

    name: str  # the experiment, or ``results``
    results: Results  # in the order in which they were measured, where that is known
    campaign: Campaign | None = None
    fields: tuple[str, ...] = ()  # the labels that tell the runs apart
    swept: tuple[str, ...] = ()  # those of them that are conditions, and no sides
    said: tuple[str, ...] = ()  # how it was found, as far as readers have to know it
    lacking: tuple[str, ...] = ()  # what could not be read
    folder: str = ""  # of several that are reported apart
    is_of_files: bool = True  # that can be saved from the page
    is_mixed: bool = False  # runs differ in things of which no sides can be made

    @property
    def prefix(self) -> str:
        """What the names of its files begin with: its folder."""
        folder = self.campaign.folder.name if self.campaign else self.folder
        return f"{folder}-" if folder else ""


def gather(sources: Any) -> list[Source]:
    """Open campaigns or a dataset, take results, or read files; refuse if none can be read."""
    if isinstance(sources, Results):
        return [replace(one, is_of_files=False) for one in sources_of(sources)]
    paths = _paths(sources)
    if len(paths) == 1 and not isinstance(sources, Mapping) and Path(paths[0], DATASET).is_file():
        return _of_dataset(paths[0])
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
    if labels or fields:
        return [_labelled(results, dict.fromkeys([*labels, *fields]))]
    return _unlabelled(results, paths)


def sources_of(results: Results, paths: Sequence[str] = ()) -> list[Source]:
    """Take what was read; its frames are the caller's, and stay as they are.

    ``paths`` are what was read, if that is known: the folders of a folder may be its sides.
    """
    copies = {name: frame.copy(deep=False) for name, frame in results.tables.items()}
    own = Results(copies, results.files)
    if missing := [table for table in TABLES if table not in own.tables]:
        raise SchemaError(
            f"a report needs all tables, and these results have no {', '.join(missing)}"
        )
    return [_labelled(own, own.labels)] if own.labels else _unlabelled(own, [*paths])


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
    return [replace(found[0], lacking=tuple(bad)), *found[1:]]


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


def _of_dataset(path: str) -> list[Source]:
    """Read a dataset that `convert` made."""
    dataset = open_dataset(path)
    if missing := [table for table in TABLES if table not in dataset.tables]:
        raise SchemaError(
            f"{path}: a report needs all tables, and the dataset has no {', '.join(missing)}: "
            "convert the files again, with all tables"
        )
    results = dataset.read(within=path)
    found = [_labelled(results, dataset.labels)] if dataset.labels else _unlabelled(results, [path])
    unfinished = (f"{path}: {dataset.unfinished}",) if dataset.unfinished else ()
    return [replace(found[0], lacking=unfinished), *found[1:]]


def _labelled(results: Results, labels: Iterable[str]) -> Source:
    """Choose the labels that name sides or cells."""
    kept, swept, said = sorted_out(results, [*labels])
    return Source("results", results, None, tuple(kept), tuple(swept), tuple(said))


def _unlabelled(results: Results, paths: list[str]) -> list[Source]:
    """Find the sides of files that nobody named, or take unlike folders apart."""
    names = _names(list(dict.fromkeys(results.runs["source"])), paths)
    measured = {*results.io["source"], *results.timings["source"]} or {*names}  # others are logs
    several = len({name for file, name in names.items() if file in measured})
    by_run = several < 2
    told = conditions(results, by_run=by_run)
    found = Found({"label": names})
    if by_run:
        found = found_sides(results, told, by_run=True)
    elif several > 2 and not (
        several <= FEW and are_alike(told, names) and not are_repeats(names.values())
    ):
        found = found_sides(results, told)
        some_only_read = told.drop(columns="direction", errors="ignore")
        if not found.labels and several <= FEW and are_alike(some_only_read, names):
            found = Found({"label": names})
        elif not found.labels and several < len(names):
            return _of_folders(results, names, paths)
    for label, sides in reversed(found.labels.items()):
        for frame in results.tables.values():
            frame.insert(0, label, unit(frame, by_run=by_run).map(sides).astype("str"))
    said = found.said
    if not found.labels and not by_run:
        said = said or _nameless(told, len(names))
    is_mixed = bool(found.said and not found.labels)
    how = (said,) if said else ()
    return [Source("results", results, fields=(*found.labels,), said=how, is_mixed=is_mixed)]


def _of_folders(results: Results, names: Mapping[str, str], paths: list[str]) -> list[Source]:
    """Report each of several folders apart, as they hold unlike runs."""
    found = []
    for folder in dict.fromkeys(names.values()):
        tables = {
            name: frame[frame["source"].map(names).eq(folder)].reset_index(drop=True)
            for name, frame in results.tables.items()
        }
        own = Results(tables, tables["runs"]["source"].nunique())
        parts = _unlabelled(own, [str(Path(paths[0], folder))])
        found += [_within(one, folder) for one in parts]
    rest = results.notes[~results.notes["source"].isin([*names])]
    first = found[0].results
    notes = pd.concat([rest, first.notes], ignore_index=True)
    whole = Results({**first.tables, "notes": notes}, first.files)
    return [replace(found[0], results=whole), *found[1:]]


def _within(one: Source, folder: str) -> Source:
    """Name what was found in a folder by it."""
    name = f"{folder}/{one.name}" if one.folder else folder
    return replace(one, name=name, folder=slug(name))


def _nameless(told: pd.DataFrame, files: int) -> str:
    """Say why files without labels have no sides."""
    swept = [naming.short(str(name)) for name in told]
    said = f"nothing says which of the {files} files belong to one side"
    if swept:
        said = f"{said}; they differ in {', '.join(swept)}"
    example = "'runs/{side}_{round:d}.txt'"
    return f"{said}: a path template such as {example} would say it"


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
