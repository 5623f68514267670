"""What other readers of DISKSPD's results are known to get wrong, read right here."""

import codecs
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft

FIXTURES = Path(__file__).parent / "fixtures" / "diskspd"


def total(results):
    return ft.totals(results.io)


def test_samples_within_a_target():
    """Defect 7: PerfKitBenchmarker calls float() on the nested <Iops> of any -D result."""
    res = ft.read(FIXTURES / "diskspd-2.0.12--mix_2targets_D_L.xml")
    iops = res.samples.query("quantity == 'iops'").groupby("time_s")["value"].sum()
    of_threads = res.thread_samples.query("quantity == 'iops'").groupby("time_s")["value"].sum()
    assert len(iops) == 2
    assert of_threads.tolist() == pytest.approx(iops.tolist(), abs=0.1)
    assert total(res)["total_ios"].tolist() == [63857]


def test_every_target_of_a_thread_counts():
    """Defect 7: PerfKitBenchmarker takes only the first <Target> of each thread."""
    res = ft.read(FIXTURES / "diskspd-2.2--F2O8_weights.xml")
    threads = ft.totals(res.threads)
    assert threads["thread"].tolist() == [0, 0, 1, 1]
    assert threads["target"].tolist() == [r"C:\dsk\x1.dat", r"C:\dsk\x2.dat"] * 2
    assert total(res)["total_ios"].tolist() == [57955]
    assert threads["total_ios"].sum() == 57955


@pytest.mark.parametrize("kind", ["xml", "txt"])
def test_time_spans_are_runs(kind):
    """Defect 7: PerfKitBenchmarker sums the values of different time spans."""
    res = ft.read(FIXTURES / f"diskspd-2.1--three_timespans.{kind}")
    assert res.runs["run"].tolist() == [1, 2, 3]
    assert total(res)["total_ios"].tolist() == [31955, 58005, 7601]
    assert set(res.percentiles["run"]) == {1, 2}


@pytest.mark.parametrize(
    "encode",
    [
        lambda data: codecs.BOM_UTF8 + data,
        lambda data: data.decode().encode("utf-16"),
        lambda data: data.decode().encode("utf-16-le"),
        lambda data: b"\r\n\r\n" + data,
        lambda data: b'<?xml version="1.0"?>\r\n' + data,
    ],
    ids=["bom", "utf-16", "utf-16 without a mark", "blank lines", "declaration"],
)
def test_the_first_line_need_not_be_results(encode):
    """Defect 9: Process-DiskSpd.ps1 wants the first line to be <Results> and nothing else."""
    data = (FIXTURES / "diskspd-2.0.14--seqread_noLD.xml").read_bytes()
    res = ft.reads(encode(data))
    assert total(res)["total_ios"].tolist() == [54145]
    assert res.notes.empty


@pytest.mark.parametrize("kind", ["xml", "txt"])
def test_each_time_span_has_its_own_conditions(kind):
    """Defect 9: Process-DiskSpd.ps1 does not handle complex time spans."""
    res = ft.read(FIXTURES / f"diskspd-2.1--three_timespans.{kind}")
    rows = total(res)
    assert rows["rw"].tolist() == ["randrw", "read", "randwrite"]
    assert rows["bs_bytes"].tolist() == [4096, 65536, 4096]
    assert rows["numjobs"].tolist() == [1, 2, 1]


def test_each_target_has_its_own_block_size():
    """Defect 9: Process-DiskSpd.ps1 takes block size and pattern from the first target."""
    text = (FIXTURES / "diskspd-2.2--F2O8_weights.xml").read_bytes().decode()
    first, second = "<BlockSize>4096</BlockSize>", "<BlockSize>2048</BlockSize>"
    profile = text.index(first, text.index(first) + 1)
    text = text[:profile] + second + text[profile + len(first) :]
    res = ft.reads(text)
    threads = ft.totals(res.threads)
    assert threads["bs_bytes"].tolist() == [4096, 2048, 4096, 2048]
    assert total(res)["bs_bytes"].isna().all()


def test_columns_before_the_processor():
    """Defect 14: the CPU table of 2.2 begins with other columns, and broke VirtualClient."""
    res = ft.read(FIXTURES / "diskspd-2.2--two_sockets.txt")
    first = res.cpu.iloc[0]
    assert (first["cpu"], first["group"], first["usage_pct"]) == ("0", 0, 100.0)
    assert (first["user_pct"], first["kernel_pct"], first["idle_pct"]) == (62.0, 38.0, 0.0)
    average = res.cpu.query("cpu == 'average'").iloc[0]
    assert (average["user_pct"], average["kernel_pct"]) == (73.71, 26.29)
    assert pd.isna(average["group"])


@pytest.mark.parametrize("name", ["2.0.21a--three_timespans", "2.2--F2O8_weights"])
def test_the_title_of_the_percentiles(name):
    """Defect 14: "total:" became "Total latency distribution:" in 2.2."""
    res = ft.read(FIXTURES / f"diskspd-{name}.txt")
    charts = res.percentiles.query("entry == 1 and percentile == 50 and run == 1")
    assert charts["direction"].tolist() == ["read", "write", "total"]
    assert charts["value_ns"].gt(0).all()
