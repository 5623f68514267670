"""fio's options on a command line above a report, and job files, which are no results."""

import shutil

import pytest

import fiotools as ft
from fiotools.errors import NoResultError, ReadErrors, UnknownFormatError
from tests.fio_forms import fixture, text_of

REPORT = text_of("libaio.txt")
TERSE = text_of("terse-clones.terse").splitlines()[0].replace(";clones;", ";{};")


@pytest.mark.parametrize(
    "command",
    [
        "fio --name=plain --direct=1 --size=1G --rwmixread=70",
        "fio --name=global --direct=1 --size=1G --rwmixread=70 --name=plain",
        "fio --name=global --direct=1 --size=1G --name=plain --rwmixread=70 --group_reporting",
        "fio --name plain --direct 1 --thread --size 1G --rwmixread 70 --output run.txt",
        "sudo taskset -c 2 nice -n 5 fio --direct=1 --size=1G --rwmixread=70 --name=plain | tee log",
        "fio \u2014name=plain \u2014direct=1 \u2013size 1G \u2014rwmixread=70",
    ],
)
def test_options_of_a_command_reach_its_job(command):
    io = ft.reads(f"$ {command}\n{REPORT}").io
    conditions = ["direct", "size_bytes", "rwmixread_pct"]
    assert io[conditions].to_numpy().tolist() == [[True, 2**30, 70]] * 2


def test_options_of_other_jobs_and_of_the_program_are_not_those_of_all():
    command = "fio --minimal --name=a --bs=4k --name=global --iodepth=8 --name b --rw read x.fio"
    entries = "".join(f"{TERSE.format(name)}\n" for name in "ab")
    io = ft.reads(f"$ {command}\n{entries}").io
    assert io["job"].tolist() == ["a", "b"]
    assert io["bs_bytes"].isna().tolist() == [False, True]
    assert io["iodepth"].isna().tolist() == [True, False]
    assert io["rw"].isna().tolist() == [True, False]
    other = ft.reads(f"$ fio --time_based x.fio --minimal y.fio\n{TERSE.format('a')}\n")
    assert other.settings.empty


PHASES = "; phases.fio\n[global]\nsize=4M\n[fill]\nrw=write\n[read]\nstonewall\nrw=read\n"


def said_of(text, folder):
    (folder / "x.fio").write_bytes(text.encode())
    with pytest.raises(ft.FileError) as caught:
        ft.read(folder / "x.fio")
    return str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "[a]\nbs=4k ; x\nrw=randread # x\nsize = 1M\n",
        "  [a b]  \n iodepth=4\ntime_based\n",
        "#![x]\n; c\n\n[a]\nbs=4k",
        "[global]\ninclude other.fio\n[a]\nbs=4k",
        "\ufeff" + PHASES.replace("\n", "\r\n"),
    ],
)
def test_job_files_are_told_by_their_options(tmp_path, text):
    assert "a fio job file: settings without results" in said_of(text, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "[Unit]\nDescription=x\n[Service]\nExecStart=fio\n",
        "rw=read\n",
        '{"rw": "read"}',
        "[" * 100_000,
    ],
    ids=["systemd", "no section", "json", "open"],
)
def test_other_files_are_not_job_files(tmp_path, text):
    assert "job file" not in said_of(text, tmp_path)


def test_a_job_file_beside_a_report_gives_it_nothing(tmp_path):
    """Another run may have had it; the path says what the report does not."""
    folder = tmp_path / "8"
    folder.mkdir()
    shutil.copy(fixture("terse-stonewall.terse"), folder / "run.terse")
    (folder / "run.fio").write_text(PHASES, encoding="utf-8")
    res = ft.read(tmp_path)
    assert res.io["rw"].isna().all()
    notes = res.notes.set_index("code")["message"]
    assert "name them in the path: {iodepth:d}" in notes["conditions"]
    assert notes["refused"].startswith("a fio job file")
    named = ft.read(tmp_path.as_posix() + "/{iodepth:d}/*.terse")
    assert set(named.io["iodepth"]) == {8}


def test_naming_a_job_file_is_an_error(tmp_path):
    report = shutil.copy(fixture("clones.json"), tmp_path / "run.json")
    (tmp_path / "run.fio").write_text(PHASES, encoding="utf-8")
    with pytest.raises(NoResultError):
        ft.read(tmp_path / "run.fio")
    with pytest.raises(UnknownFormatError):
        ft.reads(PHASES)
    with pytest.raises(ReadErrors, match="a fio job file") as caught:
        ft.read([report, tmp_path / "run.fio"])
    assert len(caught.value.results.runs) == 1
    assert ft.read(report).notes.empty  # it lists its options


def test_a_path_that_contradicts_the_file_says_the_same_in_every_table(tmp_path):
    shutil.copy(fixture("libaio.json"), tmp_path / "1.json")
    results = ft.read(f"{tmp_path.as_posix()}/{{iodepth:d}}.json")
    for table in (results.io, results.percentiles, results.bins):
        assert set(table["iodepth"]) == {1}
    [said] = results.notes["message"]
    assert said == "the path says iodepth=1, the file 4: the path's is kept"
    assert set(results.settings.query("option == 'iodepth'")["text"]) == {"4"}
