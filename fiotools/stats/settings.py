"""The options of both sides, as their reports tell them, and those in which they differ."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from narwhals.typing import IntoDataFrame, IntoDataFrameT

from fiotools import units
from fiotools.stats import frames
from fiotools.stats.columns import Columns
from fiotools.stats.frames import AnswerRow, Key
from fiotools.stats.question import FOUND, question
from fiotools.stats.replicates import run_keys
from fiotools.stats.sides import levels_beside
from fiotools.vocabulary import COLUMNS

_PLACE_OPTIONS = {
    *("filename", "directory", "if", "of", "Path", "path", "name", "output", "job"),
    *("write_bw_log", "write_iops_log", "write_lat_log", "write_hist_log"),
}
# fio's, in which "1m" is a minute
_DURATIONS = {"runtime", "timeout", "ramp_time", "startdelay", "thinktime"}

OptionTexts: TypeAlias = Mapping[str, Collection[str]]  # all texts of each


@question("settings")
def settings_diff(
    settings: IntoDataFrameT, *, between: str = FOUND, baseline: Any = FOUND
) -> IntoDataFrameT:
    """List the options in which the levels of a label differ from their baseline.

    Names of files and folders are left out, and options that differ in the same way within each
    side, such as a swept block size.

    Parameters
    ----------
    settings : Results, pandas.DataFrame or polars.DataFrame
        `Results.settings`, with the label.
    between : str, optional
        The column that holds the sides; by default the only label.
    baseline : object, optional
        The side that the others are compared with; by default the first.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per level and option that differs: `between` (the level), ``baseline``, ``option``,
        ``text`` (the level's; several values joined) and ``text_baseline``; null if a side was not
        given the option.

    Raises
    ------
    SchemaError
        If a column or the baseline is missing, or there is one level only.

    See Also
    --------
    compare : Takes the same frame as ``settings=``, and warns.

    Examples
    --------
    >>> import fiotools as ft
    >>> told = ft.read("data/how-many-runs/rounds/{workload}_ext4_1.json").settings
    >>> settings_diff(told, between="workload", baseline="randread")["option"].tolist()
    ['iodepth', 'direct', 'rw', 'ioengine', 'fsync']
    """
    data = frames.opened(settings, [between, "option", "text"])
    levels = levels_beside(Columns(data), between, baseline)
    side = frames.values(data, between)
    had, keys = options_of_runs(settings), run_keys(data)
    base, *others = (
        options_of_rows(had, keys, [row for row, own in enumerate(side) if own == level])
        for level in (baseline, *levels)
    )
    lines = [
        one | {"row": {between: side.index(level), "baseline": side.index(baseline)}}
        for level, own in zip(levels, others, strict=True)
        for one in differing_options(own, base)
    ]
    keep = {between: between, "baseline": between}
    return frames.answer(data, "settings_diff", keep, lines)


def options_of_runs(settings: IntoDataFrame) -> dict[Key, OptionTexts]:
    """Give the options of each run: an entry's own hides one given for all, either a default."""
    data = frames.opened(settings, ["source", "run", "entry", "option", "text", "origin"])
    told: dict[Key, dict[tuple[bool, Any], dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    lists = (frames.values(data, name) for name in ("entry", "option", "text", "origin"))
    for run, entry, option, text, origin in zip(run_keys(data), *lists, strict=True):
        if text is not None:
            told[run][origin == "default", entry][option] = text
    found = {}
    for run, own in told.items():
        entries = dict.fromkeys(entry for _, entry in sorted(own, key=lambda place: place[0]))
        shared = own[True, None] | own[False, None]
        each = [
            own[True, entry] | shared | own[False, entry] for entry in entries if entry is not None
        ]
        found[run] = merged(
            {option: [text] for option, text in one.items()} for one in each or [shared]
        )
    return found


def options_of_rows(
    had: Mapping[Key, OptionTexts], keys: Sequence[Key], rows: Iterable[int]
) -> OptionTexts:
    """Bring together the options of the runs of some rows."""
    return merged(had.get(run, {}) for run in dict.fromkeys(keys[row] for row in rows))


def merged(several: Iterable[OptionTexts]) -> OptionTexts:
    """Bring together the options of several runs or entries."""
    found: dict[str, dict[str, None]] = {}
    for one in several:
        for option, texts in one.items():
            found.setdefault(option, {}).update(dict.fromkeys(texts))
    return {option: list(texts) for option, texts in found.items()}


def differing_options(
    level: OptionTexts, baseline: OptionTexts, *, named: Iterable[str] = ()
) -> list[AnswerRow]:
    """List the options that differ, without places and those behind columns that were `named`."""
    own = set[str]()
    for column in named:
        keys = COLUMNS[column].keys.values() if column in COLUMNS else ()
        own.update(option.strip(" =") for key in keys for option in re.split("[,;]", key))
    found = []
    for option in dict.fromkeys([*level, *baseline]):
        sides = level.get(option, ()), baseline.get(option, ())
        one, other = ({_amount(option, text) for text in texts} for texts in sides)
        if one != other and not is_place(option) and option.rpartition("/")[2] not in own:
            text, text_baseline = (", ".join(texts) if texts else None for texts in sides)
            found.append({"option": option, "text": text, "text_baseline": text_baseline})
    return found


def is_place(option: str) -> bool:
    """Say whether an option names a file or a job: a comparison is about different ones."""
    return option.rpartition("/")[2] in _PLACE_OPTIONS


def _amount(option: str, text: str) -> str | float:
    """Read a size or a time, so that one amount has one value."""
    readings = (units.size, units.seconds)
    for reading in reversed(readings) if option in _DURATIONS else readings:
        try:
            return reading(text)
        except ValueError:
            continue
    return text.strip()
