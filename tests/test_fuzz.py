"""Every fixture whole, broken, cut and changed as people do; `make fuzz` goes on as long as asked."""

import re

import pytest

from fiotools.readers import built_in
from tests.conftest import ROOT
from tests.fuzz import Tally, examine_together, rounds, seeds
from tests.mutations import TAKEN_OFF, cases, cells, fixtures, numbers_of, outcomes
from tests.physics import read_all, unnoted

readers = pytest.mark.parametrize("name", [reader.name for reader in built_in()])
# numbers at the end of a last line that was cut, of which nothing is said
KNOWN = {("disks", "fio_normal"), ("max_rss_bytes", "time")}


def test_our_fixtures_and_data_hold(fixture_files):
    kinds = (".txt", ".xml", ".json", ".log")
    logs = [path for path in sorted((ROOT / "data").rglob("*")) if path.suffix in kinds]
    assert len(logs) > 20
    every, _ = read_all([*fixture_files, *logs])
    # what holds no result is told apart in the readers' own tests
    assert every.runs["source"].nunique() > 80
    assert not unnoted(every)


@readers
def test_broken_files_give_errors_or_notes(name, tmp_path, record_property):
    inputs, tally = [], Tally()
    rounds(seeds()[name], 60, 1, lambda *broken: inputs.append(broken))
    examine_together(inputs, tmp_path, tally)
    assert tally.tried >= 60
    assert tally.read
    record_property("inputs", tally.tried)


def ends(size):
    """Say where to cut: nowhere first, at each of the last bytes, and at forty places."""
    return sorted({*range(max(0, size - 40), size + 1), *range(0, size, size // 40)}, reverse=True)


@readers
def test_no_cut_gives_another_number_in_silence(name, tmp_path):
    files = sorted(seeds()[name], key=lambda seed: len(seed[1]))
    files = [(file, data) for file, data in files if 100 < len(data) < 5000] or files[:1]
    files = files[:: max(1, len(files) // 6)]
    inputs = [(file, data[:end]) for file, data in files for end in ends(len(data))]
    tally = Tally()
    found = numbers_of(examine_together(inputs, tmp_path, tally))
    assert tally.tried > 80
    silent = []
    for number, (file, data) in enumerate(inputs):
        part = found.get(f"{number}-{file}")
        if number == 0 or len(data) > len(inputs[number - 1][1]):  # another file, whole
            whole = part
        elif part and not part.warned - whole.warned:
            more = cells(part.rows) - cells(whole.rows)
            silent += [
                (file, len(data), cell)
                for cell in more
                if not {(cell[0], name), (cell[1], name)} & KNOWN
            ]
    assert silent == []


# what is lost all the same, and why
LOST = {
    ("diskspd_text", "cells: words in cells"): "parameters in cells look like somebody's table",
}
# what is undone wherever it is: no number of any format is missing
UNDONE = re.compile(
    r"around: (?!details|form feed|nul bytes).*"
    r"|ends: (CRLF|CR|every line twice spaced|blank lines gone)"
    r"|blanks: (leading ones gone|runs collapsed|all collapsed and stripped|tabs to .*)"
    r"|blanks: (none before colon|none before units|before units)"
    r"|characters: (coloured lines|coloured numbers|multiplication sign)"
    r"|encoding: (?!UTF-32|quoted-printable).*"
    r"|log: (no blanks|header)"
    r"|numbers: grouped by '[^_]'"
)
# lines of figures do not say where a prefix ends
FIGURES = ("fio_terse", "fio_log", "fio_hist_log", "diskspd_text")


@pytest.mark.parametrize("name", sorted({format_ for format_, _, _ in fixtures()}))
def test_no_number_changes_or_vanishes_in_silence(name):
    small = sorted((one for one in fixtures() if one[0] == name), key=lambda one: len(one[2]))
    found = list(outcomes(small[:1]))
    assert len(found) > len(cases()) / 3
    silent = [one for one in found if one.verdict in ("lost", "changed")]
    assert [one for one in silent if (one.format, one.case) not in LOST] == []
    same = {one.case for one in found if one.verdict == "same"}
    assert {one.case for one in found if UNDONE.fullmatch(one.case)} <= same
    if name not in FIGURES:
        assert {f"prefix: {prefix}" for prefix in TAKEN_OFF} <= same
