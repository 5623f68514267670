"""A kernel that ends before it has answered is started again; one that has run a cell is not."""

import json
import sys

import pytest
from nbclient.exceptions import DeadKernelError
from nbformat.v4 import new_code_cell, new_notebook

from fiotools.notebooks.template import execute
from tools.kernel import run_cells

# Notes each start in a file beside it, and goes on with ipykernel from the given start on.
KERNEL = """
import pathlib, runpy, sys
starts = pathlib.Path(__file__).with_name("starts")
starts.write_text((starts.read_text() if starts.exists() else "") + "x")
if len(starts.read_text()) < int(sys.argv.pop(1)):
    sys.exit(1)
sys.path.pop(0)
runpy.run_module("ipykernel_launcher", run_name="__main__")
"""


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """Install a kernel that runs from its nth start on; give what counts its starts."""

    def install(runs_from):
        folder = tmp_path / "kernels" / "python3"
        folder.mkdir(parents=True)
        script = folder / "kernel.py"
        script.write_text(KERNEL, encoding="utf-8")
        argv = [sys.executable, str(script), str(runs_from), "-f", "{connection_file}"]
        spec = {"argv": argv, "display_name": "counted", "language": "python"}
        spec["metadata"] = {"supported_encryption": "curve"}
        (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
        monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
        return lambda: len(script.with_name("starts").read_text())

    return install


def notebook(*cells):
    return new_notebook(cells=[new_code_cell(cell) for cell in cells])


def test_is_started_again(kernel, tmp_path):
    starts = kernel(runs_from=2)
    asked = notebook("import os\nprint(os.getcwd(), os.environ['GIVEN'], os.environ['COLUMNS'])")
    begun = []
    run_cells(asked, tmp_path, {"GIVEN": "yes"}, lambda cell, cell_index: begun.append(cell_index))
    assert starts() == 2
    assert begun == [0]
    assert asked.cells[0].outputs[0].text == f"{tmp_path} yes 120\n"


def test_is_given_up(kernel, tmp_path):
    starts = kernel(runs_from=99)
    with pytest.raises(RuntimeError, match="Kernel died before replying"):
        run_cells(notebook("1"), tmp_path)
    assert starts() == 3


def test_runs_no_cell_twice(kernel, tmp_path):
    starts = kernel(runs_from=1)
    with pytest.raises(DeadKernelError):
        run_cells(notebook("1", "import os\nos._exit(1)"), tmp_path)
    assert starts() == 1


def test_a_report_leaves_later_plots_shown(tmp_path):
    """Its plots are the first of the kernel: they load the backend, which shows those of cells."""
    made = (
        "import fiotools as ft\nres = ft.example('page-cache')\n_ = ft.report(res, 'page.html')",
        "ax = ft.plot.timings(res)",
    )
    told = execute(new_notebook(cells=[new_code_cell(one) for one in made]), tmp_path)
    (shown,) = json.loads(told)["cells"][1]["outputs"]
    assert "image/png" in shown["data"]
