"""In which order runs were made, as far as their table tells, ranked once for all rows.

Numbers and times sort by themselves. Texts number runs if they differ in their numbers alone: "r2"
comes before "r10"; "4k" and "8k" are sizes, and "24.11.2026" begins with the day. Texts of one side
may be alike where those of both are not: "ext4-1" and "xfs-1". So each text has a form, and a rank
among all texts; the ranks of some rows hold if they have one form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import polars as pl

from fiotools.stats import frames
from fiotools.stats.columns import Codes, Columns, Rows, codes_of, dense, together

ROUND = "round"  # the column of a campaign, and of most tables of runs made by hand
TIMES = ("started_at", "reported_at")
_TIME = r"^\d{4}-\d\d-\d\d([T ])\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$"
_NUMBER = r"\d+"
_NO_NUMBER = (
    r"(?i)\d[kmgt](?:i?b)?(?:[^a-z]|$)"
    r"|(?:^|\D)\d\d?(?:\.\d\d?\.|/\d\d?/|-\d\d?-)\d{4}(?:\D|$)"
)
_ENDING = r"(?i)(\.[a-z]\w*)+$"
_DIGITS = 18  # of a number of 64 bits


@dataclass(frozen=True)
class Ranks:
    """The rank of each row's value, which sorts all rows of one `form`; form -1 has no order."""

    form: Codes
    find: Callable[[], Codes]

    @cached_property
    def rank(self) -> Codes:
        """The rank of each row's value among all."""
        return self.find()

    def sort(self, rows: Rows) -> bool:
        """Say whether the ranks of some rows sort them."""
        own = self.form[rows]
        return not len(own) or bool(own[0] >= 0 and (own == own[0]).all())


@dataclass(frozen=True)
class Places:
    """Where values stand in an order, read in several ways: as times, as numbers."""

    ways: tuple[Ranks, ...]

    def of(self, rows: Rows) -> Codes | None:
        """Give ranks that sort some rows as their runs were made; None if nothing does."""
        return next((way.rank[rows] for way in self.ways if way.sort(rows)), None)


@dataclass(frozen=True)
class Order:
    """Where each row's run stands among the others.

    `across` says whether that tells which of two runs of different sides came first: rounds and
    file names tell the order within a side only, and `name` says which. Runs of several files sort
    by the `file`, and then by their number `within` it.
    """

    places: Places
    across: bool
    name: str | None = None
    file: Codes | None = None
    within: Codes | None = None

    def of(self, rows: Rows) -> Codes | None:
        """Give ranks that sort some rows as their runs were made; None if nothing does."""
        if self.file is None or self.within is None:
            return self.places.of(rows)
        files, within = self.file[rows], self.within[rows]
        if len(files) and (files == files[0]).all():  # fewer places come first, as in tuples
            return within
        names = self.places.of(rows)
        return None if names is None else (names + 1) * (int(self.within.max()) + 1) + within


def order_of(columns: Columns[Any], pair: str | None) -> Order | None:
    """Find the order of the runs: by times, run numbers of one file, rounds, or file names."""
    if (name := moments(columns)) is not None:
        return Order(places_of(columns, name), True)
    files_known, runs_known = (_is_known(columns, name) for name in ("source", "run"))
    if pair != "run" and runs_known and columns.varying(["run"]) and _is_one_file(columns):
        return Order(places_of(columns, "run"), True)
    for name in columns.present([*frames.names(pair), ROUND]):
        if name != "source" and _is_known(columns, name):
            places = places_of(columns, name)
            if places.of(columns.every) is not None:
                return Order(places, False, repr(name))
    if not (files_known and runs_known):
        return None
    stems = columns["source"].cast(pl.String).str.replace(_ENDING, "")
    file, count = codes_of(stems)
    places = _places_of_texts(stems) if count > 1 else Places(())
    within = _ranks(columns, "run")
    return Order(places, False, "the file names", file, within)


def moments(columns: Columns[Any]) -> str | None:
    """Name the column that tells when each row's run was, if all are known.

    Texts sort as times do if all have one form, from the year down to the second.
    """
    for name in TIMES:
        if _is_known(columns, name):
            dtype = columns.schema[name]
            if dtype.is_temporal() or dtype.is_numeric():
                return name
            if columns[name].dtype == pl.String and _are_times(columns, name):
                return name
    return None


def _are_times(columns: Columns[Any], name: str) -> bool:
    """Say whether texts are times of one form and one zone."""
    *times, _numbers = places_of(columns, name).ways
    return any(way.sort(columns.every) for way in times)


