"""The tools that this machine has, run for real and read at once."""

import shutil
import subprocess

import pytest

import fiotools as ft
from tests.fio_forms import assert_same


def run(command, folder):
    done = subprocess.run(
        command, cwd=folder, capture_output=True, encoding="utf-8", check=True, timeout=60
    )
    return done.stdout, done.stderr


def tool(name):
    return pytest.mark.skipif(not shutil.which(name), reason=f"{name} is not installed")


FIO = [
    "fio",
    "--name=job",
    "--filename=file",
    "--size=8m",
    "--rw=randrw",
    "--rwmixread=70",
    "--bs=4k",
    "--ioengine=psync",
    "--numjobs=2",
    "--group_reporting",
    "--invalidate=0",
    "--number_ios=400",
]


@tool("fio")
def test_fio_says_the_same_in_json_and_in_words(tmp_path):
    report, _ = run([*FIO, "--output-format=json+"], tmp_path)
    told = ft.reads(report)
    assert told.runs["status"].tolist() == ["ok"]
    assert told.io["direction"].tolist() == ["read", "write"]
    assert told.io[["clones", "numjobs"]].to_numpy().tolist() == [[2, 2]] * 2
    for row in told.io.itertuples():
        assert row.io_bytes == row.total_ios * 4096
        assert row.lat_min_ns <= row.lat_mean_ns <= row.lat_max_ns
        bins = told.bins.query("direction == @row.direction and latency == 'clat'")
        assert bins["count"].sum() == row.total_ios

    words, _ = run(FIO, tmp_path)
    spoken = ft.reads(words)
    assert spoken.io["direction"].tolist() == ["read", "write"]
    # the same seed of fio's gives the same sequence of reads and writes
    assert spoken.io["total_ios"].tolist() == told.io["total_ios"].tolist()
    assert spoken.runs["tool_version"].tolist() == told.runs["tool_version"].tolist()


WAYS = [
    ["--rw=randrw", "--bs=4k,8k", "--numjobs=2"],
    ["--rw=write", "--bs=64k", "--fsync=4", "--slat_percentiles=1", "--lat_percentiles=1"],
    ["--rw=randread", "--bs=4k", "--ioengine=libaio", "--iodepth=8", "--percentile_list=1:99.99"],
    ["--rw=randrw", "--bs=4k", "--unified_rw_reporting=mixed", "--kb_base=1000"],
    ["--rw=trimwrite", "--bs=4k", "--ioengine=null", "--unit_base=1"],
    ["--rw=randread", "--bs=4k", "--gtod_reduce=1", "--loops=4"],
    ["--rw=read", "--bs=4k", "--disable_clat=1", "--percentile_list=50:99", "--lat_percentiles=1"],
]


@tool("fio")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: "_".join(word[2:] for word in way))
@pytest.mark.parametrize("form", ["json", "json+"])
def test_one_run_of_fio_in_both_forms(tmp_path, way, form):
    common = ["fio", "--name=job", "--filename=file", "--size=2m", "--ioengine=psync", "--thread"]
    report, _ = run([*common, *way, f"--output-format=normal,{form}"], tmp_path)
    assert_same(report)


@tool("dd")
def test_dd(tmp_path):
    _, report = run(["dd", "if=/dev/zero", "of=file", "bs=64k", "count=16"], tmp_path)
    assert ft.reads(report).io["io_bytes"].tolist() == [2**20]


@tool("bash")
@tool("dd")
def test_bash_times_dd(tmp_path):
    command = "time dd if=/dev/zero of=file bs=64k count=16"
    _, report = run(["bash", "-c", command], tmp_path)
    results = ft.reads(f"$ {command}\n{report}")
    assert len(results.runs) == 1
    assert results.io["direction"].tolist() == ["write"]
    # bash cuts milliseconds off, dd does not
    assert results.timings["real_s"].item() >= results.io["runtime_s"].item() - 0.001
