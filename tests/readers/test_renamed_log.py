"""A log of fio under another name: the caller gives its quantity."""

import pytest

import fiotools as ft
from tests.readers.outputs import edited, same_rows, values

LOG = edited("fio/fio-3.33--log-single_bw.1.log")


def test_the_caller_gives_the_quantity_that_the_name_does_not_say():
    named = ft.reads(LOG, name="x_bw.1.log")
    renamed = ft.reads(LOG, name="yesterday.log", quantity="bw")
    columns = ("quantity", "time_s", "value")
    assert values(renamed.samples, *columns) == values(named.samples, *columns)
    same_rows(ft.reads(LOG, name="x_bw.1.log", quantity="lat"), named, "samples")
    with pytest.raises(ValueError, match="quantity='speed' is not one of bw"):
        ft.reads(LOG, name="yesterday.log", quantity="speed")
