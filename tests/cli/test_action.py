"""`action.yml`: its last step is run as GitHub runs it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
DEPTH = ROOT / "data/how-many-runs/depth"

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")


def gate(tmp_path, **given):
    """Run the step with these inputs; return its exit code, and what it wrote into files."""
    step = next(one for one in ACTION["runs"]["steps"] if one.get("id") == "gate")
    inputs = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | given
    environment = {
        name: inputs[value.strip("${ }").removeprefix("inputs.")]
        for name, value in step["env"].items()
    }
    files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={**os.environ, **environment, **files, "PATH": path},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done, {name: file.read_text() for name, file in files.items()}


@pytest.mark.parametrize(
    ("rules", "code"),
    # the sides differ in their queue depth: what is not broken cannot be judged
    [("slower:5%", 4), ("faster", 3), ("faster\n\nslower:5%\n", 4), ("iops < 10", 0)],
)
def test_a_broken_rule_fails_the_job(tmp_path, rules, code):
    asked = {"baseline": f"{DEPTH}/16_*.json", "files": f"{DEPTH}/4_*.json", "fail-if": rules}
    done, written = gate(tmp_path, **asked)

    assert done.returncode == code, done.stderr
    assert f"exit-code={code}\n" in written["GITHUB_OUTPUT"]
    assert "| " in written["GITHUB_STEP_SUMMARY"]
    assert "exit-code" not in written["GITHUB_STEP_SUMMARY"]
    assert ("::error" in done.stdout) == (code != 0)


def test_files_that_are_missing_fail_the_job(tmp_path):
    done, written = gate(tmp_path, baseline=f"{DEPTH}/16_*.json", files=f"{tmp_path}/none/*.json")

    assert done.returncode == 1
    assert "exit-code=1\n" in written["GITHUB_OUTPUT"]


def test_inputs_are_not_pasted_into_scripts():
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]

    assert not [script for script in scripts if "${{" in script]
