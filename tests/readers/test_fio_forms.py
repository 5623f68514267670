"""What holds of every report of fio, in whatever form: physics, clients, intervals, failures, cuts."""

from functools import cache

import pandas as pd
import pytest

import fiotools as ft
from fiotools.readers.fio.documents import pieces
from tests.fio_forms import FIXTURES, assert_same, fixture, human, telling, text_of, warnings

REPORTS = sorted(path for path in FIXTURES.glob("fio-*") if path.suffix in (".json", ".txt"))
CASES = [path.name.removeprefix("fio-3.33--") for path in REPORTS]
BOTH = [case for case in CASES if case.endswith(".txt") and pieces(text_of(case))]
VARIANTS = [
    *(pytest.param(text_of(case), id=case) for case in CASES),
    *(pytest.param(human(case), id=f"{case} (text)") for case in BOTH),
]
reads = cache(ft.reads)


def test_there_are_reports_of_each_form():
    assert len(REPORTS) > 20
    assert len(BOTH) > 8


@pytest.mark.parametrize("text", VARIANTS)
def test_amounts_are_blocks_and_rates_over_time(text):
    io = reads(text).io
    for row in io[io["direction"] != "sync"].dropna(subset=["io_bytes"]).itertuples():
        assert row.io_bytes > 0
        assert pd.isna(row.bs_bytes) or row.io_bytes == row.total_ios * row.bs_bytes
        assert row.iops * row.runtime_s == pytest.approx(row.total_ios, abs=0.01)
        # without one block size the text has no exact bytes
        slack = row.runtime_s + (0 if pd.notna(row.bs_bytes) else 1e-3 * row.io_bytes)
        assert row.bw_bytes_per_s * row.runtime_s == pytest.approx(row.io_bytes, abs=slack)


@pytest.mark.parametrize("text", VARIANTS)
def test_percentiles_rise_within_the_extremes(text):
    results = reads(text)
    keys = ["run", "entry", "direction"]
    for (*key, latency), rows in results.percentiles.groupby([*keys, "latency"]):
        values = rows.sort_values("percentile")["value_ns"].tolist()
        assert values == sorted(values)
        of_io = results.io.query("run == @key[0] and entry == @key[1]")
        if key[2] != "mixed":  # which is of all of them
            of_io = of_io[of_io["direction"] == key[2]]
        low, high = of_io[f"{latency}_min_ns"].min(), of_io[f"{latency}_max_ns"].max()
        # a percentile is the middle of a bin of 1/64; the text rounds up to its unit
        assert low * 63 / 64 - 1000 <= values[0]
        assert values[-1] <= high * 65 / 64 + 1000


@pytest.mark.parametrize("text", VARIANTS)
def test_bins_hold_all_ios(text):
    results = reads(text)
    assert (results.bins["bin_lo_ns"] < results.bins["bin_hi_ns"]).all()
    keys = ["run", "entry", "direction", "latency"]
    for key, rows in results.bins.groupby(keys):
        rows = rows.sort_values("bin_lo_ns")
        assert (rows["bin_hi_ns"].to_numpy()[:-1] <= rows["bin_lo_ns"].to_numpy()[1:]).all()
        io = results.io.query("run == @key[0] and entry == @key[1]")
        if rows["count"].notna().all():
            one = io[io["direction"] == key[2]].iloc[0]
            assert rows["count"].sum() == one["total_ios"]
            assert rows["bin_lo_ns"].iloc[0] <= one[f"{key[3]}_min_ns"]
            assert one[f"{key[3]}_max_ns"] < rows["bin_hi_ns"].iloc[-1]
        else:
            # each share is rounded, and tiny ones are raised to 0.01
            assert rows["pct"].sum() == pytest.approx(100, abs=0.01 * len(rows) + 0.01)


@pytest.mark.parametrize("case", BOTH)
def test_the_text_of_a_run_agrees_with_its_json(case):
    assert_same(text_of(case))


