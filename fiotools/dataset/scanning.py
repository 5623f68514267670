"""Parquet files as a lazy frame of polars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fiotools.dataset.store import Folder, Store
from fiotools.scale import needed

if TYPE_CHECKING:
    import polars as pl


def scan(
    store: Store, folder: str, names: Sequence[str], schema: Mapping[str, pl.DataType]
) -> pl.LazyFrame:
    """Give the rows of some files of a folder, in their order.

    Parameters
    ----------
    store : Store
    folder : str
    names : sequence of str
    schema : mapping of str to DataType
        The columns; those that a file lacks are null, others that it has are left out.
    """
    import polars as pl

    if not names:
        return pl.LazyFrame(schema=schema)
    paths = [f"{folder}/{name}" for name in names]
    if isinstance(store, Folder):
        return pl.scan_parquet(
            [store.place(path) for path in paths],
            schema=dict(schema),
            missing_columns="insert",
            extra_columns="ignore",
            glob=False,
            hive_partitioning=False,
        )
    dataset = needed("pyarrow.dataset", "a dataset that is not in a folder")
    empty = pl.DataFrame(schema=schema).to_arrow()
    arrow = needed("pyarrow", "a dataset").schema(
        [(field.name, _plain(field.type)) for field in empty.schema]
    )
    source = dataset.dataset(
        [f"{store.root}/{path}" for path in paths],
        schema=arrow,
        format="parquet",
        filesystem=store.system,
    )
    return pl.scan_pyarrow_dataset(source)


def _plain(kind: object) -> object:
    """Take texts as the files have them."""
    pa = needed("pyarrow", "a dataset")
    return pa.string() if kind in (pa.large_string(), pa.string_view()) else kind
