"""How often `check` accuses honest runs: an eighth of the corpus, and all known devices."""

import pytest

from benchmarks.false_alarms import CORPUS, DISHONEST, count

pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="../shared/corpus does not lie beside the project"
)


def test_honest_runs_are_not_accused():
    told = count(every=8)
    assert told.runs > 120
    assert not told.unclear
    assert set(told.impossible) <= set(DISHONEST)
    assert len(told.without) <= 0.02 * told.runs, told.without
    # what is suspected is suspected for many causes, so that a check gone blind is seen
    assert {"copying", "dd_flush", "dd_source", "dd_time", "flush"} <= {
        check for check, _ in told.suspects
    }


def test_honest_runs_on_a_known_device_are_not_accused():
    told = count(devices=True)
    assert told.runs > 8
    assert not told.impossible
    assert not told.suspects
