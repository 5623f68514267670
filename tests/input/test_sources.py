import ast
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

import fiotools
from fiotools.errors import ReadErrors, ScanWarning, SchemaError, UnknownFormatError
from fiotools.input.read import read
from fiotools.input.sources import find, raw


@pytest.fixture
def tree(tmp_path, monkeypatch):
    for name in (
        "a/qd1/nvme.txt",
        "a/qd16/nvme.txt",
        "a/qd16/vhdx.txt",
        "a/qdx/vhdx.txt",
        "a/README.md",
        "a/published.csv",
        "a/.hidden",
        "b.txt",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(found):
    return [file.name for file in found]


def test_path_glob_folder_list(tree):
    assert names(find("b.txt")) == names(find(b"b.txt")) == names(find([b"b.txt"])) == ["b.txt"]
    assert names(find("a/*/vhdx.txt")) == ["a/qd16/vhdx.txt", "a/qdx/vhdx.txt"]
    assert names(find(["b.txt", "a/qd1/nvme.txt"])) == ["b.txt", "a/qd1/nvme.txt"]
    found = find("a")
    assert len(found) == 4
    assert not any("README" in name or "published" in name or "/." in name for name in names(found))
    with pytest.raises(TypeError, match="not None"):
        find(None)
    assert len(find(["b.txt", "*.txt", "b.txt", tree / "b.txt"])) == 1  # given twice, read once


def test_only_what_is_swept_in_may_be_unknown(tree):
    assert [file.named for file in find(["b.txt", "a/qd1"])] == [True, False]
    assert [find(one)[0].named for one in ("a/*/*.txt", "a/{x}/{y}.txt")] == [False, True]


@pytest.mark.parametrize(
    ("pattern", "read_anyway"),
    [("", 3), ("*/*.txt", 1), ("**/{name}.txt", 3)],
)
def test_a_folder_that_cannot_be_listed_whole(tree, monkeypatch, pattern, read_anyway):
    """What was listed before the error is read; a glob does not leave the rest out in silence."""
    for place in ("a/qd1/nvme.txt", "c/r.txt", "c/d/r.txt"):
        (tree / place).parent.mkdir(parents=True, exist_ok=True)
        (tree / place).write_text(REPORT)
    really = os.scandir

    @contextmanager
    def scandir(place):
        with really(place) as entries:
            yield until_the_error(entries, Path(place).name == "a")

    def until_the_error(entries, is_bad):
        for entry in sorted(entries, key=lambda entry: entry.name):
            if is_bad and entry.name == "qd16":
                raise OSError(5, "Input/output error")
            yield entry

    def listdir(place):
        raise OSError(5, "Input/output error", place)

    monkeypatch.setattr("fiotools.input.sources.os.scandir", scandir)
    monkeypatch.setattr("fiotools.input.sources.os.listdir", listdir)
    with pytest.raises(ReadErrors) as caught:
        read(f"{tree.as_posix()}/{pattern}", errors="raise")
    failures = {failure.path: str(failure) for failure in caught.value.failures}
    told = "Input/output error; can you open it yourself?"
    assert failures[f"{tree.as_posix()}/a"].endswith(told)
    assert len(caught.value.results.io) == read_anyway


# root may open everything, so it becomes nobody first
SOMEBODY = """
import os, sys
import fiotools as ft
ft.reads(sys.argv[1]).io  # imports what reading needs
if os.geteuid() == 0:
    os.setuid(65534)
for source in sys.argv[2:]:
    try:
        ft.read(source, errors="raise")
    except ft.ReadErrors as error:
        failures = sorted((one.path, one.reason) for one in error.failures)
        print((len(error.results.io), failures))
"""


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes as Unix has them")
def test_a_folder_of_somebody_else():
    with tempfile.TemporaryDirectory() as name:  # into that of pytest nobody may look
        folder = Path(name)
        folder.chmod(0o755)
        for name in ("closed", "open", "unread"):
            (folder / name).mkdir()
            (folder / name / "r.txt").write_text(REPORT.replace("1 s", f"1.{len(name)} s"))
        (folder / "unread" / "r.txt").chmod(0)
        (folder / "closed").chmod(0)
        sources = ["", "/*/*.txt", "/**/*.txt", "/{place}/{name}.txt", "/*/r.txt"]
        asked = [f"{folder.as_posix()}{source}" for source in sources]
        command = [sys.executable, "-c", SOMEBODY, REPORT, *asked]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        (folder / "closed").chmod(0o755)
        assert done.returncode == 0, done.stderr
        *others, last = [ast.literal_eval(line) for line in done.stdout.splitlines()]
        closed = [f"{folder.as_posix()}/{place}" for place in ("closed", "closed/r.txt")]
        unread = (f"{folder.as_posix()}/unread/r.txt", "Permission denied")
        assert others == [(1, [(closed[0], "Permission denied"), unread])] * 4
        assert last == (1, [(closed[1], "Permission denied"), unread])


@pytest.fixture
def outside():
    """Give a folder that pytest does not clear: its shutil.rmtree does not go so deep."""
    folder = Path(tempfile.mkdtemp(prefix="fiotools-deep-"))
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=True)


