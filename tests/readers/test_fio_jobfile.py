"""Job files: their grammar, and the reports they complete."""

import json
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

import fiotools as ft
from fiotools.errors import NoResultError, ReadErrors, UnknownFormatError
from fiotools.readers.fio.jobfile import is_job_file, parse

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


# the output of "fio --showcmd" of 3.33: the options of each job, those of [global] first
@pytest.mark.parametrize(
    ("text", "jobs"),
    [
        ("[a]\nbs=4k ; x\nrw=randread # x\nsize = 1M\n", [("a", "bs=4k rw=randread size=1M")]),
        ("  [a b]  \n iodepth=4\ntime_based\n", [("a b", "iodepth=4 time_based")]),
        ("[a] ; c\nbs=4k\n", [("a", "bs=4k")]),
        ("[a]b]\nbs=4k\n", [("a]b", "bs=4k")]),
        ("[global2]\nbs=4k\n[a]\nrw=read\n", [("a", "bs=4k rw=read")]),
        ("[Global]\nbs=8k\n[b]\nrw=write\n", [("Global", "bs=8k"), ("b", "rw=write")]),
        ("[a]\r\nbs=4k\r\n[b c]\r\nrw=read\r\n", [("a", "bs=4k"), ("b c", "rw=read")]),
        ("#![x]\n; c\n\n[a]\nbs=4k", [("a", "bs=4k")]),
        ("[a]\nbs=4k\nbs=8k\nname=zz\n", [("zz", "bs=8k name=zz")]),
        (
            "[global]\nbs=4k\n[a]\n[global]\niodepth=2\n[b]\nbs=1k",
            [("a", "bs=4k"), ("b", "bs=1k iodepth=2")],
        ),
    ],
)
def test_grammar(text, jobs):
    found = parse(text.replace("\r\n", "\n")).sections
    said = [
        (one.job, " ".join(f"{k}={v}" if v else k for k, v in one.options.items())) for one in found
    ]
    assert said == jobs


def test_stonewall_begins_a_group():
    def beside(text):
        return [[one.name for one in job.group] for job in parse(text).sections]

    assert list(map(len, beside(PHASES))) == [1, 1, 1]
    assert beside("[a]\n[b]\nstonewall=0\n[c]\nnew_group") == [["a", "b"], ["a", "b"], ["c"]]
    assert beside("[global]\nstonewall\n[a]\n[b]\n[c]") == [["a"], ["b"], ["c"]]


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


def beside(folder, case, job_file, name="run"):
    shutil.copy(FIXTURES / case, folder / f"run{Path(case).suffix}")
    (folder / f"{name}.fio").write_text(job_file, encoding="utf-8")
    return folder / f"run{Path(case).suffix}"


@pytest.mark.parametrize("name", ["run", "other", "run.terse"])
def test_terse_output_is_completed(tmp_path, name):
    report = beside(tmp_path, "fio-3.33--terse-stonewall.terse", PHASES, name)
    alone = ft.reads(report.read_text(encoding="utf-8"))
    assert alone.io["rw"].isna().all()
    assert "does not list the options" in alone.notes["message"].item()
    res = ft.read(report)
    columns = ["job", "direction", "rw", "bs_bytes", "ioengine", "size_bytes"]
    assert res.io[columns].to_numpy().tolist() == [
        ["fill", "write", "write", 8192, "psync", 4 << 20],
        ["read", "read", "read", 8192, "psync", 4 << 20],
        ["both", "read", "randrw", 8192, "psync", 4 << 20],
        ["both", "write", "randrw", 8192, "psync", 4 << 20],
    ]
    assert res.io["numjobs"].isna().all()  # not given, and the command line may have more
    given = res.settings[res.settings["origin"] == "given"]
    assert given[["entry", "option", "text"]].to_numpy().tolist() == [
        [1, "rw", "write"],
        [2, "stonewall", ""],
        [2, "rw", "read"],
        [2, "loops", "3"],
        [3, "stonewall", ""],
        [3, "rw", "randrw"],
    ]
    shared = res.settings[res.settings["origin"] == "global"]
    assert shared["entry"].isna().all()
    assert shared["option"].tolist() == ["filename", "size", "bs", "ioengine"]
    assert f"the job file {name}.fio beside it" in res.notes["message"].item()
    assert ft.read(report, tables=["io"]).io["rw"].tolist() == res.io["rw"].tolist()


def test_in_a_folder_a_list_or_an_archive(tmp_path):
    report = beside(tmp_path, "fio-3.33--terse-stonewall.terse", PHASES)
    for sources in (tmp_path, [report, tmp_path / "run.fio"], [tmp_path / "run.fio", report]):
        res = ft.read(sources)
        assert res.io["rw"].notna().all()
        notes = res.notes.set_index("source")["message"]
        assert notes[(tmp_path / "run.fio").as_posix()].startswith("a fio job file")
        assert set(res.notes["severity"]) == {"info"}
    with ZipFile(tmp_path / "runs.zip", "w") as archive:
        archive.write(report, "a/run.terse")
        archive.write(tmp_path / "run.fio", "a/run.fio")
        archive.writestr("b/run.fio", PHASES.replace("8k", "4k"))
    assert ft.read(tmp_path / "runs.zip").io["bs_bytes"].tolist() == [8192] * 4


