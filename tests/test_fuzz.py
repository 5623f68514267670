"""A short walk of `tests.fuzz` over every reader; `make fuzz` goes on for as long as is asked."""

import pytest

from fiotools.readers import built_in
from tests.fuzz import Tally, examine_together, rounds, seeds


@pytest.mark.parametrize("name", [reader.name for reader in built_in()])
def test_broken_files_give_errors_or_notes(name, tmp_path, record_property):
    inputs, tally = [], Tally()
    rounds(seeds()[name], 60, 1, lambda *broken: inputs.append(broken))
    examine_together(inputs, tmp_path, tally)
    assert tally.tried >= 60
    assert tally.read
    record_property("inputs", tally.tried)


@pytest.mark.parametrize("name", [reader.name for reader in built_in()])
def test_truncated_anywhere(name, tmp_path):
    file, data = min(seeds()[name], key=lambda seed: len(seed[1]))
    tally = Tally()
    # every byte where the file is small, fewer where it is not, always the last ones
    coarse = range(0, len(data), max(1, len(data) // 100))
    ends = sorted({*coarse, *range(max(0, len(data) - 40), len(data))})
    examine_together([(file, data[:end]) for end in ends], tmp_path, tally)
    assert tally.tried >= min(100, len(data))
    assert tally.read
