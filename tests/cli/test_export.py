"""Output for other programs: files by their ending, datasets read again, OpenMetrics."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

import fiotools as ft
from fiotools.cli import main
from fiotools.cli.output import ENDINGS

DATA = Path(__file__).parents[2] / "data"
SIDES = [f"{DATA}/dda-vhdx/xml/{{volume}}.xml", "--metric", "iops", "--by", "direction"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_answer_is_written_by_its_ending(tmp_path, ending):
    if ending == ".xlsx":
        pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
    target = tmp_path / f"answer{ending}"
    assert main(["compare", *SIDES, "-o", str(target)]) == 0
    content = target.read_bytes()
    if ending == ".jsonl":
        rows = [json.loads(line) for line in content.splitlines()]
        assert {row["direction"] for row in rows} == {"total", "read", "write"}
    elif ending == ".html":
        assert b"How it was measured" in content
        assert b"1.41" in content
    elif ending == ".parquet":
        assert pl.read_parquet(target)["ratio"].len() == 6
    else:
        assert content


def test_a_workbook_holds_no_formulas(tmp_path):
    pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
    from zipfile import ZipFile

    times = tmp_path / "a.txt"
    times.write_text("$ time =1+1\n\nreal\t0m1.000s\nuser\t0m0.100s\nsys\t0m0.100s\n")
    target = tmp_path / "a.xlsx"
    assert main(["read", str(times), "-t", "timings", "-o", str(target)]) == 0
    with ZipFile(target) as book:
        assert b"<f>" not in book.read("xl/worksheets/sheet1.xml")


def test_a_name_without_a_format_is_refused(tmp_path, capsys):
    assert main(["compare", *SIDES, "-o", str(tmp_path / "answer.doc")]) == 2
    assert ".xlsx" in capsys.readouterr().err


def test_a_dataset_is_a_side(tmp_path, capsys):
    for name in ("vhdx", "nvme"):
        ft.convert(f"{DATA}/dda-vhdx/xml/{name}.xml", str(tmp_path / f"{name}.ds"))
    sides = [f"{name}={tmp_path}/{name}.ds" for name in ("vhdx", "nvme")]
    assert main(["compare", *sides, "--metric", "iops", "--where", "direction=total"]) == 0
    assert "1.82" in capsys.readouterr().out


def test_prometheus_reads_openmetrics(capsys):
    parser = pytest.importorskip(
        "prometheus_client.openmetrics.parser", reason="prometheus_client is not installed"
    )
    assert main(["export", f"{DATA}/dda-vhdx/xml/{{volume}}.xml"]) == 0
    families = {
        one.name: one for one in parser.text_string_to_metric_families(capsys.readouterr().out)
    }
    latency = families["fiotools_io_lat_mean_seconds"]
    assert latency.unit == "seconds"
    io = ft.read(f"{DATA}/dda-vhdx/xml/{{volume}}.xml").io
    own = io[io["lat_mean_ns"].notna()]
    assert [one.value for one in latency.samples] == pytest.approx(own["lat_mean_ns"] / 1e9)
    assert latency.samples[0].labels["volume"] == own["volume"].iloc[0]


def test_the_dashboard_asks_for_what_is_exported(capsys):
    dashboard = json.loads((DATA.parent / "docs/grafana.json").read_text())
    assert main(["export", f"{DATA}/how-many-runs/rounds/randread_ext4_1.json"]) == 0
    told = capsys.readouterr().out
    assert main(["export", f"{DATA}/page-cache/before.txt"]) == 0
    told += capsys.readouterr().out

    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += [one["query"]["query"] for one in dashboard["templating"]["list"] if "refresh" in one]
    for query in asked:
        for metric in re.findall(r"fiotools_\w+", query):
            own = [line for line in told.splitlines() if line.startswith(metric + "{")]
            assert own, metric
            wanted = re.findall(r'(\w+)="([^"]+)"', query)
            assert any(all(f'{name}="{value}"' in line for name, value in wanted) for line in own)
    places = [tuple(panel["gridPos"].values()) for panel in dashboard["panels"]]
    assert len({*places}) == len(places)


def test_trackers_get_centers_and_their_intervals(capsys):
    runs = f"{DATA}/how-many-runs/rounds/{{workload}}_{{filesystem}}_{{round:d}}.json"
    assert main(["export", runs, "--format", "bencher"]) == 0
    found = json.loads(capsys.readouterr().out)
    name = "randread ext4 randread 4 KiB iodepth 16 libaio direct yes 512 MiB read"
    iops = found[name]["iops"]
    own = ft.summarize(ft.read(runs).where("workload=randread", "filesystem=ext4"), "iops")
    assert iops["value"] == pytest.approx(own["center"][0])
    assert iops["lower_value"] == pytest.approx(own["center_lo"][0])
    assert {*found[name]} >= {"bw-bytes-per-s", "lat-mean-ns", "p99-9-ns"}
    for form, measures in (("github-bigger", {"iops", "bw"}), ("github-smaller", {"p99"})):
        assert main(["export", runs, "--format", form]) == 0
        listed = [one for one in json.loads(capsys.readouterr().out) if name in one["name"]]
        assert {one["name"].rpartition(": ")[2] for one in listed} >= measures
        assert {one["extra"] for one in listed} == {"24 runs"}
