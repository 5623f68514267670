"""Job files: what tells them, and that they are no results."""

import shutil
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.errors import NoResultError, ReadErrors, UnknownFormatError
from fiotools.readers.fio.jobfile import is_job_file

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fio"
# as in the README of the fixtures
PHASES = """\
; phases.fio
[global]
filename=testfile
size=4M
bs=8k
ioengine=psync
[fill]
rw=write
[read]
stonewall
rw=read
loops=3
[both]
stonewall
rw=randrw
"""
UNLIKE = """\
[global]
filename=testfile
size=4M
runtime=3
time_based
ioengine=psync
rate_iops=500
group_reporting
[first job]
rw=randread
bs=4k
[second/job]
rw=write
bs=64k
"""
CLIENT = """\
[net]
filename=testfile
size=4M
rw=randrw
bs=4k
ioengine=psync
runtime=1
time_based
rate_iops=1000
"""


@pytest.mark.parametrize(
    "text",
    [
        "[a]\nbs=4k ; x\nrw=randread # x\nsize = 1M\n",
        "  [a b]  \n iodepth=4\ntime_based\n",
        "[a] ; c\nbs=4k\n",
        "[a]b]\nbs=4k\n",
        "[global2]\nbs=4k\n[a]\nrw=read\n",
        "[a]\nbs=8k\n[b c]\nrw=read\n",
        "#![x]\n; c\n\n[a]\nbs=4k",
        "[global]\ninclude other.fio\n[a]\nbs=4k",
        PHASES,
        UNLIKE,
        CLIENT,
    ],
)
def test_job_files_are_told_by_their_options(text):
    assert is_job_file(text)


@pytest.mark.parametrize(
    "text",
    [
        "[Unit]\nDescription=x\n[Service]\nExecStart=fio\n",
        "[core]\n\tbare = false\n",
        "rw=read\n",
        '{"rw": "read"}',
        "",
        "[" * 100_000,
        "[a]\n" * 50_000,
    ],
    ids=["systemd", "git", "no section", "json", "empty", "open", "many"],
)
def test_other_files_are_not_job_files(text):
    assert not is_job_file(text)


def test_a_job_file_alone_holds_no_result(tmp_path):
    path = tmp_path / "x.fio"
    path.write_bytes(b"\xef\xbb\xbf" + PHASES.replace("\n", "\r\n").encode())
    with pytest.raises(NoResultError, match="a fio job file: settings without results"):
        ft.read(path)
    with pytest.raises(UnknownFormatError):
        ft.reads(PHASES)


def test_a_job_file_beside_a_report_gives_it_nothing(tmp_path):
    """Another run may have had it; the path says what the report does not."""
    folder = tmp_path / "8"
    folder.mkdir()
    shutil.copy(FIXTURES / "fio-3.33--terse-stonewall.terse", folder / "run.terse")
    (folder / "run.fio").write_text(PHASES, encoding="utf-8")
    res = ft.read(tmp_path)
    assert res.io["rw"].isna().all()
    notes = res.notes.set_index("code")
    assert "name them in the path: {iodepth:d}" in notes["message"]["conditions"]
    assert notes["message"]["refused"].startswith("a fio job file")
    named = ft.read(tmp_path.as_posix() + "/{iodepth:d}/*.terse")
    assert set(named.io["iodepth"]) == {8}


def test_naming_a_job_file_is_an_error(tmp_path):
    report = tmp_path / "run.json"
    shutil.copy(FIXTURES / "fio-3.33--clones.json", report)
    (tmp_path / "run.fio").write_text(PHASES, encoding="utf-8")
    with pytest.raises(ReadErrors, match="a fio job file") as caught:
        ft.read([report, tmp_path / "run.fio"])
    assert len(caught.value.results.runs) == 1
    assert ft.read(report).notes.empty  # it lists its options
