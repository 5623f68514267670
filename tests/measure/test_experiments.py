"""Each experiment is run for real, small, and its raw outputs are read back."""

import hashlib
import signal
from functools import partial

import pytest

import fiotools as ft
from fiotools.measure import scratch, session
from fiotools.measure.experiment import experiment
from fiotools.measure.places import Place
from tests.measure.campaigns import linux, measure, names, needs, ran, unix

pytestmark = unix

MIB = 2**20


@pytest.fixture
def run(tmp_path, place):
    """Run an experiment on one place, for one round; nothing may be left."""

    def run(experiment, **options):
        said = []
        out = tmp_path / experiment
        campaign = ft.measure.run(
            experiment, {"here": place}, output=out, rounds=1, say=said.append, **options
        )
        assert names(place) == []
        assert campaign.status == "complete"
        assert not [name for name in names(out) if name.startswith(".")]
        assert "\n".join(said).count("1 round: intervals will be wide or missing") == 1
        return campaign

    return run


@linux
@needs("dd")
def test_throughput(run):
    campaign = run("throughput", size="16M")
    io = campaign.results.io.set_index("workload")
    assert {*io.index} == {*experiment("throughput").workloads}
    assert set(io["io_bytes"]) == {16 * MIB}
    commands = campaign.plan.set_index("workload")["command"]
    zeros = "dd if=/dev/zero of=written.tmp bs=1M count=16"
    assert commands["write-zeros-fdatasync"] == f"{zeros} conv=fdatasync"
    assert commands["read"] == "dd if=data.tmp of=/dev/null bs=1M"
    assert commands["write-random"].startswith("dd if=/dev/fd/")
    assert commands["write-zeros-direct"] == f"{zeros} oflag=direct"
    assert bool(io.loc["read-direct", "direct"])


@linux
@needs("dd")
def test_block_size(run):
    campaign = run("block-size", size="16M")
    io = campaign.results.io
    assert sorted(io.query("operation == 'read'")["bs_bytes"]) == [
        *(4096, 32768, 262144, 2 * MIB, 16 * MIB)
    ]
    assert sorted(io["size"].unique()) == ["16m", "256k", "2m", "32k", "4k"]
    assert set(io["io_bytes"]) == {16 * MIB}
    assert campaign.template.endswith("/{place}_{operation}_{size}_{round:d}.txt")


@linux
@needs("bash")
@needs("cat")
def test_page_cache(run, place):
    campaign = run("page-cache", size="16M")
    timings = campaign.results.timings
    assert sorted(timings["cache"]) == ["cold", "warm"]
    assert set(timings["command"]) == {"cat data.tmp > /dev/null"}
    assert timings["real_s"].notna().all()
    shares = campaign.plan.set_index("cache")["resident_pct"]
    assert shares["warm"] == 100
    assert shares["cold"] == (100 if Place("here", place).is_memory else 0)
    assert ft.measure.known(campaign)["moved"] == 16 * MIB


@needs("fio")
def test_random_io(run):
    campaign = run("random-io", size="16M", seconds=1)
    io = campaign.results.io
    assert [*zip(io["workload"], io["direction"], strict=True)] == [
        ("random-read", "read"),
        ("random-readwrite", "read"),
        ("random-readwrite", "write"),
        ("random-write", "write"),
    ]
    command = campaign.plan["command"].iloc[0]
    assert "'--filename_format=data.$jobnum.tmp'" in command  # a file for each job
    assert f"--size={16 * MIB // campaign.asked.jobs // 4096 * 4096}" in command
    # the manifest says what fio's JSON does not
    assert campaign.results.runs["command"].str.startswith("fio --name=random-").all()
    assert campaign.results.runs["started_at"].notna().all()
    assert campaign.session["tools"]["fio"].startswith("fio-")
    assert (campaign.results.bins["count"] > 0).all()


