"""`check` uses the device that fio's own table of disks names."""

from __future__ import annotations

import pandas as pd
import pytest

import fiotools as ft
from fiotools.stats.check.runs import RunFacts
from tests.stats.made_runs import MADE, RIGHT, edited

# of a fixture that reads: the same figures, as writes
WRITING = [
    ('"rw" : "randread"', '"rw" : "randwrite"'),
    *(('"read" : {', '"was" : {'), ('"write" : {', '"read" : {'), ('"was" : {', '"write" : {')),
]


@pytest.mark.parametrize(
    ("disk", "is_nvme"), [("nvme0n1", True), ("vda", False), ("dm-0", False), ("loop0", False)]
)
def test_the_disks_of_fio(disk, is_nvme):
    results = edited(MADE / RIGHT, ('"vda"', f'"{disk}"'), *WRITING)
    assert results.disks["device"].unique().tolist() == [disk]
    seen = ft.check(results).query("check == 'preconditioning'")
    assert len(seen) == is_nvme
    # the caller's word counts for more
    assert not len(ft.check(results, media="hdd").query("check == 'preconditioning'"))


def test_a_layer_over_nvme_is_not_nvme():
    results = edited(MADE / RIGHT, ('"vda"', '"nvme0n1"'), *WRITING)
    assert "preconditioning" in set(ft.check(results)["check"])
    layer = results.disks.assign(device="dm-0")
    both = pd.concat([results.disks, layer], ignore_index=True)
    layered = ft.Results({**results.tables, "disks": both}, files=1)
    assert "preconditioning" not in set(ft.check(layered)["check"])


def test_a_command_that_shows_all_options():
    for command, told in (
        ("fio --name=j --rw=read", True),
        ("sudo fio --name=j --rw=read | tee log", True),
        ("fio --name=j --rw=read >log 2>&1", True),
        ("fio job", False),
        ("fio --rw read", False),
        ("fio -", False),
        ("", False),
    ):
        run = RunFacts({"command": command}, {"timings": []}, {}, None, None)
        assert run.shows_all_options == told, command