def test_a_link_that_leads_nowhere_hides_no_job_file(tmp_path):
    report = beside(tmp_path, "fio-3.33--terse-stonewall.terse", PHASES)
    for number in range(20):  # a folder is listed in any order
        try:
            (tmp_path / f"{number}.fio").symlink_to(f"{number}.fio")
        except OSError:
            pytest.skip("no links may be made here")
    assert ft.read(report).io["bs_bytes"].tolist() == [8192] * 4


def test_naming_an_unused_job_file_is_an_error(tmp_path):
    report = beside(tmp_path, "fio-3.33--clones.json", PHASES)
    with pytest.raises(ReadErrors, match="a fio job file") as caught:
        ft.read([report, tmp_path / "run.fio"])
    assert len(caught.value.results.runs) == 1
    assert ft.read(report).notes.empty  # it lists its options


def test_client_json_without_options_is_completed(tmp_path):
    document = json.loads((FIXTURES / "fio-3.33--client.json").read_text(encoding="utf-8").strip())
    for entry in document["client_stats"]:
        entry.pop("job options", None)
    report = tmp_path / "run.json"
    report.write_text(json.dumps(document), encoding="utf-8")
    assert ft.read(report).io["rw"].isna().all()
    (tmp_path / "run.fio").write_text(CLIENT, encoding="utf-8")
    io = ft.read(report).io
    assert io["rw"].tolist()[:4] == ["randrw"] * 4
    assert io["bs_bytes"].tolist()[:4] == [4096] * 4
    assert io[io["scope"] == "total"]["rw"].isna().all()


def test_conditions_missing_in_the_human_report_are_completed(tmp_path):
    report = beside(
        tmp_path,
        "fio-3.33--enospc.txt",
        "[full]\nfilename=/dev/full\nsize=1M\nrw=write\ndirect=0\n",
    )
    assert set(ft.read(report).settings["option"]) == {"filename", "size", "rw", "direct"}


def test_each_run_of_a_text_is_checked_separately(tmp_path):
    report = beside(tmp_path, "fio-3.33--libaio.txt", "[plain]\niodepth=4\nsize=3m\n")
    text = report.read_text(encoding="utf-8")
    other = text.replace("iodepth=4\n", "iodepth=5\n")
    report.write_text(text + other + text, encoding="utf-8")
    res = ft.read(report)
    assert res.io["size_bytes"].fillna(0).tolist() == [3 << 20] * 2 + [0] * 2 + [3 << 20] * 2
    assert res.settings["run"].tolist() == [1, 1, 3, 3]
    said = res.notes.loc[res.notes["run"] == 2, "message"]
    assert "the job file run.fio beside it is not used: iodepth of 'plain' differs" in set(said)


def test_a_group_of_unlike_jobs_has_their_common_conditions(tmp_path):
    io = ft.read(beside(tmp_path, "fio-3.33--terse-group-unlike.terse", UNLIKE)).io
    assert io["scope"].tolist() == ["group", "group"]
    assert io[["rw", "bs_bytes"]].isna().all().all()
    assert io["ioengine"].tolist() == ["psync", "psync"]


@pytest.mark.parametrize(
    ("job_file", "reason"),
    [
        (PHASES.replace("[both]", "[all]"), "it has no job 'both'"),
        (PHASES.replace("rw=read\n", "rw=randwrite\n"), "rw of 'read' differs"),
        (PHASES + "[both]\nrw=write\n", "it has several jobs 'both'"),
        ("include common.fio\n" + PHASES, None),
        (PHASES + "include common.fio\n", "it includes others"),
    ],
    ids=["no job", "another pattern", "twice", "include first", "include last"],
)
def test_a_job_file_that_does_not_fit_is_not_used(tmp_path, job_file, reason):
    report = beside(tmp_path, "fio-3.33--terse-stonewall.terse", job_file)
    res = ft.read(report)
    assert res.io["rw"].isna().all()
    assert res.settings.empty
    assert (reason or "does not list the options") in res.notes["message"].str.cat()


def test_an_unrelated_job_file_in_the_folder_is_ignored(tmp_path):
    report = beside(tmp_path, "fio-3.33--terse-clones.terse", PHASES, "other")
    messages = ft.read(report).notes["message"].tolist()
    assert len(messages) == 1
    assert "does not list the options" in messages[0]


def test_variables_are_not_expanded(tmp_path):
    job_file = PHASES.replace("bs=8k", "bs=${BS}").replace("rw=randrw", "rw=${RW}")
    res = ft.read(beside(tmp_path, "fio-3.33--terse-stonewall.terse", job_file))
    assert res.io["bs_bytes"].isna().all()
    assert res.io["rw"].isna().tolist() == [False, False, True, True]
    assert "${BS}" in res.settings["text"].tolist()
