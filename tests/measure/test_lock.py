"""Who holds a lock when its program is gone."""

import os
import subprocess
import sys

import pytest

from fiotools.files.lock import take


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
