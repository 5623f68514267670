"""Every statistic returns the same answer for pandas and polars, in the vocabulary's types."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from fiotools.stats.percentiles import merge_bins
from fiotools.vocabulary import ANSWERS, COLUMNS, STATISTICS
from tests.conftest import FIXTURES, PANDAS, ROOT

FIO = f"{FIXTURES}/fio/fio-3.33--"
DISKSPD = f"{FIXTURES}/diskspd/diskspd-"
POLARS = {"Int64": pl.Int64, "float64": pl.Float64, "boolean": pl.Boolean, "str": pl.String}

VOLUMES = f"{ROOT}/data/dda-vhdx/xml/{{volume}}.xml"
SIZES = f"{ROOT}/data/wsl-filesystems/{{filesystem}}_{{operation}}_{{size}}_{{round:d}}.txt"
BINS = [f"{FIO}jsonplus-libaio.json", f"{FIO}log-hist.json", f"{FIO}log-single.json"]
TABLES = [
    f"{DISKSPD}2.0.12--mix_2targets_D_L.xml",
    f"{DISKSPD}2.2--F2O8_weights.xml",
    f"{DISKSPD}2.1--three_timespans.xml",
]
LOGS = [f"{FIO}log-windows_iops.1.log", f"{FIO}log-windows.json"]
BINS_OF_TIME = f"{FIO}log-coarse_clat_hist.1.log"
ONE = ("size=4k", "operation=read")
OF_VOLUMES = {"between": "volume", "baseline": "vhdx", "by": "direction"}
CELLS = ["operation", "size", "direction"]
OVER = ["operation", "size", "bs_bytes"]
OF_BINS = {"between": "source", "baseline": BINS[1]}
CASES = {
    "compare": (SIZES, lambda res: ft.compare(res, "bw", between="filesystem", by=CELLS)),
    "compare, pairs": (
        SIZES,
        lambda res: ft.compare(res.where(*ONE), "bw", between="filesystem", pair="round"),
    ),
    "crosstab": (SIZES, lambda res: ft.crosstab(res, "iops", between="filesystem")),
    "overall": (
        SIZES,
        lambda res: ft.overall(res.where(ONE[1]), "bw", between="filesystem", over=OVER),
    ),
    "speedup": (VOLUMES, lambda res: ft.speedup(res, "lat_mean", **OF_VOLUMES)),
    "gate": (
        VOLUMES,
        lambda res: ft.gate(ft.compare(res, "iops", **OF_VOLUMES), ["slower:5%", "not-settled"]),
    ),
    "tails": (
        BINS,
        lambda res: ft.tails(res.where("latency=clat", "direction=read"), [50, 99], **OF_BINS),
    ),
    "settings_diff": (TABLES, lambda res: ft.settings_diff(res, between="source")),
    "plan": (
        SIZES,
        lambda res: ft.plan(res.where(*ONE), "bw", between="filesystem", pair="round"),
    ),
    "summarize": (SIZES, lambda res: ft.summarize(res, "bw", by=["filesystem", "direction"])),
    "overview": (VOLUMES, ft.overview),
    "per_thread": (VOLUMES, lambda res: ft.per_thread(res, by="volume")),
    "fairness": (VOLUMES, lambda res: ft.fairness(res, by="volume")),
    "combine": (VOLUMES, lambda res: ft.combine(res.threads, to="run")),
    "totals": (VOLUMES, lambda res: ft.totals(res.threads)),
    "combine, groups": (BINS, lambda res: ft.combine(res, to="group")),
    "best_under": (
        VOLUMES,
        lambda res: ft.best_under(res, "lat_mean", 5e5, by=["volume", "direction"]),
    ),
    "bins, merged": (BINS, lambda res: merge_bins(res.bins, by="source")),
    "percentiles": (BINS, lambda res: ft.percentiles(res, by=["source", "run"])),
    "steady": (LOGS, ft.steady),
    "shifts": (LOGS, ft.shifts),
    "window": (LOGS, lambda res: ft.window(res.samples, "500ms", percentiles=99)),
    "window, histograms": (BINS_OF_TIME, lambda res: ft.window(res.bins, "2s", percentiles=99)),
    "bins, of windows": (BINS_OF_TIME, lambda res: ft.window(res.bins, "2s", bins=True)),
    "reconcile": (LOGS, lambda res: ft.reconcile(res, by="direction")),
    "check": (VOLUMES, ft.check),
    "explain": (VOLUMES, lambda res: ft.explain(res, where="direction=read")),
}


def test_every_statistic_is_held():
    assert {case.partition(",")[0] for case in CASES} == {*ANSWERS, "bins", "totals"}


@pytest.mark.parametrize("case", CASES)
def test_both_kinds_have_the_same_answer_in_the_vocabularys_types(case, rows):
    files, ask = CASES[case]
    one, other = (ask(ft.read(files, frames=kind)) for kind in ("pandas", "polars"))
    assert isinstance(one, pd.DataFrame)
    assert isinstance(other, pl.DataFrame)
    assert list(one.columns) == other.columns
    assert rows(one) == rows(other)
    assert len(one)
    assert one.index.equals(pd.RangeIndex(len(one)))
    added = set(ANSWERS.get(case.partition(",")[0], ()))
    assert added <= set(other.columns)
    for name in other.columns:
        # STATISTICS has another `limit` or `confidence` than a table, and a label neither
        column = (STATISTICS.get(name) if name in added else None) or COLUMNS.get(name)
        if column is not None and name != "baseline":  # that is of the type of its level
            assert (name, str(one[name].dtype)) == (name, PANDAS[column.dtype])
            assert (name, other.schema[name]) == (name, POLARS[column.dtype])
