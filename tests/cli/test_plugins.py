"""Another package brings a reader and a verb along."""

import os

import pytest

TOY = '''
"""A toy's output, and a question about it."""

from fiotools.readers import Reader


def read(document, rows):
    run = rows.start_run(tool="toy", format="toy")
    for entry, rate in enumerate(document.text.split()[1:], 1):
        rows.add("io", run=run, entry=entry, direction="read", iops=float(rate))


READER = Reader("toy", "a toy's rates", "toy", ("runs", "io"), lambda one: one.text[:3] == "toy", read)


def above(results, *, limit: float):
    """Keep what is faster than a limit.

    Parameters
    ----------
    results : Results
        What was read.
    limit : float
        The limit, in I/Os per second.
    """
    return results.io.query("iops > @limit")[["entry", "iops"]]
'''
ENTRIES = """[fiotools.readers]
toy = fiotools_toy:READER
[fiotools.verbs]
above = fiotools_toy:above
compare = fiotools_toy:above
lost = fiotools_toy:nothing
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    about = tmp_path / "fiotools_toy-0.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: fiotools-toy\nVersion: 0.1\n")
    (about / "entry_points.txt").write_text(ENTRIES)
    (tmp_path / "fiotools_toy.py").write_text(TOY)
    (tmp_path / "toy.txt").write_text("toy 10 30 20")
    places = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    monkeypatch.setenv("PYTHONPATH", places)
    return tmp_path / "toy.txt"


def test_a_verb_of_another_package(toy, cli):
    found = cli("above", toy, "--limit", "15", "--format", "csv", cwd=toy.parent)
    assert found.stdout.splitlines() == ["entry,iops", "2,30.0", "3,20.0"]
    told = cli("above", "--help", cwd=toy.parent).stdout
    assert "Keep what is faster than a limit." in told
    assert "--limit" in told
    every = cli("--help", cwd=toy.parent)
    assert "above" in every.stdout.split("Of other packages:")[1]
    # those that do not fit stop nobody
    assert "there is a verb 'compare' already" in every.stderr
    assert "the verb 'lost', fiotools_toy:nothing: must be a function at the top" in every.stderr
