"""`fiotools report` run for real: the page, what is in it, and what is left behind by trouble."""

import base64
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import traceback
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from lxml import html

import fiotools as ft
from fiotools.cli import main
from fiotools.errors import ReportError
from fiotools.reports import method
from tests.conftest import ROOT

pytest.importorskip("nbconvert", reason="needs the extra [report]")

FIO = ROOT / "tests" / "fixtures" / "fio"
CAMPAIGN = ROOT / "data" / "own-disk" / "page-cache"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """Report a committed campaign by the command line, in a folder that holds nothing else."""
    folder = tmp_path_factory.mktemp("campaign")
    command = [sys.executable, "-m", "fiotools", "report", str(CAMPAIGN), "-o", "page.html"]
    more = ["--title", "My disks & more", "--notebook", "made.ipynb", "--ram", "64GB"]
    done = subprocess.run(
        [*command, *more],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("fiotools: wrote page.html")
    return folder


@pytest.fixture(scope="module")
def page(campaign):
    return html.parse(str(campaign / "page.html")).getroot()


def files_of(page):
    """Give the files that a page holds, by their names."""
    return {
        link.get("download"): base64.b64decode(link.get("href").partition(",")[2])
        for link in page.iterfind(".//main//a[@download]")
    }


def test_writes_the_page_and_leaves_nothing_else(campaign):
    assert sorted(path.name for path in campaign.iterdir()) == ["made.ipynb", "page.html"]
    assert str(campaign) not in (campaign / "made.ipynb").read_text(encoding="utf-8")


def test_every_section_is_there_and_every_link_leads_somewhere(page):
    assert page.findtext(".//title") == page.findtext(".//h1") == "My disks & more"
    heads = [head.text_content() for head in page.iterfind(".//main//h2")]
    assert heads == [
        "The verdict",
        "page-cache: what does the page cache gain?",
        "Can it be true?",
        "Which options were set, and where do they differ?",
        "The raw tables",
        "How it was measured",
        "What was noticed while reading the files",
        "How this page was made",
    ]
    names = page.xpath("//@id")
    assert len(names) == len(set(names))
    links = [link.get("href") for link in page.iterfind(".//a[@href]")]
    assert {link[1:] for link in links if link.startswith("#")} <= set(names)
    assert not [link for link in links if not link.startswith(("#", "data:"))]


def test_needs_nothing_from_outside(campaign, page):
    loaded = page.xpath("//@src | //link/@href | //@srcset")
    assert loaded
    assert all(value.startswith("data:image/svg+xml;base64,") for value in loaded)
    assert not page.xpath("//script")
    text = (campaign / "page.html").read_text(encoding="utf-8")
    assert "@import" not in text
    assert "url(" not in text


def test_says_first_what_was_measured_and_then_what_came_out(page):
    (verdict,) = page.xpath("//div[@class='out'][.//ul[contains(@class, 'verdict')]]")
    said = " ".join(verdict.text_content().split())
    assert "tmpfs is memory: no disk is measured there" in said
    assert "A quick campaign" in said
    assert said.index("is memory") < said.index("Each cache against cold")
    answer = ft.speedup(
        ft.campaign(CAMPAIGN).results.timings,
        "real_s",
        between="cache",
        baseline="cold",
        by="place",
    )
    root = answer.set_index("place").loc["root"]
    assert f"root: warm is faster than cold: {root['speedup']:.2f} times as fast" in said


def test_holds_the_tables_with_all_their_rows_and_the_raw_outputs(page):
    files = files_of(page)
    results = ft.campaign(CAMPAIGN).results
    for name in ("runs", "timings"):
        rows = list(csv.DictReader(io.StringIO(files[f"page-cache-{name}.csv"].decode())))
        assert len(rows) == len(results.tables[name]) == 30
    taken = {float(row["real_s"]) for row in rows}
    assert taken == set(results.timings["real_s"])
    with zipfile.ZipFile(io.BytesIO(files["page-cache-raw.zip"])) as archive:
        raw = {name: archive.read(name) for name in archive.namelist()}
    assert raw == {file.name: file.read_bytes() for file in CAMPAIGN.iterdir()}


def test_tells_how_it_was_measured(page):
    (head,) = page.xpath("//h2[@id='how-it-was-measured']")
    said = " ".join(head.getparent().getnext().text_content().split())
    facts = ft.campaign(CAMPAIGN).session
    for fact in (facts["machine"]["kernel"], facts["tools"]["bash"], "time cat data.tmp"):
        assert fact in said
    assert "x 3 places x 5 rounds, in turns (ABC, CBA, ...)" in said
    assert "LC_ALL=C" in said
    assert all(place["mount_options"] in said for place in facts["places"])


def test_labels_and_names_of_files_are_only_text(tmp_path, monkeypatch):
    """One of two sides has a name that would run, and a file that cannot be read."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bad.json").write_text('{"fio version": "fio-3.33", "jobs": [', "utf-8")
    for name in ("mirror", "vhdx"):
        shutil.copy(ROOT / "data/dda-vhdx/xml" / f"{name}.xml", tmp_path / "runs")
    monkeypatch.chdir(tmp_path)
    sides = {SCRIPT: ["runs/mirror.xml", "runs/bad.json"], "vhdx": "runs/vhdx.xml"}
    steps = []
    made = ft.report(
        sides,
        "page.html",
        baseline="vhdx",
        question=f"{SCRIPT}?",
        step=lambda number, of: steps.append((number, of)),
    )
    assert made.unread == ["runs/bad.json"]
    assert steps[-1] == (steps[-1][1],) * 2
    page = html.parse("page.html").getroot()
    assert not page.xpath("//script")
    text = page.text_content()
    assert text.count(SCRIPT) > 3
    assert "runs/bad.json" in " ".join(
        page.xpath(
            "//h2[@id='what-was-noticed-while-reading-the-files']/../following-sibling::div//text()"
        )
    )
    heads = [head.text_content() for head in page.iterfind(".//main//h3")]
    assert "The threads" in heads
    assert "Mean latency" in heads


def test_a_sweep_of_jobs_is_reported(tmp_path, monkeypatch, capsys):
    """With group_reporting one job stands as a job, and two as a group: one kind of total."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    runs = [str(FIO / f"fio-3.33--sweep-{jobs}.json") for jobs in (1, 2)]
    assert main(["report", *runs, "-o", str(tmp_path / "page.html")]) == 0, capsys.readouterr().err
    said = html.parse(str(tmp_path / "page.html")).getroot().text_content()
    assert "fio-3.33--sweep-2 against fio-3.33--sweep-1, two runs" in said
    assert "cannot be drawn" not in said


def test_jobs_beside_groups_leave_the_other_figures(tmp_path):
    """What no run can be made of has no cells: each figure says so, and none ends the page."""
    several = [FIO / "fio-3.33--clones.json", FIO / "fio-3.33--sweep-2.json"]
    (part,) = ft.study(several).parts
    assert "rows of several scopes (job, group)" in part.comparisons[0].problem
    titles = [repr(about) for about, *_ in part.figures(tmp_path)]
    assert len(titles) == 3
    assert all("rows of several scopes (job, group)" in title for title in titles[::2])


# Trouble


def trouble(capsys, *arguments):
    """Run a command that fails, and give its one line."""
    assert main(["report", *map(str, arguments)]) in (1, 2)
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_nothing_readable_is_one_line_and_no_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("no benchmark\n", encoding="utf-8")
    assert "no file that was found there can be read" in trouble(capsys, ".", "-o", "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "page.pdf"], "the page ends in .html"),
        (["-o", "none/page.html"], "none: there is no such folder"),
        (["--template", "a.txt"], "a.txt: not a notebook"),
        (["--template", "none.ipynb"], "none.ipynb: No such file"),
        (["-"], "and not of -"),
        (["x=a.txt"], "a.txt has no name"),
    ],
    ids=["ending", "folder", "no-notebook", "no-template", "stdin", "half-named"],
)
def test_what_cannot_be_is_said_before_anything_is_done(
    tmp_path, monkeypatch, capsys, arguments, said
):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("no benchmark\n", encoding="utf-8")
    assert said in trouble(capsys, "a.txt", *arguments)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(
        "fiotools.reports.report.find_spec", lambda name: None if name == "nbclient" else name
    )
    line = trouble(capsys, CAMPAIGN, "-o", tmp_path / "page.html")
    assert line == ("fiotools: report needs nbclient: python -m pip install 'fiotools[report]'")
    assert not list(tmp_path.iterdir())


