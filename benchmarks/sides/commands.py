"""What is timed as a whole process, from its start to its end: what is typed after ``python``."""

from __future__ import annotations

from benchmarks.process import ROOT

_JSON = (ROOT / "data" / "how-many-runs" / "depth" / "16_1.json").as_posix()
_XML = [file.as_posix() for file in sorted((ROOT / "data" / "dda-vhdx" / "xml").glob("*.xml"))]

COMMANDS = {
    "import_pandas_and_polars": ["-c", "import pandas, polars"],
    "import_polars": ["-c", "import polars"],
    "import_fiotools": ["-c", "import fiotools"],
    "help": ["-m", "fiotools", "--help"],
    "read": ["-m", "fiotools", "read", _JSON],
    "compare": ["-m", "fiotools", "compare", *_XML, "--metric", "iops", "--by", "direction"],
    "ft_read": ["-c", f"import fiotools as ft; ft.read({_JSON!r})"],
    "ft_read_io": ["-c", f"import fiotools as ft; ft.read({_JSON!r}).io"],
}
