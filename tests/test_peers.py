"""What other tools get wrong, each with the number it has in our list of their defects.

Those of DISKSPD's readers (7, 9, 14) stand in readers/test_diskspd.py, that of
CrystalDiskMark's (13) in readers/test_crystaldiskmark.py.
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


def test_3_4_logs_keep_their_own_times_and_directions():
    # of unequal length, and the times are not those of the other
    for times in ([500, 1000], [507, 1014, 1521]):
        log = "".join(f"{time}, 100, 0, 0, 0\n{time}, 40, 1, 0, 0\n" for time in times)
        samples = ft.reads(log, name="x_iops.1.log").samples
        assert samples["time_s"].unique().tolist() == [time / 1000 for time in times]
        means = samples.groupby("direction")["value"].mean()
        assert means.to_dict() == {"read": 100.0, "write": 40.0}


@pytest.mark.parametrize("mark", [".", ","])
@pytest.mark.parametrize("above", ["", DD])
def test_5_bash_time_alone_and_below_dd(above, mark):
    results = ft.reads(above + BASH.format(mark=mark))
    times = results.timings[["real_s", "user_s", "sys_s"]]
    assert times.to_numpy().tolist() == [[1.234, 0.01, 0.1]]
    assert len(results.runs) == 1
    assert results.io["io_bytes"].tolist() == [16777216] * bool(above)


def test_6_hundredths_are_hundredths():
    line = "0.00user 0.02system 0:02.05elapsed 0%CPU (0avgtext+0avgdata 2524maxresident)k\n"
    line += "0inputs+131072outputs (0major+338minor)pagefaults 0swaps\n"
    assert ft.reads(line).timings["real_s"].tolist() == [2.05]


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
