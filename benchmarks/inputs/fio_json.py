"""Ordinary JSON of fio: real runs as templates, and copies of them with other figures.

python -m benchmarks.inputs.fio_json templates FOLDER --fio fio
python -m benchmarks.inputs.fio_json scale TEMPLATES FOLDER --files 2000
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import tempfile
from itertools import cycle, product
from pathlib import Path
from random import Random

_NUMBER = re.compile(r"(?<= : )(\d+)(\.\d{6})?(?=,?\n)")
_NONE = "2147483647"  # what fio writes for no least value


def templates(folder: Path, fio: str = "fio") -> None:
    """Run fio on its null engine: 1 to 4 jobs, alone or a group, two depths, two block sizes."""
    folder.mkdir(parents=True, exist_ok=True)
    for jobs, depth, bs, grouped in product([1, 2, 3, 4], [1, 16], ["4k", "64k"], [False, True]):
        name = f"randrw-iodepth-{depth}-numjobs-{jobs}-bs-{bs}-{'g' if grouped else 's'}"
        command = [
            *(fio, "--output-format=json", f"--output={folder.resolve() / name}.json"),
            *("--name=bench", "--ioengine=null", "--rw=randrw", f"--bs={bs}"),
            *(f"--iodepth={depth}", f"--numjobs={jobs}", "--size=64m", "--thread=1"),
            *(["--group_reporting=1"] if grouped else []),
        ]
        with tempfile.TemporaryDirectory() as place:
            subprocess.run(command, check=True, cwd=place, stdout=subprocess.DEVNULL)


def scale(templates: Path, folder: Path, files: int = 2000, seed: int = 1) -> None:
    """Copy the templates in turn; figures of their jobs are changed, zeros and small ones kept."""
    rng = Random(seed)
    texts = [(path.stem, path.read_text()) for path in sorted(templates.glob("*.json"))]
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        stem, text = texts[number % len(texts)]
        factor = math.exp(rng.gauss(0, 0.4))
        factors = cycle([rng.uniform(0.95, 1.05) * factor for _ in range(61)])

        def changed(found: re.Match[str], factors: cycle[float] = factors) -> str:
            whole, decimals = found[1], found[2]
            if whole == _NONE or (whole == "0" and decimals in (None, ".000000")):
                return found[0]
            if decimals is None:
                return whole if int(whole) < 16 else str(int(int(whole) * next(factors)))
            value = float(found[0])
            other = value * next(factors)
            return f"{min(other, 100.0) if value <= 100.0 else other:f}"

        head, mark, rest = text.partition('"jobs" : [')
        copy = head + mark + _NUMBER.sub(changed, rest)
        (folder / f"{stem}-{number:06d}.json").write_text(copy, newline="")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    verbs = parser.add_subparsers(required=True)
    one = verbs.add_parser("templates")
    one.add_argument("folder", type=Path)
    one.add_argument("--fio", default="fio")
    one.set_defaults(make=templates)
    other = verbs.add_parser("scale")
    other.add_argument("templates", type=Path)
    other.add_argument("folder", type=Path)
    other.add_argument("--files", type=int, default=2000)
    other.add_argument("--seed", type=int, default=1)
    other.set_defaults(make=scale)
    options = vars(parser.parse_args())
    options.pop("make")(**options)


if __name__ == "__main__":
    main()
