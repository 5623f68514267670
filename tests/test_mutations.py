"""A short walk of `tests.mutations`; `make fuzz` takes every fixture."""

import pytest

from tests.mutations import cases, fixtures, outcomes

# what is lost all the same, and why
KNOWN = {
    ("diskspd_text", "cells: words in cells"): "parameters in cells look like somebody's table",
}


@pytest.mark.parametrize("name", sorted({format_ for format_, _, _ in fixtures()}))
def test_no_number_changes_or_vanishes_in_silence(name):
    small = sorted((one for one in fixtures() if one[0] == name), key=lambda one: len(one[2]))
    found = list(outcomes(small[:1]))
    assert len(found) > len(cases()) / 3
    assert {one.verdict for one in found} > {"same"}
    silent = [one for one in found if one.verdict in ("lost", "changed")]
    assert [one for one in silent if (one.format, one.case) not in KNOWN] == []
