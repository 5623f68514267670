"""A dataset in an object store, over the network: whatever ends a request, the data is right."""

import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

import fiotools as ft
from fiotools import dataset
from fiotools.errors import ScanWarning
from tests.datasets import write_result, write_results

for package in ("s3fs", "moto", "flask", "flask_cors"):
    pytest.importorskip(package, reason=f"{package} is not installed")

from s3fs import S3FileSystem  # noqa: E402

from tests.s3_server import Server, settings  # noqa: E402

FILES = 8
PROGRAM = """
import sys
import fiotools as ft
from fiotools import dataset

dataset._FILES = 4
ft.convert(*sys.argv[1:], tables=["io"])
"""
ALLOWED = """{
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]
}"""
needs_kill = pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL")


@pytest.fixture(scope="module")
def server():
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def bucket(server, tmp_path, monkeypatch):
    """Results in a bucket of their own; `runs` and `ds` are places in it."""
    for name, value in settings(server.url).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(S3FileSystem, "retries", 1)
    monkeypatch.setattr(dataset, "_FILES", 4)
    S3FileSystem.clear_instance_cache()
    name, client = f"fleet-{abs(hash(tmp_path)):x}", server.client()
    client.create_bucket(Bucket=name)
    local = write_results(tmp_path / "runs", FILES)
    for path in local.iterdir():
        client.put_object(Bucket=name, Key=f"runs/{path.name}", Body=path.read_bytes())
    places = {"runs": f"s3://{name}/runs/run-{{turn:d}}.txt", "ds": f"s3://{name}/ds"}
    yield SimpleNamespace(name=name, client=client, local=local, **places)
    server.off()
    S3FileSystem.clear_instance_cache()


def rows(place):
    return ft.open_dataset(place).io.select("turn", "io_bytes").sort("turn").collect().rows()


def expected(bucket):
    io = ft.read(f"{bucket.local.as_posix()}/run-{{turn:d}}.txt").io
    return list(zip(io["turn"], io["io_bytes"], strict=True))


def convert(bucket):
    return ft.convert(bucket.runs, bucket.ds, tables=["io"])


def begun(bucket, count):
    with pytest.warns(ScanWarning, match=f"{count} of {FILES} files are there"):
        assert len(rows(bucket.ds)) == count


def test_read_convert_and_again(server, bucket):
    assert list(ft.read(bucket.runs).io["turn"]) == list(range(FILES))
    assert convert(bucket).new == FILES
    assert rows(bucket.ds) == expected(bucket)
    server.asked.clear()
    assert convert(bucket).new == 0
    assert not [path for method, path in server.asked if method == "PUT" and "parquet" in path]
    assert not [path for method, path in server.asked if method == "GET" and "run-" in path]
    write_result(bucket.local / "run-0003.txt", 500)
    content = (bucket.local / "run-0003.txt").read_bytes()
    bucket.client.put_object(Bucket=bucket.name, Key="runs/run-0003.txt", Body=content)
    with pytest.raises(ft.DatasetError, match=r"run-0003\.txt.*: has changed since it was conv"):
        convert(bucket)
    names = bucket.client.list_objects_v2(Bucket=bucket.name, Prefix="ds/")["Contents"]
    assert len(names) == 5  # two batches of two tables, and what it says of itself


@needs_kill
def test_killed_in_the_middle_of_an_upload(server, bucket):
    process = []

    def kill():
        process[0].kill()
        process[0].wait()
        return False

    server.on("PUT", "ds/notes/", kill)
    command = [sys.executable, "-c", PROGRAM, bucket.runs, bucket.ds]
    process.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
    process[0].communicate()
    assert process[0].returncode == -signal.SIGKILL
    begun(bucket, 0)
    assert convert(bucket).new == FILES
    assert rows(bucket.ds) == expected(bucket)
    assert convert(bucket).new == 0


@pytest.mark.parametrize("place", [r"ds/io/", r"ds/notes/", r"ds/_fiotools"])
def test_an_upload_that_breaks_off(server, bucket, place):
    server.on("PUT", place, lambda: False, times=100)
    with pytest.raises(OSError, match=rf"the same again: '{bucket.ds}.*{place[3:]}"):
        convert(bucket)
    server.off()
    if "_fio" not in place:
        begun(bucket, 0)
    assert convert(bucket).new == FILES
    assert rows(bucket.ds) == expected(bucket)


def test_a_file_that_breaks_off_is_read_the_next_time(server, bucket):
    server.on("GET", "runs/run-0005", lambda: False, times=100)
    (refusal,) = convert(bucket).refusals
    assert refusal.path == f"{bucket.runs.partition('{')[0]}0005.txt"
    begun(bucket, FILES - 1)
    server.off()
    done = convert(bucket)
    assert (done.new, done.refusals) == (1, ())
    assert rows(bucket.ds) == expected(bucket)


def test_a_bucket_that_is_not_there(bucket):
    told = "bucket does not exist; are its name and the endpoint right.*: 's3://nowhere"
    with pytest.raises(FileNotFoundError, match=told):
        ft.read("s3://nowhere/runs/run-{turn:d}.txt")
    with pytest.raises(FileNotFoundError, match=told):
        ft.convert(bucket.local, "s3://nowhere/ds")
    with pytest.raises(ft.DatasetError, match="s3://nowhere/ds: not a fiotools dataset"):
        ft.open_dataset("s3://nowhere/ds")


def test_without_keys(tmp_path):
    known = {name: text for name, text in os.environ.items() if not name.startswith("AWS_")}
    done = subprocess.run(
        [sys.executable, "-m", "fiotools", "read", "s3://bucket/run.json"],
        env={**known, "AWS_EC2_METADATA_DISABLED": "true", "HOME": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("fiotools: s3://bucket/run.json: Unable to locate credentials;")


@pytest.mark.parametrize("wrong", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
def test_wrong_keys(server, bucket, monkeypatch, wrong):
    people = server.client("iam")
    people.create_user(UserName=wrong)
    people.put_user_policy(UserName=wrong, PolicyName="all", PolicyDocument=ALLOWED)
    keys = people.create_access_key(UserName=wrong)["AccessKey"]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", keys["AccessKeyId"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", keys["SecretAccessKey"])
    convert(bucket)
    monkeypatch.setattr("moto.settings.INITIAL_NO_AUTH_ACTION_COUNT", 0.0)
    S3FileSystem.clear_instance_cache()
    assert rows(bucket.ds) == expected(bucket)
    monkeypatch.setenv(wrong, "wrong")
    S3FileSystem.clear_instance_cache()
    told = rf"are the keys right.*environment.*: '{bucket.ds.removesuffix('ds')}"
    for asked in (
        lambda: ft.read(bucket.runs),
        lambda: ft.convert(bucket.local, bucket.ds),
        lambda: ft.open_dataset(bucket.ds),
    ):
        with pytest.raises(PermissionError, match=told):
            asked()