@pytest.mark.parametrize(
    ("case", "column", "clients", "amounts"),
    [
        ("client.json", "port", [8771, 8772], ["io_bytes", "total_ios", "iops"]),
        ("client.txt", "host", ["alpha", "beta"], ["total_ios"]),
        ("terse-client.terse", "entry", [1, 2], ["io_bytes"]),
    ],
)
def test_clients_add_up_to_their_total_which_is_not_a_row(case, column, clients, amounts):
    res = ft.read(fixture(case))
    assert res.io[column].tolist() == [one for one in clients for _ in range(2)]
    assert len(res.disks) == 2
    assert "All clients" not in {*res.io["job"], *res.jobs["job"], *res.bins["job"]}
    printed = res.extras[res.extras["entry"].isna()].set_index("path")["text"]
    for direction, rows in res.io.groupby("direction", observed=True):
        for amount in amounts:
            total = float(printed[f"All clients.{direction}.{amount}"])
            assert total == pytest.approx(rows[amount].sum(), rel=1e-2 * (amount == "iops"))


@pytest.mark.parametrize(
    ("case", "amount", "reports"),
    [
        ("status-interval.json", "total_ios", 4),
        ("interval-phases.json", "total_ios", 5),
        ("interval-thinktime.json", "total_ios", 4),
        ("status-interval.txt", "total_ios", 4),
        ("terse-status-interval.terse", "io_bytes", 4),
        ("terse-phases.terse", "io_bytes", 5),  # one job waits while the other runs
    ],
)
def test_reports_of_an_interval_are_one_run_and_its_samples(case, amount, reports):
    res = ft.read(fixture(case))
    assert len(res.runs) == 1
    done = res.samples[res.samples["quantity"] == amount].sort_values("time_s")
    keys = ["entry", "direction"]
    assert done.groupby(keys, observed=True).size().max() == reports
    for key, rows in done.groupby(keys, observed=True):
        assert rows["value"].is_monotonic_increasing
        assert rows["value"].iloc[-1] == res.io.set_index(keys).loc[key, amount]
    # the report for people says itself that it goes on
    expected = 0 if case.endswith(".txt") else 1
    assert len(telling(res, f"{reports} cumulative reports of one run")) == expected
    assert len(warnings(res)) == expected


@pytest.mark.parametrize("case", ["enospc.json", "enospc.txt", "terse-enospc.terse"])
def test_an_error_is_a_run_without_io(case):
    res = ft.read(fixture(case))
    assert res.runs["status"].tolist() == ["error"]
    assert res.jobs["error"].tolist() == [28]
    assert res.io.empty
    lines = text_of(case).split("\n")
    said = res.notes[res.notes["message"].str.startswith("fio: ")]
    assert [lines[line - 1] for line in said["line"]] == said["message"].tolist()
    assert "No space left" in said["message"].iloc[0]
    assert set(said["severity"]) == {"warning"}


@pytest.mark.parametrize("case", ["no-io.json", "terse-no-io.terse"])
def test_a_job_without_io_is_a_run_and_a_note(case):
    res = ft.read(fixture(case))
    assert (len(res.runs), len(res.jobs), len(res.io), len(res.bins)) == (1, 1, 0, 0)
    [said] = telling(res, "did no I/O")
    is_told = said.endswith("or only trims, which terse version 3 does not list")
    assert is_told == case.endswith(".terse")


NUMBERS = ["io_bytes", "iops", "bw_bytes_per_s", "lat_max_ns"]


def agree(row, other):
    known = [name for name in NUMBERS if pd.notna(row[name])]
    return row["direction"] == other["direction"] and all(
        row[name] == pytest.approx(other[name], rel=1e-3) for name in known
    )


@pytest.mark.parametrize("case", ["terse-v2.terse", "terse-client.terse", "normal-json.txt"])
def test_a_cut_report_says_what_the_whole_one_says_or_nothing(case):
    text = human(case) if case == "normal-json.txt" else text_of(case)
    whole = ft.reads(text)
    rows = whole.io.to_dict("records")
    for end in range(30, len(text), 41):
        try:
            res = ft.reads(text[:end])
        except ft.FileError:
            continue
        for row in res.io.to_dict("records"):
            assert any(agree(row, other) for other in rows), end
        assert set(res.disks["read_ios"].dropna()) <= set(whole.disks["read_ios"])
        assert set(res.jobs["description"].dropna()) <= set(whole.jobs["description"])