@pytest.mark.skipif(os.name == "nt", reason="no path of Windows is so long")
@pytest.mark.parametrize(
    ("pattern", "name", "depth", "is_read"),
    [("", "d", 1050, True), ("/**/{name}.txt", "d" * 200, 25, False)],
)
def test_a_folder_that_is_very_deep(outside, pattern, name, depth, is_read):
    """Deeper than Python calls functions; deeper than the system opens a path, it is named."""
    for file in ("a.txt", "z.txt"):
        (outside / file).write_text(REPORT)
    handle = os.open(outside, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=handle)
        deeper = os.open(name, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = deeper
    with open("r.txt", "w", opener=lambda at, how: os.open(at, how, dir_fd=handle)) as file:
        file.write(REPORT)
    os.close(handle)
    if is_read:
        assert len(read(f"{outside.as_posix()}{pattern}").io) == 3
    else:
        with pytest.raises(ReadErrors, match=r"d/d.*: File name too long") as caught:
            read(f"{outside.as_posix()}{pattern}", errors="raise")
        assert len(caught.value.results.io) == 2


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file whose reading fails")
@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor(2)], ids=["here", "executor"])
def test_a_file_whose_reading_fails_is_named(tmp_path, executor):
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(REPORT.replace("1 s", f"1.{number} s"))
    bad = tmp_path / "bad.txt"
    bad.symlink_to("/proc/self/mem")
    for source in ("", "*.txt", "{name}.txt"):
        with pytest.raises(ReadErrors) as caught:
            read(tmp_path / source, executor=executor, errors="raise")
        (failure,) = caught.value.failures
        assert (failure.path, failure.reason) == (bad.as_posix(), "Input/output error")
        assert len(caught.value.results.io) == 3
    with pytest.raises(OSError, match=rf"^\[Errno 5\] Input/output error: '{bad.as_posix()}'$"):
        read(bad, executor=executor)


def test_a_file_that_cannot_be_asked_after_does_not_hide_the_others(tree, monkeypatch):
    (tree / "b.txt").write_text(REPORT)
    really = os.lstat

    def lstat(place, **how):
        if str(place) == "a/qd1/nvme.txt":
            raise OSError(5, "Input/output error", place)
        return really(place, **how)

    monkeypatch.setattr("fiotools.input.sources._mode.__defaults__", (lstat,))
    assert names(find(["a/qd1/nvme.txt", "b.txt"])) == ["a/qd1/nvme.txt", "b.txt"]


def test_template_makes_columns(tree):
    found = find("a/qd{iodepth:d}/{volume}.txt")
    assert [file.labels for file in found] == [
        {"iodepth": 1, "volume": "nvme"},
        {"iodepth": 16, "volume": "nvme"},
        {"iodepth": 16, "volume": "vhdx"},
    ]
    for name in ("a-a.log", "a-b.log"):
        (tree / name).write_text("x")
    # a field that is there twice means the same
    assert [file.labels for file in find("{x}-{x}.log")] == [{"x": "a"}]
    # and stays within a folder
    with pytest.raises(FileNotFoundError):
        find("{x}/vhdx.txt")
    assert len(find("**/{x}.txt")) == 5


