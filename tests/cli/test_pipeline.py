"""The script of docs/gate.md, with a regression made on purpose and without."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.generator.filled import DOCS

needs_fio = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")
needs_sh = pytest.mark.skipif(not shutil.which("sh"), reason="there is no sh")


@needs_fio
@needs_sh
@pytest.mark.parametrize(
    ("before", "after", "code"),
    [("", "200", 4), ("200", "200", 0)],  # a busy machine is not the same twice without a limit
    ids=["slowed", "as before"],
)
def test_a_slowed_device_fails_the_build(tmp_path, before, after, code):
    def measured(*arguments, rate):
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path, "SECONDS_EACH": "1", "RATE": rate}
        command = ["sh", DOCS / "pipeline.sh", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    assert measured("old", rate=before).returncode == 0
    done = measured("new", "old", rate=after)
    assert done.returncode == code, done.stderr
    assert ("fails slower:10%: new / old: " in done.stderr) is (code == 4)
