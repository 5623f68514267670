"""Many files read together give what each gives alone: rows are made of all of a batch at once."""

from pathlib import Path
from random import Random

import pytest

import fiotools as ft

FIXTURES = Path(__file__).parents[1] / "fixtures"


def outputs(name):
    found = [path for path in sorted(FIXTURES.rglob(name)) if path.is_file()]
    assert len(found) > 3
    return found


def alone(paths):
    """Read files one by one; those that cannot be read are left out."""
    for path in paths:
        try:
            yield path, ft.read(path)
        except ft.FileError:
            continue


@pytest.mark.parametrize("name", ["fio-*.json", "diskspd-*.xml", "*-dd-*.txt", "*[aeiou].*"])
def test_the_same_rows_together_and_alone(name):
    each = [*alone(outputs(name))]
    Random(3).shuffle(each)
    together = ft.read([path for path, _ in each]).to_polars()
    for table, frame in together.items():
        apart = [one.to_polars()[table] for _, one in each]
        if table == "notes":  # a run that stands in two files is noted of both together only
            frame = frame.filter(~frame["message"].str.contains("the same run as"))
            apart = [one.filter(~one["message"].str.contains("the same run as")) for one in apart]
        counts = [len(one) for one in apart]
        assert len(frame) == sum(counts), table
        at = 0
        for one, count in zip(apart, counts, strict=True):
            assert frame[at : at + count].equals(one), (table, one["source"][:1])
            at += count
