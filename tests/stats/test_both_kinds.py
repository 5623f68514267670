"""Every statistic returns the same answer for pandas and polars, in the vocabulary's types."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import narwhals as nw
import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from fiotools.stats.frames import values
from fiotools.stats.percentiles import merge_bins
from fiotools.vocabulary import ANSWERS, COLUMNS, STATISTICS
from tests.conftest import PANDAS

ROOT = Path(__file__).parents[2]
FIO = ROOT / "tests/fixtures/fio"

POLARS = {"Int64": pl.Int64, "float64": pl.Float64, "boolean": pl.Boolean, "str": pl.String}


def keep(frame, **chosen):
    """Keep rows of either frame type."""
    data = nw.from_native(frame, eager_only=True)
    lists = {name: values(data, name) for name in chosen}
    rows = [i for i in range(len(data)) if all(lists[n][i] == v for n, v in chosen.items())]
    return data[rows].to_native()


@cache
def _volumes():
    return ft.read(ROOT / "data/dda-vhdx/xml/{volume}.xml")


@cache
def _sizes():
    return ft.read(
        f"{ROOT}/data/wsl-filesystems/{{filesystem}}_{{operation}}_{{size}}_{{round:d}}.txt"
    )


@cache
def _bins():
    names = ("jsonplus-libaio", "log-hist", "log-single")
    return ft.read([FIO / f"fio-3.33--{name}.json" for name in names])


@cache
def _tables():
    folder = ROOT / "tests/fixtures/diskspd"
    return ft.read(
        {
            "targets": folder / "diskspd-2.0.12--mix_2targets_D_L.xml",
            "weights": folder / "diskspd-2.2--F2O8_weights.xml",
            "spans": folder / "diskspd-2.1--three_timespans.xml",
        }
    )


@cache
def _logs():
    return ft.read([FIO / "fio-3.33--log-windows_iops.1.log", FIO / "fio-3.33--log-windows.json"])


@cache
def _bins_of_time():
    return ft.read(FIO / "fio-3.33--log-coarse_clat_hist.1.log")


CASES = {
    "compare": (
        _sizes,
        lambda t: ft.compare(
            t["io"],
            "bw_bytes_per_s",
            between="filesystem",
            baseline="ext4",
            by=["operation", "size", "direction"],
            settings=t["settings"],
        ),
    ),
    "compare, pairs": (
        _sizes,
        lambda t: ft.compare(
            keep(t["io"], size="4k", operation="read"),
            "bw_bytes_per_s",
            between="filesystem",
            baseline="ext4",
            pair="round",
        ),
    ),
    "crosstab": (_sizes, lambda t: ft.crosstab(t["io"], "iops", between="filesystem")),
    "overall": (
        _sizes,
        lambda t: ft.overall(
            keep(t["io"], operation="read"),
            "bw_bytes_per_s",
            between="filesystem",
            baseline="ext4",
            over=["operation", "size", "bs_bytes"],
        ),
    ),
    "speedup": (
        _volumes,
        lambda t: ft.speedup(
            t["io"], "lat_mean_ns", between="volume", baseline="vhdx", by="direction"
        ),
    ),
    "gate": (
        _volumes,
        lambda t: ft.gate(
            ft.compare(t["io"], "iops", between="volume", baseline="vhdx", by="direction"),
            ["slower:5%", "not-settled"],
        ),
    ),
    "tails": (
        _bins,
        lambda t: ft.tails(
            keep(t["bins"], latency="clat", direction="read"),
            [50, 99],
            between="source",
            baseline=str(FIO / "fio-3.33--log-hist.json"),
        ),
    ),
    "settings_diff": (
        _tables,
        lambda t: ft.settings_diff(t["settings"], between="label", baseline="spans"),
    ),
    "plan": (
        _sizes,
        lambda t: ft.plan(
            keep(t["io"], size="4k", operation="read"),
            "bw_bytes_per_s",
            between="filesystem",
            pair="round",
        ),
    ),
    "summarize": (
        _sizes,
        lambda t: ft.summarize(t["io"], "bw_bytes_per_s", by=["filesystem", "direction"]),
    ),
    "overview": (_volumes, lambda t: ft.overview(t["io"])),
    "per_thread": (_volumes, lambda t: ft.per_thread(t["threads"], by="volume")),
    "fairness": (_volumes, lambda t: ft.fairness(t["threads"], by="volume")),
    "combine": (_volumes, lambda t: ft.combine(t["threads"], to="run")),
    "totals": (_volumes, lambda t: ft.totals(t["threads"])),
    "combine, groups": (_bins, lambda t: ft.combine(t["io"], to="group")),
    "best_under": (
        _volumes,
        lambda t: ft.best_under(t["io"], "lat_mean_ns", 5e5, by=["volume", "direction"]),
    ),
    "bins, merged": (_bins, lambda t: merge_bins(t["bins"], by="source")),
    "percentiles": (
        _bins,
        lambda t: ft.percentiles(t["bins"], by=["source", "run"]),
    ),
    "steady": (_logs, lambda t: ft.steady(t["samples"])),
    "shifts": (_logs, lambda t: ft.shifts(t["samples"])),
    "window": (_logs, lambda t: ft.window(t["samples"], "500ms", percentiles=99)),
    "window, histograms": (_bins_of_time, lambda t: ft.window(t["bins"], "2s", percentiles=99)),
    "bins, of windows": (_bins_of_time, lambda t: ft.window(t["bins"], "2s", bins=True)),
    "reconcile": (_logs, lambda t: ft.reconcile(t["samples"], t["io"], by="direction")),
}


def test_every_statistic_is_held():
    # these take Results, and answer in pandas
    alone = {"check", "explain"}
    assert {case.partition(",")[0] for case in CASES} == {*ANSWERS, "bins", "totals"} - alone


@cache
def _answers(case):
    read, ask = CASES[case]
    results = read()
    return ask(results.tables), ask(results.to_polars())


@pytest.mark.parametrize("case", CASES)
def test_both_kinds_have_the_same_answer(case, rows):
    one, other = _answers(case)
    assert isinstance(one, pd.DataFrame)
    assert isinstance(other, pl.DataFrame)
    assert list(one.columns) == other.columns
    assert rows(one) == rows(other)
    assert len(one)
    assert one.index.equals(pd.RangeIndex(len(one)))


@pytest.mark.parametrize("case", CASES)
def test_the_types_are_the_vocabularys(case):
    one, other = _answers(case)
    added = set(ANSWERS.get(case.partition(",")[0], ()))
    assert added <= set(other.columns)
    for name in other.columns:
        # STATISTICS has another `limit` or `confidence` than a table, and a label neither
        column = (STATISTICS.get(name) if name in added else None) or COLUMNS.get(name)
        if column is not None and name != "baseline":  # that is of the type of its level
            assert (name, str(one[name].dtype)) == (name, PANDAS[column.dtype])
            assert (name, other.schema[name]) == (name, POLARS[column.dtype])
