"""`scan_notes`: the notes on the first lines of logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from fiotools.input import sources as files
from fiotools.logs.head import Align, aligned, decide, heads
from fiotools.logs.lazy_frame import label_types
from fiotools.logs.scan_hist_log import decide_histogram
from fiotools.tables.columns import POLARS
from fiotools.vocabulary import COLUMNS, TABLES

if TYPE_CHECKING:
    from fiotools.logs.scan_log import Paths
    from fiotools.tables import Tables


def scan_notes(
    sources: Paths | Mapping[str, Paths], *, version: str | None = None, align: Align = None
) -> pl.DataFrame:
    """Return what a lazy scan of these logs assumes.

    Parameters
    ----------
    sources, version, align
        As for `scan_log` and `scan_hist_log`; logs of both kinds may be mixed.

    Returns
    -------
    polars.DataFrame
        The table ``notes``, from the first lines of each log: what decided units and columns, and
        the moment that times count from.

    Raises
    ------
    FileNotFoundError, FileError, SchemaError
        As in `scan_log`.

    Examples
    --------
    >>> import fiotools as ft
    >>> ft.scan_notes("tests/fixtures/fio/fio-3.33--log-windows_lat.1.log")["message"][0]
    'fio 3.33, as tests/fixtures/fio/fio-3.33--log-windows.json says'
    """
    seen = heads(files.find(sources), version, histograms=None)
    logs = aligned(
        [decide_histogram(head) if head.name.kind == "hist" else decide(head) for head in seen],
        align,
    )
    labels = label_types([log.head.found for log in logs])
    rows = [
        {**log.head.found.labels, "source": log.head.found.name, "run": 1, **note}
        for log in logs
        for note in _notes(log.head.tables)
    ]
    schema = {name: POLARS[COLUMNS[name].dtype] for name in TABLES["notes"]}
    return pl.DataFrame(rows, schema={**labels, **schema})


def _notes(tables: Tables) -> Iterator[dict[str, Any]]:
    names = ("line", "severity", "message")
    for row in tables.rows("notes", *names):
        yield dict(zip(names, row, strict=True))
