"""fio's options on a command line, as people write them above a report."""

import pathlib

import pytest

import fiotools as ft
from fiotools.readers.fio.options import from_command

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "fio"
REPORT = (FIXTURES / "fio-3.33--libaio.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "command",
    [
        "fio --name=plain --direct=1 --size=1G --rwmixread=70",
        "fio --name=global --direct=1 --size=1G --rwmixread=70 --name=plain",
        "fio --name=global --direct=1 --size=1G --name=plain --rwmixread=70 --group_reporting",
        "fio --direct=1 --size=1G --name=plain --rwmixread=70",
        "fio -name=plain -direct=1 -size=1G -rwmixread=70",
        "fio -name plain -direct 1 -size 1G -rwmixread 70",
        "fio --name plain --direct 1 --thread --size 1G --rwmixread 70 --output run.txt",
        "sudo fio -thread -direct=1 -name=plain --size 1G --rwmixread=70",
        "fio \u2014name=plain \u2014direct=1 \u2013size 1G \u2014rwmixread=70",
    ],
)
def test_options_of_a_command_reach_its_job(command):
    io = ft.reads(f"$ {command}\n{REPORT}").io
    assert io["direct"].tolist() == [True, True]
    assert io["size_bytes"].tolist() == [2**30] * 2
    assert io["rwmixread_pct"].tolist() == [70.0] * 2


def test_options_of_other_jobs_and_of_the_program_are_not_those_of_all():
    shared, named = from_command(
        "fio --output out.txt --name=a --bs=4k --name=global --iodepth=8 --name b --rw read x.fio"
    )
    assert shared == {}
    assert named == {"a": {"bs": "4k"}, "b": {"iodepth": "8", "rw": "read"}}
    assert from_command("fio --time_based x.fio --minimal y.fio") == ({}, {})


def test_words_before_the_name_of_the_program_are_not_options():
    shared, named = from_command("sudo taskset -c 2 nice -n 5 fio --bs=4k --name=a | tee -a log")
    assert shared == {"bs": "4k"}
    assert named == {"a": {}}
