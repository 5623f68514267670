"""How long it takes until anything happens: imports, help, and one small file, as whole processes.

Nothing is subtracted here. The Python that does nothing stands beside them.
"""

from __future__ import annotations

import sys
from statistics import median
from typing import Any

from benchmarks.process import ROOT, run

_FILE = (ROOT / "data" / "how-many-runs" / "depth" / "16_1.json").as_posix()
COMMANDS = {
    "python, nothing": ["-c", "pass"],
    "import pandas, polars": ["-c", "import pandas, polars"],
    "import fiotools": ["-c", "import fiotools"],
    "fiotools --help": ["-m", "fiotools", "--help"],
    "fiotools read FILE": ["-m", "fiotools", "read", _FILE],
    "ft.read(FILE)": ["-c", f"import fiotools as ft; ft.read({_FILE!r})"],
}


def measure(rounds: int) -> dict[str, Any]:
    """Run each command in turn, and give its CPU seconds by round."""
    found: dict[str, Any] = {name: [] for name in COMMANDS}
    for number in range(rounds + 1):
        for name, arguments in COMMANDS.items():
            usage = run([sys.executable, *arguments])
            if number:  # the first warms the caches
                found[name].append(usage.cpu_s)
    return found


def goals(found: dict[str, Any]) -> list[tuple[str, str, float, float, str]]:
    """Give what is measured, the bound in words, the figure, the bound, and their unit."""
    took = {name: median(cpu) for name, cpu in found.items()}
    times = took["import fiotools"] / took["import pandas, polars"]
    return [
        ("import fiotools", "<= 1.3x the import of pandas and polars", times, 1.3, "x"),
        ("fiotools --help", "< 0.3 s", took["fiotools --help"], 0.3, "s"),
    ]
