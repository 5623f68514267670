"""Execute the notebooks as other processors would, and compare every file that they write.

    python -m tests.dispatch                       all of notebooks/, minutes for each setting
    python -m tests.dispatch notebooks/07*.ipynb   those named

numpy, OpenBLAS and the C library choose their code by what the processor can do, and what they
compute differs in the last bit. Each setting below takes such code away, or asks for another's. A
processor shows only what it has itself: begin on one with AVX-512. Prints, for each setting, the
files that differ from those of the checkout; the checkout is not written.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.conftest import ROOT

SETTINGS = {
    "as it comes": {},
    "numpy without X86_V4": {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"},
    "numpy without X86_V3": {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"},
    "OpenBLAS for Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "OpenBLAS for Nehalem": {"OPENBLAS_CORETYPE": "Nehalem"},
    "OpenBLAS for SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "libm without AVX2, FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"},
}
WRITTEN = ("notebooks/*.ipynb", "figures/*.svg", "figures/*.png", "figures/SHA256SUMS")
READ = ("notebooks", "figures", "data", "benchmarks", "tests/fixtures")


def copied(folder: Path) -> None:
    """Copy what the notebooks read and write."""
    for name in READ:
        shutil.copytree(ROOT / name, folder / name)


def written(root: Path) -> dict[str, bytes]:
    """Read the files that a run of the notebooks writes, by their names."""
    files = [file for pattern in WRITTEN for file in root.glob(pattern) if file.is_file()]
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in files}


def differing(setting: dict[str, str], notebooks: Iterable[str] = ()) -> list[str]:
    """Run the notebooks under a setting, and name the files that differ from the checkout's."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copied(folder)
        command = [sys.executable, "-m", "tools.notebooks", *notebooks]
        quiet = subprocess.DEVNULL
        subprocess.run(command, cwd=folder, env={**os.environ, **setting}, stdout=quiet, check=True)
        here, there = written(ROOT), written(folder)
    return sorted(name for name in here | there if here.get(name) != there.get(name))


def main(argv: list[str] | None = None) -> int:
    """Try every setting, and print a row for each as soon as it is known."""
    parser = argparse.ArgumentParser(prog="tests.dispatch", description="Compare processors.")
    parser.add_argument("notebooks", nargs="*", help="default: all of notebooks/")
    asked = parser.parse_args(argv).notebooks
    width = max(map(len, SETTINGS))
    print(f"{'setting':{width}}  files that differ, of {len(written(ROOT))}", flush=True)
    several = 0
    for name, setting in SETTINGS.items():
        files = differing(setting, asked)
        several += len(files)
        print(f"{name:{width}}  {len(files)}  {', '.join(files)}".rstrip(), flush=True)
    return 1 if several else 0


if __name__ == "__main__":
    sys.exit(main())
