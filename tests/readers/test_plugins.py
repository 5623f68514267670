"""Other packages bring readers along through the entry-point group ``fiotools.readers``."""

from importlib.metadata import EntryPoint

import pytest

import fiotools as ft
from fiotools import readers as registry
from fiotools.errors import UnknownFormatError
from fiotools.readers import Reader


def read(document, tables):
    run = tables.start_run(tool="toy", format="toy")
    for entry, line in enumerate(document.text.split("\n")[1:], 1):
        tables.add("io", run=run, entry=entry, iops=float(line))


READER = Reader(
    name="toy",
    title="a toy's rates",
    produced_by="toy",
    tables=("runs", "io"),
    sniff=lambda document: document.text.startswith("toy\n"),
    read=read,
)
AGAIN = Reader("dd", "another dd", "dd", ("runs",), READER.sniff, read)
NO_READER = "a text"


@pytest.fixture
def installed(monkeypatch):
    def install(*names):
        entries = [EntryPoint(name, f"{__name__}:{name}", "fiotools.readers") for name in names]
        monkeypatch.setattr(registry, "entry_points", lambda group: entries)
        registry.readers.cache_clear()

    yield install
    registry.readers.cache_clear()


def test_a_reader_of_another_package(installed):
    with pytest.raises(UnknownFormatError):
        ft.reads("toy\n12.5\n7")
    installed("READER")
    assert ft.reads("toy\n12.5\n7").io["iops"].tolist() == [12.5, 7.0]
    assert ft.reads("toy\n1", format="toy").io["iops"].tolist() == [1.0]
    assert ft.formats()["format"].tolist()[-1] == "toy"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("AGAIN", "there is a reader 'dd' already"),
        ("NO_READER", r"is not a fiotools\.readers\.Reader"),
        ("ABSENT", "cannot be loaded: .*ABSENT"),
    ],
)
def test_one_that_does_not_fit_stops_nobody(installed, name, message):
    installed(name, "READER")
    with pytest.warns(UserWarning, match=message):
        formats = ft.formats()
    assert formats["format"].tolist() == [r.name for r in registry.READERS] + ["toy"]