def clock_of(columns: Columns[Any]) -> Codes | None:
    """Rank the times of the runs, if all are known."""
    name = moments(columns)
    return None if name is None else _ranks(columns, name)


def _is_known(columns: Columns[Any], name: str) -> bool:
    return name in columns and not columns.has_gaps(name)


def _is_one_file(columns: Columns[Any]) -> bool:
    if "source" not in columns or not columns.known("source").any():
        return True
    return _is_known(columns, "source") and not columns.varying(["source"])


def places_of(columns: Columns[Any], name: str) -> Places:
    """Rank the values of a column as the runs were made, as far as they tell."""
    own = columns[name]
    if columns.is_odd(name):
        return _places_of_objects(columns.values(name, columns.every))
    if own.dtype == pl.String:
        return _places_of_texts(own)
    if own.dtype.is_numeric() or own.dtype == pl.Date or own.dtype == pl.Datetime:
        return _always(_ranks(columns, name))
    return Places(())


def in_rows(columns: Columns[Any]) -> Places:
    """Take the rows as they stand for the order of the runs."""
    return _always(columns.every)


def _always(rank: Codes) -> Places:
    return Places((Ranks(np.zeros(len(rank), dtype=np.int64), lambda: rank),))


def _places_of_objects(values: list[Any]) -> Places:
    known = [value for value in values if value is not None]
    if not all(
        isinstance(value, Real) and not isinstance(value, bool) for value in known
    ) and not all(hasattr(value, "year") for value in known):
        return Places(())
    place = {value: at for at, value in enumerate(sorted(set(known)))}
    return _always(np.array([place.get(value, -1) for value in values], dtype=np.int64))


def _places_of_texts(texts: pl.Series) -> Places:
    text = pl.col("text")
    numbered = text.str.contains(_NUMBER) & ~text.str.contains(_NO_NUMBER)
    parts = texts.to_frame("text").select(
        text,
        form=text.str.replace_all(_NUMBER, "#"),
        numbers=text.str.extract_all(_NUMBER),
        is_numbered=numbered.fill_null(value=False),
        is_time=text.str.contains(_TIME).fill_null(value=False),
    )
    ways = (_times(parts), _numbered(parts)) if parts["is_time"].any() else (_numbered(parts),)
    return Places(ways)


def _times(parts: pl.DataFrame) -> Ranks:
    """Rank times of one form and one zone: then they sort as their texts do."""
    text = pl.col("text").str
    told = [text.len_chars(), *(text.extract(_TIME, group) for group in (1, 2))]
    forms = [codes_of(parts.select(one).to_series())[0] for one in told]
    form = np.where(parts["is_time"].to_numpy(), together(forms, len(parts)), -1)
    return Ranks(form, lambda: _rank(parts["text"]))


def _numbered(parts: pl.DataFrame) -> Ranks:
    """Rank texts that differ in their numbers alone by these, the first one first."""
    form = np.where(parts["is_numbered"].to_numpy(), codes_of(parts["form"])[0], -1)
    return Ranks(form, lambda: _by_numbers(parts))


def _by_numbers(parts: pl.DataFrame) -> Codes:
    count = parts.select(pl.col("numbers").list.len().max()).item() or 0
    ranks = [rank for at in range(count) for rank in _by_number(parts, at)]
    return together(ranks, len(parts))


def _by_number(parts: pl.DataFrame, at: int) -> Iterator[Codes]:
    digits = pl.col("numbers").list.get(at, null_on_oob=True).str.strip_chars_start("0")
    number = pl.when(digits == "").then(0).otherwise(digits.cast(pl.Int64, strict=False))
    found = parts.select(size=digits.str.len_bytes(), number=number.fill_null(-1), digits=digits)
    if (found["size"] > _DIGITS).any():
        yield _rank(found["size"])
        yield _rank(found["digits"])
    else:
        yield dense(found["number"].to_numpy())


def _ranks(columns: Columns[Any], name: str) -> Codes:
    if columns[name].dtype.is_numeric():
        return columns.codes(name)
    return _rank(columns[name])


def _rank(column: pl.Series) -> Codes:
    """Rank values by size, missing first."""
    if column.dtype.is_integer():
        return dense(column.cast(pl.Int64).fill_null(-1).to_numpy())
    return column.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()


def sequence(values: list[str]) -> Codes | None:
    """Give ranks that sort texts as runs were made; None if nothing numbers them."""
    return _places_of_texts(pl.Series(values, dtype=pl.String)).of(np.arange(len(values)))