@needs("bash")
@needs("tar")
def test_small_files(run, monkeypatch):
    small = partial(scratch.tarball, files=300, folders=20)
    monkeypatch.setattr(session, "tarball", small)
    campaign = run("small-files")
    timings = campaign.results.timings
    assert sorted(timings["workload"]) == sorted(campaign.asked.workloads)
    assert set(timings["command"]) == {
        "tar -x --no-same-owner -f ../files.tar",  # the article's own
        "(tar -x --no-same-owner -f ../files.tar && sync -f .)",
    }
    assert (timings["real_s"] > 0).all()


def test_the_tarball_is_that_of_the_article(tmp_path):
    import tarfile

    for name in ("one", "two"):
        scratch.tarball(tmp_path / name, 37 * MIB, lambda size: None)
    with tarfile.open(tmp_path / "one") as tar:
        members = tar.getmembers()
    files = [member for member in members if member.isfile()]
    assert len(files) == 4294
    assert len(members) - len(files) == 213
    assert sum(member.size for member in files) == 37 * MIB
    assert 40e6 < (tmp_path / "one").stat().st_size < 46e6  # 43 MB in the article
    first, second = (hashlib.sha256((tmp_path / n).read_bytes()).digest() for n in ("one", "two"))
    assert first == second


@linux
@needs("dd")
@pytest.mark.usefixtures("one_disk")
def test_the_manifest_tells_all_of_a_run(run, tmp_path):
    before = signal.getsignal(signal.SIGINT)
    campaign = run("throughput", size="16M", only=["read", "write-zeros"])
    assert signal.getsignal(signal.SIGINT) is before  # as it was
    out = tmp_path / "throughput"
    line = next(line for line in ran(out) if line["file"] == "here_read_1.txt")
    raw = (out / "here_read_1.txt").read_bytes()
    assert raw.startswith(b"$ dd if=data.tmp of=/dev/null bs=1M\n16+0 records in\n")
    assert line["sha256"] == hashlib.sha256(raw).hexdigest()
    assert line["argv"] == ["dd", "if=data.tmp", "of=/dev/null", "bs=1M"]
    assert line["seconds"] > 0
    session = campaign.session
    assert session["machine"]["kernel"].startswith("Linux ")
    assert session["machine"]["ram_bytes"] > 2**28
    assert session["environment"] == {"LC_ALL": "C"}
    (here,) = session["places"]
    assert (here["file_system"], here["mount_options"]) == ("ext4", "rw,relatime")
    # the folder reads as any other: the manifest is not taken for a result
    read = ft.read(out)
    assert len(read.io) == 2
    assert read.notes.empty
    # an output that was changed is not part of the campaign
    (out / "here_read_1.txt").write_bytes(raw.replace(b"16+0", b"17+0"))
    campaign = ft.measure.campaign(out)
    assert campaign.plan["done"].tolist() == [True, False]
    assert campaign.results.runs["source"].str.endswith("here_write-zeros_1.txt").all()


@linux
@needs("dd")
def test_two_places_are_compared(places):
    said = []
    out = places / "out"
    given = [places / "a", f"b={places / 'b'}"]
    asked = {"rounds": 3, "size": "16M", "only": ["read", "write-zeros"], "say": said.append}
    campaign = ft.measure.run("throughput", given, output=out, **asked)
    text = "\n".join(said)
    assert "a and b are on one file system: this compares folders, not storage" in text
    assert "files of less than twice the memory have the rate of the page cache" in text
    assert "12 of 12 runs are in" in text
    starts = campaign.plan.sort_values("started_at")
    assert starts["order"].is_monotonic_increasing
    reads = campaign.plan.query("workload == 'read'")["place"].tolist()
    assert reads in (["a", "b", "b", "a", "a", "b"], ["b", "a", "a", "b", "b", "a"])
    assert not ft.check(campaign.results, **ft.measure.known(campaign)).empty
    # its folder says what the names of its files mean
    (row,) = ft.compare(ft.read(out), "bw", by="workload").head(1).to_dict("records")
    assert (row["place"], row["baseline"]) == ("b", "a")


def test_the_command_lists_the_experiments():
    done = measure()
    assert done.returncode == 0
    told = [line.split()[0] for line in done.stdout.splitlines()]
    assert told == [*ft.measure.experiments(), "fiotools"]
    for name in ft.measure.experiments():
        assert experiment(name).question in done.stdout