def test_labels(tree):
    found = find({"one": "b.txt", 2: ["a/qd1/nvme.txt", "a/qd16/nvme.txt"]})
    assert [file.labels["label"] for file in found] == ["one", "2", "2"]
    with pytest.raises(SchemaError, match="gives 'label' already"):
        find({"a": "{label}.txt"})


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("", "{} is not a field"),
        ("x:s", "{x:s} is not a field"),
        ("Upper", "{Upper} is not a field"),
        ("job", "write {workload}"),
        ("direction", "write {way}"),
        ("iops", "write {asked_iops}"),
    ],
)
def test_template_errors(tree, field, told):
    with pytest.raises(SchemaError) as caught:
        find(f"{{{field}}}/{{Lower}}/{{cpu}}.txt")
    assert told in str(caught.value)  # all at once
    assert "{Lower} is not a field" in str(caught.value)


def test_a_condition_in_the_path_takes_its_columns_type(tmp_path):
    for name in ("4k-true", "1m-false"):
        (tmp_path / f"{name}.log").write_text("x")
    template = f"{tmp_path.as_posix()}/{{bs_bytes}}-{{direct}}.log"
    assert [file.labels for file in find(template)] == [
        {"bs_bytes": 1048576, "direct": False},
        {"bs_bytes": 4096, "direct": True},
    ]
    (tmp_path / "big-true.log").write_text("x")
    with pytest.raises(SchemaError, match="'big' is not a value of bs_bytes"):
        find(template)


def test_a_link_is_the_file_that_it_leads_to(tree):
    try:
        (tree / "a" / "again.txt").symlink_to(tree / "b.txt")
    except OSError:
        pytest.skip("no links may be made here")
    assert names(find(["b.txt", "a"])) == ["b.txt", *names(find("a/qd*/*.txt"))]
    assert names(find("a"))[0] == "a/again.txt"
    assert names(find(["a/qd16", tree / "a" / "qd16"])) == ["a/qd16/nvme.txt", "a/qd16/vhdx.txt"]


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no names of open files here")
@pytest.mark.parametrize("size", [10, 200_000])
def test_what_the_shell_opened_is_read_to_its_end(size):
    """A process stands behind <(...) and /dev/stdin: nobody waits for one that never comes."""
    data, (reading, writing) = bytes(size), os.pipe()

    def write():
        with open(writing, "wb") as file:
            file.write(data)

    writer = Thread(target=write)
    writer.start()
    assert raw(find(f"/dev/fd/{reading}")[0]) == data
    writer.join()
    os.close(reading)


REPORT = "1+0 records in\n1+0 records out\n512 bytes copied, 1 s, 512 B/s\n"


def _bind(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)


NO_FILES = {
    "pipe": (lambda path: os.mkfifo(path), "is a named pipe"),
    "socket": (_bind, "is a socket"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "is a device"),
    "terminal": (lambda path: path.symlink_to("/dev/ptmx"), "is a device"),
}


