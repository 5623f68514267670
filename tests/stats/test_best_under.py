from __future__ import annotations

import numpy as np
import pytest

import fiotools as ft
from fiotools import best_under, combine
from fiotools.errors import SchemaError

ONE = "one run: another may not be below it"


@pytest.fixture
def sweep(make):
    """Two volumes, each a run per iodepth; the last of vhdx twice."""
    run = {"run": 1, "group": 0, "entry": 1, "direction": "read", "clones": 1, "numjobs": 1}
    return make(
        **run,
        volume=["nvme"] * 3 + ["vhdx"] * 4,
        source=[*"abcdefg"],
        rw="randread",
        bs_bytes=4096,
        iodepth=[1, 16, 64, 1, 16, 64, 64],
        iops=[9e3, 80e3, 90e3, 7e3, 40e3, 45e3, 47e3],
        lat_mean_ns=[0.1e6, 0.2e6, 0.7e6, 0.14e6, 0.4e6, 1.4e6, 0.9e6],
    )


def test_the_highest_iops_below_the_limit(sweep, rows):
    found = best_under(sweep, "lat_mean_ns", 500_000, by="volume")
    assert type(found) is type(sweep)
    nvme, vhdx = rows(found)
    assert (nvme["iodepth"], nvme["iops"], nvme["observed"]) == (16, 8e4, 2e5)
    assert (nvme["metric"], nvme["unit"], nvme["limit"]) == ("lat_mean_ns", "ns", 500_000)
    assert (nvme["n"], nvme["n_below"], nvme["observed_lo"]) == (1, 1, None)
    assert nvme["told"] == f"{ONE}; faster, but not below it: iodepth 64 (700 µs)"
    assert (vhdx["iodepth"], vhdx["iops"]) == (16, 4e4)
    # a latency equal to the limit is not below it
    (row,) = rows(best_under(sweep, "lat_mean_ns", 0.2e6))
    assert (row["volume"], row["iodepth"], row["observed"]) == ("nvme", 1, 1e5)


def test_conditions_are_judged_by_the_center_of_their_runs(sweep, rows):
    _, vhdx = rows(best_under(sweep, "lat_mean_ns", 1e6, by="volume"))
    assert (vhdx["iodepth"], vhdx["iops"]) == (16, 4e4), "one lucky run at 64 is not enough"
    assert "faster, but not below it: iodepth 64 (1.12 ms)" in vhdx["told"]
    _, vhdx = rows(best_under(sweep, "lat_mean_ns", 1.2e6, by="volume"))
    found = vhdx["iodepth"], vhdx["iops"], vhdx["observed"]
    assert found == pytest.approx((64, 45989.13, 1122497.22))
    assert (vhdx["n"], vhdx["n_below"]) == (2, 1)
    assert vhdx["observed_lo"] < 1.15e6 < 1.2e6 < vhdx["observed_hi"]
    assert "the interval of the center reaches" in vhdx["told"]


def test_none_below_the_limit(sweep, rows):
    nvme, vhdx = rows(best_under(sweep, "lat_mean_ns", 0.12e6, by="volume"))
    assert nvme["iops"] == 9e3
    assert (vhdx["iops"], vhdx["iodepth"], vhdx["observed"]) == (None,) * 3
    assert (vhdx["n"], vhdx["limit"]) == (0, 0.12e6)
    assert vhdx["told"] == "no lat_mean_ns below 120 µs; the lowest is 140 µs"


REPEATED = {"iodepth": [4] * 3 + [8] * 3, "iops": [1e4] * 3 + [2e4] * 3}
SIZES = {"size": ["small", "small", "large"], "iops": [1.0, 1.1, 2.0]}
CLIENTS = {"clients": [1, 1, 2, 2], "iops": [1.0, 1.0, 2.0, 2.0]}
ALIKE = [200.0, 200.0]


@pytest.mark.parametrize(
    ("columns", "latencies", "limit", "expected"),
    [
        # an interval below the limit leaves nothing open
        (
            *(REPEATED, [4e5, 4.1e5, 3.9e5] * 2, 5e5),
            {"iodepth": 8, "n": 3, "n_below": 3, "told": None},
        ),
        # a swept label is a condition
        (CLIENTS, [1.0, 1.0, 9.0, 9.0], np.int64(5), {"clients": 1, "n": 2}),
        (SIZES, [1.0, 1.1, 9.0], 5.0, {"size": "small", "n": 2}),
        # a limit may have a unit
        ({"iodepth": [1, 4], "iops": [9e3, 31e3]}, [0.11e6, 0.13e6], "0.12ms", {"iodepth": 1}),
        # of two as fast the one with the lower latency is best
        ({"iodepth": [64, 16], "iops": ALIKE}, [64e3, 16e3], "1ms", {"iodepth": 16}),
        # missing values are said
        (
            *({"iodepth": [1, 16, 64], "iops": 1e3}, [3e5, None, None], 1e6),
            {"iodepth": 1, "told": f"iops or p99_ns is missing in 2 of 3; {ONE}"},
        ),
    ],
)
def test_the_best_of_a_few_conditions(make, rows, columns, latencies, limit, expected):
    sweep = "clients" if "clients" in columns else None
    (row,) = rows(best_under(make(**columns, p99_ns=latencies), "p99_ns", limit, sweep=sweep))
    assert {name: row[name] for name in expected} == expected


def test_a_percentile_of_what_was_read():
    res = ft.read("data/per-io-log/mixed.json").where("direction=read")
    best = ft.best_under(res, "clat_p99", "1s")
    assert best[["metric", "unit", "n"]].values.tolist() == [["p99_ns", "ns", 1]]
    assert best["observed"][0] == res.percentiles.query("percentile == 99")["value_ns"].iloc[0]
    with pytest.raises(SchemaError, match=r"no percentiles of slat: these files have clat_p99"):
        ft.best_under(res, "slat_p99", "1s")


@pytest.mark.parametrize(
    ("metric", "limit", "message"),
    [
        ("lat_mena", 1e6, "no column 'lat_mena'; did you mean 'lat_mean_ns'"),
        ("iops", "50us", "iops is not a latency: take lat_mean_ns"),
        ("lat_mean_ns", 0, "limit is 0.0: it is a number above zero"),
        ("lat_mean_ns", "1 m/s", "limit: not a duration: '1 m/s'"),
    ],
)
def test_arguments(sweep, metric, limit, message):
    with pytest.raises(SchemaError, match=message) as error:
        best_under(sweep, metric, limit)
    assert "\n" not in str(error.value)


def test_jobs_side_by_side_are_added_up_first(make, rows):
    jobs = {"source": "a", "run": 1, "direction": "read", "clones": 1, "runtime_s": 1.0}
    io = make(
        **jobs,
        group=[0, 0, 1, 1],
        entry=[1, 2, 3, 4],
        iodepth=[1, 1, 4, 4],
        total_ios=[100, 100, 300, 300],
        iops=[100.0, 100.0, 300.0, 300.0],
        lat_mean_ns=[1e4, 2e4, 3e4, 4e4],
    )
    with pytest.raises(SchemaError, match="threads and jobs are not repeats: combine"):
        best_under(io, "lat_mean_ns", 1e6)
    (row,) = rows(best_under(combine(io, to="group"), "lat_mean_ns", 1e6))
    assert (row["iodepth"], row["iops"], row["observed"]) == (4, 600, 3.5e4)
