"""On what it was measured: the machine, and the versions of all that took part."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("fiotools", "pandas", "polars", "numpy", "msgspec", "orjson", "lxml", "pyarrow")


def about() -> dict[str, str]:
    """Describe both."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": f"{memory / 2**30:.1f} GiB",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "versions": ", ".join([f"Python {platform.python_version()}", *_versions()]),
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(errors="replace").splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(models), platform.processor() or "an unnamed processor")


def _versions() -> list[str]:
    found = []
    for package in _PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"no {package}")
    if fio := shutil.which("fio"):
        said = subprocess.run([fio, "--version"], capture_output=True, text=True, check=False)
        found.append(said.stdout.strip().replace("fio-", "fio "))
    return found
