"""The one function that makes the frames of answers."""

import pytest

from fiotools.errors import SchemaError
from fiotools.flags import flag
from fiotools.stats import frames

LEVELS = {"mount": ["9p", "virtiofs"], "ratio": [1.0, 1.5]}


def test_an_answer_has_its_columns_in_order_and_typed(make):
    data = frames.opened(make(**LEVELS))
    lines = [{"row": 1, "n": 2.0, "notes": [flag("one", n=1), flag("two")]}, {"row": 0, "ratio": 1}]
    found = frames.answer(data, ("ratio", "n", "met", "flags", "details"), ["mount"], lines)
    told = frames.opened(found)
    assert told.columns == ["mount", "ratio", "n", "met", "flags", "details"]
    assert [frames.values(told, name) for name in told.columns] == [
        ["virtiofs", "9p"],
        [None, 1.0],
        [2, None],
        [None, None],
        ["one;two", None],
        ['[{"n": 1}, {}]', None],
    ]


def test_nothing_in_a_row_is_lost(make):
    data = frames.opened(make(**LEVELS))
    with pytest.raises(SchemaError, match="no column tau"):
        frames.answer(data, ("ratio",), (), [{"ratio": 1.0, "tau": 2.0}])


def test_a_kept_column_does_not_hide_an_own_one(make):
    data = frames.opened(make(**LEVELS))
    with pytest.raises(SchemaError, match="'ratio' would hide the answer's own 'ratio': rename it"):
        frames.answer(data, ("ratio",), ["ratio"], [{"row": 0, "ratio": 1.0}])


def test_columns_carried_along_keep_their_type(make):
    data = frames.opened(make(**LEVELS))
    with pytest.raises(SchemaError, match="'n' holds 'many', which is not Int64"):
        frames.answer(data, ("n",), (), [{"n": "many"}])