@pytest.fixture(params=NO_FILES)
def no_file(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names here")
    make, said = NO_FILES[request.param]
    path = tmp_path / "x_lat.1.log"
    make(path)
    return path, said


def test_what_is_not_a_file_is_refused_unopened(no_file, monkeypatch):
    path, said = no_file
    opened, really = [], os.open
    monkeypatch.setattr("os.open", lambda at, *a: opened.append(at) or really(at, *a))
    for use in (read, fiotools.scan):
        with pytest.raises(UnknownFormatError, match=rf"x_lat\.1\.log: this {said}.*; copy"):
            use(path)
    assert path.as_posix() not in opened


@pytest.mark.parametrize("pattern", ["", "**/*"])
def test_what_is_not_a_file_is_a_note_of_a_folder(no_file, pattern):
    path, said = no_file
    (path.parent / "dd.txt").write_text(REPORT)
    (path.parent / "y_lat.1.log").write_text("1, 2, 0, 4096, 0\n")
    source = path.parent / pattern
    results = read(source)
    assert len(results.io) == 1
    notes = results.notes[results.notes["source"] == path.as_posix()]
    assert notes["severity"].tolist() == ["warning"]
    assert said in notes["message"].item()
    with pytest.warns(ScanWarning, match=said):
        assert len(fiotools.scan(source, version="3.33").collect()) == 1


@pytest.mark.parametrize("target", ["loop.txt", "nowhere.txt"], ids=["itself", "nothing"])
@pytest.mark.parametrize("pattern", ["", "*.txt"])
def test_a_broken_link_is_a_note(tmp_path, target, pattern):
    (tmp_path / "dd.txt").write_text(REPORT)
    try:
        (tmp_path / "loop.txt").symlink_to(target)
    except OSError:
        pytest.skip("no links may be made here")
    results = read(tmp_path / pattern)
    assert len(results.io) == 1
    assert results.notes["message"].str.contains("broken link").tolist() == [True]
    with pytest.raises(OSError, match=r"loop\.txt"):
        read(tmp_path / "loop.txt")


@pytest.mark.parametrize("error", [FileNotFoundError, NotADirectoryError])
def test_a_folder_that_vanishes_while_it_is_listed_is_a_note(tree, monkeypatch, error):
    (tree / "b.txt").write_text(REPORT)
    gone, really = tree / "a" / "qd1", os.scandir

    def scandir(place):
        if place != gone.as_posix():
            return really(place)
        if gone.is_dir():
            shutil.rmtree(gone)
        raise error(2, "is not there", place)

    monkeypatch.setattr("fiotools.input.sources.os.scandir", scandir)
    results = read(tree)
    assert len(results.io) == 1
    notes = results.notes[results.notes["source"] == gone.as_posix()]
    assert notes["message"].str.contains("is not there any more").tolist() == [True]


@pytest.mark.parametrize(
    "folder", ["run[1]", "50%", "{old}", "q?*", os.fsdecode(b"e\xcc\x81"), "a\nb"]
)
def test_a_folder_that_is_there_means_itself(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "ext4.txt").write_text("x")
    for base in (folder, f"./{folder}", f"{tmp_path.as_posix()}/{folder}"):
        assert [file.labels for file in find(f"{base}/{{fs}}.txt")] == [{"fs": "ext4"}]
        assert len(find(f"{base}/*.txt")) == len(find(base)) == 1


def test_a_template_may_have_every_wildcard(tree):
    found = find("a/qd[0-9]*/[!v]{disk}.txt")
    assert names(found) == ["a/qd1/nvme.txt", "a/qd16/nvme.txt"]
    assert [file.labels for file in found] == [{"disk": "vme"}] * 2
    (tree / "a" / "line\nend.txt").write_text("x")
    assert {"name": "line\nend"} in [file.labels for file in find("a/**/{name}.txt")]


@pytest.mark.parametrize(
    ("field", "text"),
    [("{day:d}", "20261124024027123456"), ("{iodepth}", "9" * 200)],
)
def test_a_number_that_no_column_holds_is_refused(tmp_path, field, text):
    (tmp_path / f"{text}.txt").write_text("x")
    with pytest.raises(SchemaError, match=rf"'{text}' is not a value of"):
        find(f"{tmp_path.as_posix()}/{field}.txt")
    assert find(f"{tmp_path.as_posix()}/{{day}}.txt")[0].labels == {"day": text}


@pytest.mark.parametrize(
    "text", [REPORT, REPORT.encode(), ["1+0\n"]], ids=["text", "bytes", "file"]
)
def test_a_text_is_not_a_path(text):
    with pytest.raises(FileNotFoundError, match="no such file or folder; reads"):
        find(text)


def test_a_url_of_this_machine_is_a_path(tree):
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    assert names(find(f"file://{tree.as_posix()}/b.txt")) == [f"{tree.as_posix()}/b.txt"]
    assert len(find([f"file://{tree.as_posix()}/{{name}}.txt", tree / "b.txt"])) == 2


@pytest.mark.parametrize("where", ["memory://", "memory://*.txt", "memory://{cache}.txt"])
def test_files_at_the_root_of_a_store(where):
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/after.txt", Path("data/page-cache/after.txt").read_bytes())
    try:
        assert read(where).runs.source.tolist() == ["memory://after.txt"]
    finally:
        memory.rm("/after.txt")


@pytest.mark.parametrize("inside", ["", "runs", "runs/*.txt", "runs/{cache}.txt", "runs/after.txt"])
def test_a_url_within_another(tmp_path, inside):
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    archive = tmp_path / "runs.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.write("data/page-cache/after.txt", "runs/after.txt")
    within = f"::file://{archive.as_posix()}"
    sources = read(f"zip://{inside}{within}").runs.source
    assert sources.tolist() == [f"zip://runs/after.txt{within}"]


@pytest.mark.parametrize(
    "bad", ["x" * 5000, "{x}" + "y" * 300, "nothing.txt", "*.none", "{x}.none", []]
)
def test_nothing_found(tree, bad):
    with pytest.raises(FileNotFoundError):
        find(bad)
