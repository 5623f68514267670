"""Who holds a lock when its program is gone."""

import os
import subprocess
import sys

import pytest

from fiotools.files.lock import take


@pytest.mark.skipif(sys.platform == "win32", reason="Windows hands on no open files")
@pytest.mark.parametrize("inherited", [True, False])
def test_a_process_that_goes_on_holds_what_it_inherits(tmp_path, inherited):
    file = tmp_path / "lock"
    ours, other = (os.open(file, os.O_RDWR | os.O_CREAT) for _ in range(2))
    assert take(ours, inherited=inherited)
    waiting = [sys.executable, "-c", "input()"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, pass_fds=(ours,)) as left:
        os.close(ours)
        assert take(other, inherited=inherited) is not inherited
        left.communicate(b"\n")
    assert take(other, inherited=inherited)
    os.close(other)
