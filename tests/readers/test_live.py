"""The tools that this machine has, run for real and read at once."""

import shutil
import subprocess

import pytest

import fiotools as ft
from tests.fio_forms import assert_same
from tests.physics import contradictions


def run(command, folder):
    done = subprocess.run(
        command, cwd=folder, capture_output=True, encoding="utf-8", check=True, timeout=300
    )
    return done.stdout, done.stderr


def tool(name):
    return pytest.mark.skipif(not shutil.which(name), reason=f"{name} is not installed")


WAYS = [
    ["--rw=randrw", "--bs=4k,8k", "--numjobs=2"],
    ["--rw=randrw", "--bs=4k", "--rwmixread=70", "--numjobs=2", "--group_reporting"],
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
    results = ft.reads(report)
    assert results.runs["status"].tolist() == ["ok"]
    assert contradictions(results) == []


@tool("bash")
@tool("dd")
def test_bash_times_dd(tmp_path):
    command = "time dd if=/dev/zero of=file bs=64k count=16"
    _, report = run(["bash", "-c", command], tmp_path)
    results = ft.reads(f"$ {command}\n{report}")
    assert len(results.runs) == 1
    assert results.io[["direction", "io_bytes"]].to_numpy().tolist() == [["write", 2**20]]
    # bash cuts milliseconds off, dd does not
    assert results.timings["real_s"].item() >= results.io["runtime_s"].item() - 0.001
