"""What other tools get wrong, each with the number it has in our list of their defects.

Those of DISKSPD's readers (7, 9, 14) stand in test_peers_diskspd.py, that of CrystalDiskMark's (13)
in readers/test_crystaldiskmark.py.
"""

import math
import random

import numpy as np
import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import FiotoolsError

NOTE = "note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1\n"
DD = "16+0 records in\n16+0 records out\n16777216 bytes (17 MB, 16 MiB) copied, 0,00146 s, 11,5 GB/s\n"
BASH = "\nreal\t0m1{mark}234s\nuser\t0m0{mark}010s\nsys\t0m0{mark}100s\n"


@pytest.fixture
def fixture(fixture_files):
    files = {path.name: path for path in fixture_files}
    return files.__getitem__


@pytest.mark.parametrize(
    "line", [NOTE, "fio: io_u error on file x: Input/output error: read offset=0, buflen=4096\n"]
)
def test_1_a_stray_line_before_the_json(fixture, line):
    path = fixture("fio-3.33--clones.json")
    plain = ft.read(path)
    results = ft.reads(line + path.read_text(encoding="utf-8"), name=path.as_posix())
    pd.testing.assert_frame_equal(results.io, plain.io)
    assert results.notes["message"].str.contains(line.split()[1]).any()


def test_2_phases_are_not_added(fixture):
    results = ft.read(fixture("fio-3.33--stonewall.txt"))
    phases = results.io
    assert phases["group"].tolist() == [0, 1, 2, 2]
    run = ft.combine(phases, to="run")
    assert run["iops"].isna().all()
    assert run["flags"].eq("groups").all()
    by_group = ft.combine(phases, to="group")
    summed = phases.groupby(["group", "direction"])["iops"].sum()
    assert sorted(by_group["iops"]) == pytest.approx(sorted(summed))


def test_2_latencies_are_weighted_and_deviations_pooled():
    # two jobs that ran together; the figures are those of the defect's report
    rows = pd.DataFrame(
        {
            "source": "x",
            "run": 1,
            "entry": [1, 2],
            "group": [0, 0],
            "job": ["a", "b"],
            "direction": "read",
            "total_ios": [1000, 3996],
            "io_bytes": [4096000, 16367616],
            "runtime_s": [1.0, 1.0],
            "iops": [1000.0, 3996.0],
            "bw_bytes_per_s": [4096000.0, 16367616.0],
            "lat_mean_ns": [1210.9, 515.8],
            "lat_stddev_ns": [100.0, 200.0],
        }
    )
    row = ft.combine(rows, to="group").iloc[0]
    mean = (1000 * 1210.9 + 3996 * 515.8) / 4996
    assert row["lat_mean_ns"] == pytest.approx(mean)
    assert mean == pytest.approx(654.9, abs=0.05)
    within = 999 * 100.0**2 + 3995 * 200.0**2
    between = 1000 * (1210.9 - mean) ** 2 + 3996 * (515.8 - mean) ** 2
    assert row["lat_stddev_ns"] == pytest.approx(math.sqrt((within + between) / 4995))


def test_3_logs_of_unequal_length_keep_their_own_times():
    short = "500, 100, 0, 0, 0\n1000, 101, 0, 0, 0\n"
    long = "507, 50, 0, 0, 0\n1014, 51, 0, 0, 0\n1521, 52, 0, 0, 0\n"
    one, two = (
        ft.reads(text, name=f"x_bw.{job}.log").samples for job, text in enumerate((short, long), 1)
    )
    assert one["time_s"].tolist() == [0.5, 1.0]
    assert two["time_s"].tolist() == [0.507, 1.014, 1.521]


def test_4_directions_of_a_log_are_told_apart():
    log = "500, 100, 0, 0, 0\n500, 40, 1, 0, 0\n1000, 102, 0, 0, 0\n1000, 42, 1, 0, 0\n"
    samples = ft.reads(log, name="x_iops.1.log").samples
    means = samples.groupby("direction")["value"].mean()
    assert means.to_dict() == {"read": 101.0, "write": 41.0}


@pytest.mark.parametrize("mark", [".", ","])
def test_5_bash_time(mark):
    timings = ft.reads(BASH.format(mark=mark)).timings
    assert timings[["real_s", "user_s", "sys_s"]].to_numpy().tolist() == [[1.234, 0.01, 0.1]]


def test_5_dd_and_time_in_one_file():
    results = ft.reads(DD + BASH.format(mark=","))
    assert results.io["io_bytes"].tolist() == [16777216]
    assert results.timings["real_s"].tolist() == [1.234]
    assert len(results.runs) == 1


@pytest.mark.parametrize(("elapsed", "seconds"), [("0:02.50", 2.5), ("0:02.05", 2.05)])
def test_6_hundredths_are_hundredths(elapsed, seconds):
    line = f"0.00user 0.02system {elapsed}elapsed 0%CPU (0avgtext+0avgdata 2524maxresident)k\n"
    line += "0inputs+131072outputs (0major+338minor)pagefaults 0swaps\n"
    assert ft.reads(line).timings["real_s"].tolist() == [seconds]


def test_8_percentiles_of_several_are_never_averaged(fixture):
    results = ft.read(fixture("fio-3.33--clones.json"))
    p99 = results.percentiles.query("percentile == 99")
    assert len(p99) > 1
    with pytest.raises(FiotoolsError):
        ft.combine(p99, to="run")


def test_10_unequal_counts_are_not_evidence():
    same = pd.DataFrame(
        {"side": ["a"] * 3 + ["b"] * 5, "real_s": [10, 10.1, 9.9, 10, 10.1, 9.9, 10.05, 9.95]}
    )
    assert ft.compare(same, "real_s", between="side", baseline="a")["verdict"].item() == "same"
    one = pd.DataFrame({"side": ["a", "b"], "real_s": [1.0, 2.0]})
    row = ft.compare(one, "real_s", between="side", baseline="a").iloc[0]
    assert row["verdict"] == "one run"
    assert np.isnan(row["ratio_lo"])


def test_11_unequal_variances_have_welchs_degrees():
    # pooled, the interval of the small, noisy side would be far too narrow
    a, b = [100.0, 140.0, 70.0], [100.0, 101.0, 99.0, 100.5, 99.5, 100.2, 99.8, 100.1]
    frame = pd.DataFrame({"side": ["a"] * len(a) + ["b"] * len(b), "iops": a + b})
    row = ft.compare(frame, "iops", between="side", baseline="b").iloc[0]
    logs = np.log(a)
    se = math.sqrt(logs.var(ddof=1) / 3 + np.log(b).var(ddof=1) / 8)
    # t of 2.0 degrees is 4.30: the eight lend the three nothing
    assert math.log(row["ratio_hi"] / row["ratio"]) / se == pytest.approx(4.30, abs=0.01)


def test_12_the_interval_covers_the_true_ratio():
    # propagated deviations of single runs, as elsewhere, cover .84 of the time at n = 3
    generator = random.Random(1)
    trials = [
        {"trial": trial, "side": side, "real_s": generator.lognormvariate(0, 0.05)}
        for trial in range(300)
        for side in "aaabbb"
    ]
    answer = ft.compare(pd.DataFrame(trials), "real_s", between="side", baseline="a", by="trial")
    assert len(answer) == 300
    covered = answer["ratio_lo"].le(1) & answer["ratio_hi"].ge(1)
    assert 0.92 <= covered.mean() <= 1
