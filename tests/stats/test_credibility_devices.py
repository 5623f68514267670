"""`check` uses the device that fio's own table of disks names."""

from __future__ import annotations

import pandas as pd
import pytest

import fiotools as ft
from tests.stats.made_runs import FIO_TEXT, MADE, RIGHT, edited, text

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


@pytest.mark.parametrize(
    ("command", "is_told"),
    [
        (FIO_TEXT[0].format(more=""), True),
        (FIO_TEXT[0].format(more=" | tee log").replace("fio", "sudo fio"), True),
        (FIO_TEXT[0].format(more=" >log 2>&1"), True),
        ("$ fio job", False),
        ("$ fio --rw write", False),
        ("$ fio -", False),
    ],
)
def test_a_command_that_shows_all_options(command, is_told):
    seen = ft.check(text(command, *FIO_TEXT[1:])())
    assert ("data.random" in {*seen["finding"]}) == is_told