def test_debug_shows_where_a_cell_failed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    cells = ["none = 0", "def broken():\n    return 1 / none\n\nbroken()"]
    notebook = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    for number, source in enumerate(cells):
        kind = {"cell_type": "code", "execution_count": None, "id": str(number), "metadata": {}}
        notebook["cells"].append({**kind, "outputs": [], "source": source})
    template = tmp_path / "my.ipynb"
    template.write_text(json.dumps(notebook), encoding="utf-8")
    given = [CAMPAIGN, "--template", template, "-o", tmp_path / "page.html"]
    assert "ZeroDivisionError: division by zero" in (line := trouble(capsys, *given))
    assert line.endswith("(in the cell that begins with 'def broken():'; --debug shows where)")
    with pytest.raises(ReportError) as caught:
        main(["report", *map(str, given), "--debug"])
    shown = "".join(traceback.format_exception(caught.value))
    assert "line 2, in broken()" in shown
    assert "\x1b" not in shown
    assert "----> 2     return 1 / none" in shown


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    """The page is written at the very end; here the notebook is spared, and the disk is full."""
    monkeypatch.setattr("fiotools.reports.report._execute", lambda *args, **options: None)
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(OSError, match="No space left") as caught:
        ft.report(CAMPAIGN, "/dev/full")
    assert caught.value.filename == "/dev/full"
    monkeypatch.setattr(
        os, "fsync", lambda handle: os.write(os.open("/dev/full", os.O_WRONLY), b"x")
    )
    with pytest.raises(OSError, match="No space left"):
        ft.report(CAMPAIGN, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_no_text_of_a_table_becomes_a_formula(tmp_path):
    frame = pd.DataFrame({"job": ["=1+1", "a"], "offset": [-1, 2]})
    method._table("jobs", "jobs", frame, tmp_path)
    assert (tmp_path / "jobs.csv").read_text(encoding="utf-8") == "job,offset\n'=1+1,-1\na,2\n"
