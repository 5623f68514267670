"""The plan of a conversion, written down before anything is read: which files make which part.

It has a piece for each part: the rows that the manifest is to have of its files, and of each file
whether it is to be read and where it stood in the part before. A last file says that all pieces are
there: without it there is no plan.

Files that nobody converted before make new parts, in their order, each of a bounded number and
size. A part is written anew if a file of it has changed, or is to go; what it holds of the others
is taken from its old files, and they are not read.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from fiotools._version import __version__
from fiotools.dataset import parquet
from fiotools.dataset.parquet import MANIFEST, arrow_schema, columns
from fiotools.dataset.store import PLAN, PLANNED, Store, leftover, part_name, uncommitted
from fiotools.errors import DatasetError
from fiotools.files.scale_extra import needed
from fiotools.input.sources import is_url
from fiotools.vocabulary import DType

if TYPE_CHECKING:
    import polars as pl

PENDING = "_todo"  # whether the file is to be read
BEFORE = "_before"  # its row in the part's record until now
_WHOLE = f"{PLAN}/{PLANNED}"
Hash = Callable[["pl.DataFrame"], list[str | None]]
_DO = "_do"
_NOW = "_now"  # the suffix of what was listed
_SEEN = "_seen"  # the suffix of what the manifest has
_LISTED = ("place", "member", "named", "size_bytes", "mtime_ns", "etag", "beside", "asked")
_OTHERWISE = ("place", "member", "size_bytes", "beside", "asked")  # to be read if they differ


@dataclass(frozen=True)
class Plan:
    """What is to be done.

    Attributes
    ----------
    call : str
        What was asked for: another call does not go on with it.
    parts : list of (number, generation, files)
        ``files``: how many are to be read.
    """

    call: str
    parts: list[tuple[int, int, int]]

    @classmethod
    def read(cls, store: Store) -> Plan | None:
        """Read the plan that was not finished, if there is one.

        Raises
        ------
        DatasetError
            If something else has its name.
        """
        try:
            told = orjson.loads(store.read(_WHOLE))
            return cls(str(told["call"]), [(int(n), int(g), int(f)) for n, g, f in told["parts"]])
        except FileNotFoundError:
            return None
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
            raise DatasetError(
                f"{store.place(_WHOLE)}: not what fiotools wrote; move it elsewhere"
            ) from None

    def write(self, store: Store) -> None:
        """Write that the plan is whole; from here on it is done as it is."""
        content = orjson.dumps({"call": self.call, "parts": self.parts})
        store.write(_WHOLE, lambda file: file.write(content))


def piece_name(number: int, generation: int) -> str:
    """Name the piece of a part."""
    return f"{PLAN}/{part_name(number, generation)}"


def write_piece(store: Store, name: str, rows: pl.DataFrame, labels: Mapping[str, DType]) -> None:
    """Write the piece of a part."""
    pa = needed("pyarrow", "a dataset")
    schema = arrow_schema(MANIFEST, labels)
    schema = schema.append(pa.field(PENDING, pa.bool_())).append(pa.field(BEFORE, pa.int64()))
    parquet.write(store, name, parquet.of_polars(rows, schema))


def read_piece(content: bytes) -> pl.DataFrame:
    """Read the piece of a part from the bytes of its file."""
    import polars as pl

    return pl.read_parquet(io.BytesIO(content))


def dropped(store: Store, plan: Plan | None) -> None:
    """Remove a plan that is done, or is not wanted any more; and pieces that never made one."""
    names = store.names(PLAN)
    planned = {number: generation for number, generation, _ in plan.parts} if plan else {}
    parquet.refuse_others(store, [f"{PLAN}/{name}" for name in uncommitted(names, planned)])
    store.remove([_WHOLE])  # first: pieces without it are none
    store.remove(f"{PLAN}/{name}" for name in leftover(names, {}))
    store.leave(PLAN)


@dataclass(frozen=True)
class Bounds:
    """How much a part holds at most; one file may be larger.

    Attributes
    ----------
    files, size : int
        Files, and their bytes together.
    """

    files: int
    size: int

    def cut(self, sizes: Iterable[int | None]) -> Iterator[tuple[int, int]]:
        """Cut a list of files into parts; give where each begins and ends.

        Examples
        --------
        >>> list(Bounds(files=2, size=100).cut([10, 10, 10, 95, 200, 5]))
        [(0, 2), (2, 3), (3, 4), (4, 5), (5, 6)]
        """
        start, held, end = 0, 0, 0
        for size in sizes:
            if end > start and (end - start == self.files or held + (size or 0) > self.size):
                yield start, end
                start, held = end, 0
            held += size or 0
            end += 1
        if end > start:
            yield start, end


@dataclass(frozen=True)
class Compared:
    """The files that were listed, held against the manifest.

    Attributes
    ----------
    new, changed : polars.DataFrame
        Listed files: those that are not in the dataset, and those that are there otherwise.
    gone : polars.DataFrame
        Files in the dataset that are to go.
    same : int
        How many have the content that they had.
    """

    new: pl.DataFrame
    changed: pl.DataFrame
    gone: pl.DataFrame
    same: int

    @property
    def touched(self) -> list[int]:
        """The parts to be written anew."""
        return sorted({*self.changed["part"].to_list(), *self.gone["part"].to_list()})

    @property
    def reread(self) -> int:
        """How many files are to be read again; of others only the time has changed."""
        return int((self.changed[_DO] == "changed").sum())

    def todo(self, number: int) -> int:
        """Say how many files of a part are to be read again."""
        chosen = (self.changed["part"] == number) & (self.changed[_DO] == "changed")
        return int(chosen.sum())


def compared(
    listing: pl.DataFrame,
    known: pl.LazyFrame,
    labels: Mapping[str, DType],
    *,
    prune: bool,
    check: bool,
    hashes: Hash,
) -> Compared:
    """Hold the files that were listed against the manifest.

    Parameters
    ----------
    listing : polars.DataFrame
    known : polars.LazyFrame
        The manifest.
    labels : mapping
    prune : bool
        Whether files are to go that were not listed.
    check : bool
        Whether the content of files is looked at whose size and time are the same.
    hashes : callable
        Gives the hash of each file of a frame.
    """
    import polars as pl

    keys = [*labels, "source"]
    if listing.select(keys).is_duplicated().any():
        name = listing.filter(listing.select(keys).is_duplicated())["source"][0]
        raise DatasetError(f"{name}: two of the files have this name, and the same labels")
    named = listing.lazy().select(keys)
    seen = known.join(named, on=keys, how="semi", nulls_equal=True).select(
        *keys, *(name for name in _LISTED), "hash", "status", "fiotools_version", "part"
    )
    both = listing.drop("part", "hash", "status", "fiotools_version").join(
        seen.collect(engine="streaming"),
        on=keys,
        how="left",
        nulls_equal=True,
        suffix=_SEEN,
        maintain_order="left",
    )
    _refuse_others(both)
    both = _judged(both.with_columns(_decided(check)), hashes)
    held = [*labels, "place", "member"]
    gone = known.join(named, on=keys, how="anti", nulls_equal=True)
    if not prune:  # but of a file that is called otherwise now
        listed = listing.lazy().select(held)
        gone = gone.join(listed, on=held, how="semi", nulls_equal=True)
    changed = both.filter(pl.col(_DO).is_in(["changed", "touched"]))
    return Compared(
        new=both.filter(pl.col(_DO) == "new"),
        changed=changed,
        gone=gone.select(*keys, "part").collect(engine="streaming"),
        same=int(both[_DO].is_in(["same", "touched"]).sum()),
    )


def _decided(check: bool) -> pl.Expr:
    import polars as pl

    def alike(*names: str) -> pl.Expr:
        return pl.all_horizontal(pl.col(n).eq_missing(pl.col(f"{n}{_SEEN}")) for n in names)

    is_dated = pl.col("mtime_ns").is_not_null() | pl.col("etag").is_not_null()
    # a newer fiotools may know what this one did not
    is_open = (pl.col("status") != "read") & (pl.col("fiotools_version") != __version__)
    return (
        pl.when(pl.col("part").is_null())
        .then(pl.lit("new"))
        .when(~alike(*_OTHERWISE) | pl.col("hash").is_null() | is_open)
        .then(pl.lit("changed"))
        .when(alike("mtime_ns", "etag") & is_dated & (not check))
        .then(pl.lit("same"))
        .when(alike("mtime_ns", "etag"))
        .then(pl.lit("same if"))
        .otherwise(pl.lit("touched if"))
        .alias(_DO)
    )


def _judged(both: pl.DataFrame, hashes: Hash) -> pl.DataFrame:
    """Decide by their content of files whose size alone speaks for them."""
    import polars as pl

    doubtful = pl.col(_DO).is_in(["same if", "touched if"])
    asked = both.filter(doubtful)
    if not len(asked):
        return both
    kept = asked["hash"].eq_missing(pl.Series(hashes(asked), dtype=pl.String))
    judged = pl.Series(_DO, asked[_DO].str.strip_suffix(" if")).zip_with(
        kept, pl.Series(["changed"]).new_from_index(0, len(asked))
    )
    places = both.with_row_index("_at").filter(doubtful)["_at"]
    return both.with_columns(both[_DO].scatter(places, judged))


def _refuse_others(both: pl.DataFrame) -> None:
    """Refuse two files of one name that are both there; one that was moved is the same file."""
    import polars as pl

    moved = both.filter(pl.col("place") != pl.col(f"place{_SEEN}"))
    pairs = zip(moved["source"], moved["place"], moved[f"place{_SEEN}"], strict=True)
    for name, place, before in pairs:
        if not is_url(before) and Path(before).exists():
            raise DatasetError(
                f"{name}: the dataset has rows of this name from {before}, and this one is"
                f" {place}; give other names, or a label to each side"
            )


def rewritten(
    record: pl.DataFrame, changes: Compared, number: int, labels: Mapping[str, DType]
) -> pl.DataFrame:
    """Plan a part that is there already, from its record."""
    import polars as pl

    keys = [*labels, "source"]
    gone = changes.gone.filter(pl.col("part") == number)
    now = changes.changed.filter(pl.col("part") == number).select(*keys, *_LISTED, _DO)
    rows = (
        record.with_row_index(BEFORE)
        .join(gone, on=keys, how="anti", nulls_equal=True, maintain_order="left")
        .join(now, on=keys, how="left", nulls_equal=True, suffix=_NOW, maintain_order="left")
    )
    is_listed = pl.col(_DO).is_not_null()
    todo = (pl.col(_DO) == "changed").fill_null(False)
    own = {*keys, *_LISTED, "part"}
    found = [name for name in columns(MANIFEST, labels) if name not in own]
    return rows.with_columns(
        *(pl.when(is_listed).then(f"{name}{_NOW}").otherwise(name).alias(name) for name in _LISTED),
        *(pl.when(todo).then(None).otherwise(pl.col(name)).alias(name) for name in found),
        todo.alias(PENDING),
    ).select(*columns(MANIFEST, labels), PENDING, BEFORE)


def added(new: pl.DataFrame, number: int, labels: Mapping[str, DType]) -> pl.DataFrame:
    """Plan a part of files that are not in the dataset."""
    import polars as pl

    return new.with_columns(
        pl.lit(number, pl.Int64).alias("part"),
        *(pl.lit(None, pl.String).alias(name) for name in ("hash", "status", "fiotools_version")),
        pl.lit(True).alias(PENDING),
        pl.lit(None, pl.Int64).alias(BEFORE),
    ).select(*columns(MANIFEST, labels), PENDING, BEFORE)
