"""Progress bars appear on terminals and in notebooks, and nowhere else."""

import sys

import nbclient
import tqdm  # noqa: F401  (it reads TQDM_DISABLE when it is imported, and other tests set that)
from nbformat.v4 import new_code_cell, new_notebook

from fiotools.progress import bar
from tools import kernel

# 20 ms for each file
SLOW = """
import time
import fiotools as ft
import fiotools.input.read as reading

read = reading.read_document
reading.read_document = lambda *given: time.sleep(0.02) or read(*given)
len(ft.read("*.txt").runs)
"""


def outputs(monkeypatch, folder):
    """Read 60 files in a kernel with bars, and keep each message that it sends."""
    for number in range(60):
        (folder / f"{number}.txt").write_text("real\t0m4.364s\nuser\t0m0.061s\nsys\t0m1.020s\n")
    monkeypatch.delitem(kernel.ENVIRONMENT, "TQDM_DISABLE")
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    sent = []
    process = nbclient.NotebookClient.process_message

    def watched(self, message, *given):
        sent.append(message)
        return process(self, message, *given)

    monkeypatch.setattr(nbclient.NotebookClient, "process_message", watched)
    notebook = new_notebook(cells=[new_code_cell(SLOW)])
    kernel.run_cells(notebook, folder)
    lines = [
        message["content"]["data"]["text/plain"]
        for message in sent
        if message["msg_type"] in ("display_data", "update_display_data")
    ]
    return notebook.cells[0].outputs, lines


def test_a_notebook_has_a_bar_while_it_reads_and_nothing_after(monkeypatch, tmp_path):
    found, lines = outputs(monkeypatch, tmp_path)
    shown = [line for line in lines if line.startswith("reading: ")]
    assert shown
    assert all("/60" in line for line in shown)
    assert lines[-1] == ""
    # neither stderr nor a widget, which a saved notebook cannot show
    assert [one.output_type for one in found] == ["display_data", "execute_result"]
    assert found[0].data == {"text/plain": ""}
    assert found[1].data == {"text/plain": "60"}


def test_a_terminal_has_a_bar_and_a_pipe_has_none(monkeypatch, capsys):
    assert list(bar(range(3), desc="reading")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(bar(range(3), desc="reading")) == [0, 1, 2]
    assert "reading" in capsys.readouterr().err
    assert list(bar(range(3), desc="reading", progress=False)) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")
