"""For nbval: tables as wide as `tools.kernel` makes them, and no bar; kernels start again.

For all: the figures of a test or an example are closed.
"""

import os
import sys

import pytest
from nbval import kernel

from tools.kernel import ENVIRONMENT, STARTS


@pytest.fixture(autouse=True)
def closed_figures():
    """Close what was drawn."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


start_once = kernel.start_new_kernel


def start_new_kernel(*args, **options):
    """Start a kernel again that ends before it has answered, as `run_cells` does."""
    os.environ |= {name: ENVIRONMENT[name] for name in ("COLUMNS", "TQDM_DISABLE")}
    for _ in range(STARTS - 1):
        try:
            return start_once(*args, **options)
        except RuntimeError:  # nbval has said so, and cleared up
            continue
    return start_once(*args, **options)


kernel.start_new_kernel = start_new_kernel
