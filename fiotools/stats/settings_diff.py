"""The options in which the two sides of a comparison differ."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from narwhals.typing import IntoDataFrame, IntoDataFrameT

from fiotools import units
from fiotools.stats.arms import levels_beside
from fiotools.stats.frames import answer, need, opened, values
from fiotools.stats.replicates import run_keys
from fiotools.vocabulary import COLUMNS

# a comparison is about different places
_PLACES = {
    *("filename", "directory", "if", "of", "Path", "path", "name", "output", "job"),
    *("write_bw_log", "write_iops_log", "write_lat_log", "write_hist_log"),
}

OptionTexts: TypeAlias = Mapping[str, Collection[str]]  # all texts of each
Key: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class OptionDifference:
    """One option, as each side had it; None if a side was not given it."""

    option: str
    level: str | None
    baseline: str | None

    def __str__(self) -> str:
        level, baseline = (text or "not given" for text in (self.level, self.baseline))
        return f"{self.option} is {level} against {baseline}"


def differing_options(
    level: OptionTexts, baseline: OptionTexts, *, named: Iterable[str] = ()
) -> list[OptionDifference]:
    """List the options that differ, apart from places and options behind columns that were `named`.

    Examples
    --------
    >>> [str(one) for one in differing_options({"bs": ["4k"], "direct": ["1"]}, {"bs": ["4096"]})]
    ['direct is 1 against not given']
    """
    left_out = _PLACES.union(*(_options_of(column) for column in named))
    found = []
    for option in dict.fromkeys([*level, *baseline]):
        one, other = level.get(option, ()), baseline.get(option, ())
        if option.rpartition("/")[2] not in left_out and _canonical(one) != _canonical(other):
            found.append(OptionDifference(option, ", ".join(one) or None, ", ".join(other) or None))
    return found


def _options_of(column: str) -> set[str]:
    """Give the tools' options that a column is read from, as the vocabulary has them."""
    keys = COLUMNS[column].keys.values() if column in COLUMNS else ()
    return {option.strip(" =") for key in keys for option in re.split("[,;]", key)}


def _canonical(texts: Iterable[str]) -> set[str | float]:
    return {_amount(text) for text in texts}


def _amount(text: str) -> str | float:
    """Read a size or a time, so that one amount has one value."""
    for reading in (units.size, units.seconds):
        try:
            return reading(text)
        except ValueError:
            continue
    return text.strip()


def settings_diff(settings: IntoDataFrameT, *, between: str, baseline: Any) -> IntoDataFrameT:
    """List the options in which the levels of a label differ from their baseline.

    Two ways of storing data can only be compared if the tool did the same. Names of files and
    folders are left out, and options that differ in the same way within each side, such as a swept
    block size.

    Parameters
    ----------
    settings : pandas.DataFrame or polars.DataFrame
        `Results.settings`, with the label.
    between : str
        The label whose levels are the sides.
    baseline : object
        The level that the others are compared with.

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
    data = opened(settings)
    need(data, [between, "option", "text"])
    levels = levels_beside(data, between, baseline)
    side = values(data, between)
    had, keys = options_of_runs(settings), run_keys(data)
    base, *others = (
        options_of_rows(had, keys, [row for row, own in enumerate(side) if own == level])
        for level in (baseline, *levels)
    )
    found = [
        (level, one)
        for level, own in zip(levels, others, strict=True)
        for one in differing_options(own, base)
    ]
    keep = {
        between: (between, [side.index(level) for level, _ in found]),
        "baseline": (between, [side.index(baseline)] * len(found)),
    }
    lines = [
        {"option": one.option, "text": one.level, "text_baseline": one.baseline} for _, one in found
    ]
    return answer(data, "settings_diff", keep, lines)


def options_of_runs(settings: IntoDataFrame) -> dict[Key, OptionTexts]:
    """Give the options of each run, with the texts of its entries.

    An entry's own option hides one given for all, and either hides a default.
    """
    data = opened(settings)
    need(data, ["source", "run", "entry", "option", "text", "origin"])
    given: dict[Key, dict[Any, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    default: dict[Key, dict[Any, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    lists = (values(data, name) for name in ("entry", "option", "text", "origin"))
    for run, entry, option, text, origin in zip(run_keys(data), *lists, strict=True):
        if text is not None:
            (default if origin == "default" else given)[run][entry][option] = text
    return {run: _effective(given[run], default[run]) for run in {**given, **default}}


def options_of_rows(
    had: Mapping[Key, OptionTexts], keys: Sequence[Key], rows: Iterable[int]
) -> OptionTexts:
    """Bring together the options of the runs of some rows."""
    return _merged(had.get(run, {}) for run in dict.fromkeys(keys[row] for row in rows))


def _effective(
    given: Mapping[Any, Mapping[str, str]], default: Mapping[Any, Mapping[str, str]]
) -> OptionTexts:
    shared = {**default.get(None, {}), **given.get(None, {})}
    entries = dict.fromkeys(entry for entry in (*given, *default) if entry is not None)
    own = [{**default.get(entry, {}), **shared, **given.get(entry, {})} for entry in entries] or [
        shared
    ]
    return _merged({option: [text] for option, text in one.items()} for one in own)


def _merged(several: Iterable[OptionTexts]) -> OptionTexts:
    """Bring together the options of several runs or entries."""
    found: dict[str, dict[str, None]] = {}
    for one in several:
        for option, texts in one.items():
            found.setdefault(option, {}).update(dict.fromkeys(texts))
    return {option: list(texts) for option, texts in found.items()}
