"""The intervals hold the truth as often as they say: a short form of `benchmarks.coverage`.

The bounds are five standard errors and more from what many trials give.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import ratio_coverage, series_coverage


@pytest.mark.parametrize(("runs", "cells"), [(3, 1), (10, 1), (3, 4)])
def test_the_interval_of_a_ratio(runs, cells):
    reduced, naive = ratio_coverage(runs, cells, 1000, np.random.default_rng(7))
    assert 0.92 < reduced < 0.985
    if cells > 1:
        assert naive < 0.75, "cells of one run are no repeats"


@pytest.mark.parametrize(
    ("n", "rho", "low", "naive"),
    [
        (120, 0.0, 0.92, (0.92, 0.98)),
        (120, 0.8, 0.88, (0.40, 0.58)),
        (300, 0.6, 0.91, (0.59, 0.75)),
    ],
)
def test_the_interval_of_a_series(n, rho, low, naive):
    batches, singles = series_coverage(n, rho, 1000, np.random.default_rng(11))
    assert low < batches < 0.985
    assert naive[0] < singles < naive[1]
