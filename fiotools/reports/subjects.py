"""What a report is about: campaigns, or any results, with the label that holds their sides."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from fiotools.display import columns
from fiotools.errors import MeasureError, SchemaError
from fiotools.files import path_labels
from fiotools.input.read import read
from fiotools.measure.campaign import Campaign, campaign
from fiotools.measure.output import NAME
from fiotools.reports import apart
from fiotools.tables.results import Results

if TYPE_CHECKING:
    import pandas as pd

_ROUND = "round"


@dataclass(frozen=True)
class Source:
    """One campaign, or one reading of files.

    Attributes
    ----------
    name : str
    results : Results
        In the order in which they were measured, where that is known.
    campaign : Campaign or None
    fields : tuple of str
        The labels that tell the runs apart.
    swept : tuple of str
        Those of them that are conditions, and no sides.
    said : tuple of str
        What has to be known of how it was found.
    """

    name: str
    results: Results
    campaign: Campaign | None = None
    fields: tuple[str, ...] = ()
    swept: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


def gather(sources: Any) -> list[Source]:
    """Open campaigns, or read files.

    Raises
    ------
    FileNotFoundError
        If something is not there.
    MeasureError
        If no campaign of a folder of campaigns can be read.
    SchemaError
        If nothing that is there can be read.
    """
    paths = _paths(sources)
    folders = [folder for path in paths for folder in _campaigns(path)]
    if folders and not isinstance(sources, Mapping):
        rest = [path for path in paths if not _campaigns(path)]
        if rest:
            raise SchemaError(
                f"{rest[0]} is no campaign, and {folders[0].as_posix()} is one: report them apart"
            )
        return _opened(folders)
    results = read(sources, errors="note")
    if not len(results.runs):
        grave = results.notes[results.notes["severity"].ne("info")]
        why = f" ({grave['source'].iloc[0]}: {grave['message'].iloc[0]})" if len(grave) else ""
        raise SchemaError(f"no file that was found there can be read{why}; see fiotools.formats()")
    return [_sided(results, paths, isinstance(sources, Mapping))]


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
    found, bad = [], []
    for folder in folders:
        try:
            one = campaign(folder)
            found.append(_of_campaign(one))
        except MeasureError as error:
            bad.append(str(error))
    if not found:
        raise MeasureError(bad[0])
    if bad:
        first = found[0]
        found[0] = Source(first.name, first.results, first.campaign, first.fields, said=tuple(bad))
    return found


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
    fields = ("place", *one.asked.fields, _ROUND)
    return Source(one.asked.experiment, Results(tables, one.results.files), one, fields)


def _sided(results: Results, paths: list[str], labelled: bool) -> Source:
    """Find the labels of files without a manifest; where there are none, name the files."""
    fields = tuple(dict.fromkeys([*(["label"] if labelled else []), *path_labels.fields(paths)]))
    if fields:
        kept, swept, said = apart.labels(results, fields)
        return Source("results", results, None, tuple(kept), tuple(swept), tuple(said))
    names = _names(list(dict.fromkeys(results.runs["source"])), paths)
    several = len(set(names.values()))
    if several < 2:
        return Source("results", results)
    found, why = names, ""
    if several > 2 and not (several <= apart.FEW and apart.are_alike(results, names)):
        found, why = apart.sides(results)
    if not found:
        return Source("results", results, said=(why or _nameless(results, several),))
    for frame in results.tables.values():
        frame.insert(0, "label", frame["source"].map(found).astype("str"))
    return Source("results", results, fields=("label",), said=(why,) if why else ())


def _nameless(results: Results, files: int) -> str:
    """Say why files without labels have no sides."""
    swept = [columns.short(str(name)) for name in apart.conditions(results)]
    differ = f"; they differ in {', '.join(swept)}" if swept else ""
    return (
        f"{files} files, and nothing says which of them belong to one side{differ}: to compare, "
        "give NAME=FILES for each side, or a path template such as 'runs/{side}_{round:d}.txt'"
    )


def _names(files: list[str], paths: list[str]) -> dict[str, str]:
    """Name the side of each file: its folder, where there are several, else itself."""
    if len(paths) == 1 and Path(paths[0]).is_dir():
        tops = {file: PurePath(file).relative_to(PurePath(paths[0])).parts for file in files}
        if all(len(parts) > 1 for parts in tops.values()):
            folders = {file: parts[0] for file, parts in tops.items()}
            if len(set(folders.values())) > 1:
                return folders
    return dict(zip(files, path_labels.names(files), strict=True))


def differs(frame: pd.DataFrame, name: str) -> bool:
    """Say whether a column has several values."""
    return len(frame[name].dropna().unique()) > 1


def of_one(results: Results, label: str, value: Any) -> Results:
    """Keep what one value of a label stands before, in every table."""
    tables: dict[str, pd.DataFrame] = {
        name: frame[frame[label].eq(value)].reset_index(drop=True)
        for name, frame in results.tables.items()
    }
    return Results(tables, tables["runs"]["source"].nunique())
