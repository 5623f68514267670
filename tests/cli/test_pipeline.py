"""The script of docs/gate.md, with a regression made on purpose and without."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.generator.filled import DOCS

needs_fio = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")
GATE = "fiotools gate old new --metric iops --fail-if slower:10%"  # as the script says
needs_sh = pytest.mark.skipif(not shutil.which("sh"), reason="there is no sh")


@needs_fio
@needs_sh
@pytest.mark.parametrize(
    ("before", "after", "code"),
    [("2000", "200", 4), ("200", "200", 0)],  # without a limit a busy machine is not the same twice
    ids=["slowed", "as before"],
)
def test_a_slowed_device_fails_the_build(tmp_path, before, after, code):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    knobs = {"SECONDS_EACH": "1", "ROUNDS": "3", "OLD_RATE": before, "NEW_RATE": after}
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
    done = subprocess.run(
        ["sh", "-c", f"sh '{DOCS}/pipeline.sh' one two && {GATE}"],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, **knobs},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    told = " ".join((done.stdout + done.stderr).split())
    assert ("fail slower:10% new / old: " in told) is (code == 4)
