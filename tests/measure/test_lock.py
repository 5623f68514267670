"""Who holds a lock when its program is gone."""

import os
import subprocess
import sys
from contextlib import ExitStack

import pytest

import fiotools as ft
from fiotools.measure import lock
from fiotools.measure.lock import hold, take
from tests.measure.campaigns import linux, names


@pytest.mark.skipif(sys.platform == "win32", reason="Windows hands on no open files")
def test_a_process_that_goes_on_holds_what_it_inherits(tmp_path):
    file = tmp_path / "lock"
    ours, other = (os.open(file, os.O_RDWR | os.O_CREAT) for _ in range(2))
    assert take(ours)
    waiting = [sys.executable, "-c", "input()"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, pass_fds=(ours,)) as left:
        os.close(ours)
        assert take(other) is False
        left.communicate(b"\n")
    assert take(other)
    os.close(other)


@linux
def test_a_folder_is_locked_once(tmp_path, monkeypatch):
    monkeypatch.setattr(lock, "_PATIENCE_S", 0)
    for _ in range(2):
        with ExitStack() as stack:
            hold(tmp_path, stack)
            with pytest.raises(ft.MeasureError, match="another campaign is at work"):
                hold(tmp_path, stack)
    assert names(tmp_path) == []
