"""The answers are right as often as they say: a short form of `benchmarks.coverage`.

The bounds are four standard errors and more from what many trials give.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import series
from benchmarks.coverage.ratios import ratio_coverage


@pytest.mark.parametrize(("runs", "cells"), [(3, 1), (10, 1), (3, 4)])
def test_the_interval_of_a_ratio(runs, cells):
    reduced, naive = ratio_coverage(runs, cells, 1000, np.random.default_rng(7))
    assert 0.92 < reduced < 0.985
    if cells > 1:
        assert naive < 0.75, "cells of one run are no repeats"


@pytest.mark.parametrize("n", [60, 300])
@pytest.mark.parametrize("name", ["rho 0", "rho 0.8", "rho 0.95", "rho -0.6", "gamma, shape 1"])
def test_the_interval_of_the_mean_of_a_series(n, name):
    make = (series.AUTOREGRESSIVE | series.SKEWED)[name]
    held, none, _ = series.coverage(*make(n, 800, np.random.default_rng(11)))
    assert 0.93 < held.mean() < 0.998
    assert not none.any()


@pytest.mark.parametrize(("n", "none"), [(60, (0.62, 0.77)), (1000, (0.0, 0.02))])
def test_the_interval_of_the_mean_of_a_series_with_stalls(n, none):
    for slow, noise in series.STALLS.values():
        seen, held = series.stalled(n, slow, noise, 800, np.random.default_rng(5))
        assert held[seen].mean() > 0.9
        assert none[0] <= 1 - seen.mean() <= none[1]
