"""Campaigns run for real, as a user runs them, and their remains."""

import io
import json
import shutil
import signal
import subprocess
import sys
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

from fiotools.cli import main

# two quick workloads of dd, without direct I/O, which not every file system takes
SMALL = (
    *("throughput", "--size", "16M"),
    *("--only", "write-zeros", "--only", "read"),
)
PATIENCE = 300  # seconds; a busy machine is no reason to fail

unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither dd nor such links")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


def needs(tool):
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"{tool} is not installed")


def command(*args):
    return [sys.executable, "-m", "fiotools", "measure", *map(str, args)]


def measure(*args, cwd=None, path=None):
    """Run a campaign to its end in this process, in a folder, with a PATH."""
    with pytest.MonkeyPatch.context() as patch:
        said, complained = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
        patch.setattr(sys, "stdout", said)
        patch.setattr(sys, "stderr", complained)
        patch.setattr(sys, "excepthook", sys.excepthook)
        patch.setattr(warnings, "showwarning", warnings.showwarning)
        patch.setenv("TQDM_DISABLE", "1")
        if cwd is not None:
            patch.chdir(cwd)
        if path is not None:
            patch.setenv("PATH", path)
        status = main(["measure", *map(str, args)])
    for stream in (said, complained):
        stream.seek(0)
    return subprocess.CompletedProcess(args, status, said.read(), complained.read())


@contextmanager
def begun(*args, until, apart=False):
    """Start a campaign, wait for a condition, and return the process."""
    process = subprocess.Popen(
        command(*args),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=apart,
    )
    try:
        wait(until, process)
        yield process
    finally:
        process.kill()
        process.communicate()


def wait(until, process=None):
    end = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < end
        if process is not None and process.poll() is not None:
            raise AssertionError(process.communicate())
        time.sleep(0.02)


def stop(process, number=signal.SIGINT):
    """Send a signal, and return the output and the exit status."""
    process.send_signal(number)
    said, complained = process.communicate(timeout=PATIENCE)
    return process.returncode, said, complained


def log(folder):
    """Read the whole lines of a manifest."""
    file = Path(folder) / "manifest.jsonl"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def ran(folder):
    return [line for line in log(folder) if line["kind"] == "run"]


def names(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def hidden(folder):
    return [name for name in names(folder) if name.startswith(".")]


def in_namespace(script, cwd):
    """Run a shell script in which file systems can be mounted; they are gone after it."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        pytest.skip("needs unshare")
    unshare = ("unshare", "--user", "--map-root-user", "--mount", "--pid", "--kill-child")
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs user namespaces")
    return subprocess.run(
        [*unshare, "sh", "-c", script],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        cwd=cwd,
        check=False,
    )
