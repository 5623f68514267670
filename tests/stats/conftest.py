"""The same rows as a pandas and as a polars frame, and the articles' numbers."""

from __future__ import annotations

import narwhals as nw
import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from fiotools.display import verdicts
from fiotools.stats.frames import opened
from tests.conftest import ROOT


def _rows(frame) -> list[dict]:
    """Give a frame's rows as plain dicts, missing values as None.

    Rows of an answer also have its words: the sentences of its flags as ``told``, and the verdict
    in ``words``.
    """
    rows = frame.to_dict("records") if isinstance(frame, pd.DataFrame) else frame.to_dicts()
    found = [
        {k: None if v is None or v is pd.NA or v != v else v for k, v in row.items()}
        for row in rows
    ]
    for row in found if {"flags", "details"} <= {*frame.columns} else ():
        told = "; ".join(text for _, text in verdicts.cautions(row)) or None
        row |= {"told": told, "words": verdicts.verdict(row) if row.get("verdict") else None}
    return found


@pytest.fixture
def rows():
    return _rows


@pytest.fixture(params=["pandas", "polars"])
def kind(request):
    return request.param


@pytest.fixture
def make(kind):
    """Build a frame of either type from columns of equal length; single values are repeated."""

    def build(**columns):
        size = max((len(c) for c in columns.values() if isinstance(c, list)), default=1)
        full = {k: c if isinstance(c, list) else [c] * size for k, c in columns.items()}
        return pd.DataFrame(full) if kind == "pandas" else pl.DataFrame(full, strict=False)

    return build


@pytest.fixture
def compared(make, rows):
    """Compare the runs of sides a and b of g, and give the row of the answer."""

    def answer(columns, metric="iops", **asked):
        named = {"between": "g", "baseline": "a"} | asked
        (row,) = rows(ft.compare(make(**columns), metric, **named))
        return row

    return answer


@pytest.fixture
def log(make):
    """Make samples of one series, a second apart."""

    def build(values, **more):
        times = [float(i) for i in range(1, len(values) + 1)]
        columns = {"source": "a", "run": 1, "entry": 1, "direction": "read", "quantity": "iops"}
        return make(**(columns | {"time_s": times, "value": list(values)} | more))

    return build


def with_totals(io):
    """Add the totals of reads and writes to their rows."""
    return nw.concat([opened(io), opened(ft.totals(io))]).to_native()


@pytest.fixture
def volumes(kind):
    """What DISKSPD printed of the runs of article 002."""
    return ft.read(f"{ROOT}/data/dda-vhdx/text/{{volume}}.txt", frames=kind)


@pytest.fixture
def diskspd(volumes):
    """Its runs, totals too: 9 rows."""
    return with_totals(volumes.io)


@pytest.fixture
def threads(volumes):
    """Their threads: 18 rows."""
    return with_totals(volumes.threads)


def _native(frame, kind):
    return frame.to_pandas() if kind == "pandas" else frame


@pytest.fixture
def lima(kind):
    """The IOPS table of article 004: five runs per mount."""
    runs = pl.read_csv(ROOT / "data/lima-mounts/iops.csv")
    table = {}
    for way, own in runs.group_by("pattern", "direction", maintain_order=True):
        table |= {"mount": own["mount"], "_".join([*way, "iops"]): own["iops"]}
    mixed = pl.col("randrw_read_iops") + pl.col("randrw_write_iops")
    return _native(pl.DataFrame(table).with_columns(mixed_iops=mixed), kind)


@pytest.fixture
def tarball(kind):
    """The times of article 004: three runs per mount."""
    return _native(pl.read_csv(ROOT / "data/lima-mounts/tarball.csv")["mount", "real_s"], kind)
