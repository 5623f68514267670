"""Example data that comes with the library: the raw files of the articles.

A checkout has the files in ``data/``; an installed library has them inside.
"""

from __future__ import annotations

from pathlib import Path

from fiotools.errors import SchemaError
from fiotools.input.read import read_files
from fiotools.input.sources import find
from fiotools.tables.results import Results

_HERE = Path(__file__).resolve().parents[1]
# the path template of each example, whose braces become labels, and a description
_EXAMPLES = {
    "dda-vhdx": ("xml/{volume}.xml", "DISKSPD on three volumes"),
    "how-many-runs": (
        "rounds/{workload}_{filesystem}_{round:d}.json",
        "24 rounds of two fio jobs on ext4 and XFS",
    ),
    "lima-mounts": ("fio/{mount}_{pattern}.txt", "fio on three mounts of a virtual machine"),
    "own-disk": (
        "{experiment}/{place}_{workload}_{round:d}.*",
        "what fiotools measure does, on three file systems",
    ),
    "page-cache": ("{cache}.txt", "cat of one file, before and after it was cached"),
    "per-io-log": ("mixed*.*", "each I/O of two fio jobs, and their histograms"),
    "sweep": (
        "{place}/{rw}_qd{iodepth:d}_jobs{numjobs:d}_{round:d}.json",
        "fio at three queue depths and two job counts, on a file system and in an image file",
    ),
    "wsl-filesystems": (
        "{filesystem}_{operation}_{size}_{round:d}.txt",
        "dd at five block sizes on three file systems",
    ),
    "wsl-vhdx": ("{drive}_{mount}_{operation}.txt", "dd of 20 GiB in WSL, 12 ways"),
}


def example(name: str | None = None) -> Results:
    """Read example data that comes with fiotools.

    Parameters
    ----------
    name : str
        ``dda-vhdx``, ``how-many-runs``, ``lima-mounts``, ``own-disk``, ``page-cache``,
        ``per-io-log``, ``sweep``, ``wsl-filesystems`` or ``wsl-vhdx``.

    Returns
    -------
    Results
        With labels from the file names, as `read` makes them from a path template. ``source`` is
        the path in the project's repository, ``data/...``.

    Raises
    ------
    SchemaError
        If there is no such example, or no name; the message lists all names.

    See Also
    --------
    example_path : The folder of the raw files.

    Examples
    --------
    >>> import fiotools as ft
    >>> res = ft.example("dda-vhdx")
    >>> res
    <Results: 3 files, DISKSPD 2.0.21a, 3 runs, 36 settings, 27 io rows, 3 extras, 0 notes>
    >>> res.runs["volume"].tolist()
    ['mirror', 'nvme', 'vhdx']
    """
    folder = example_path(name)
    template, _ = _EXAMPLES[folder.name]
    start = len(folder.as_posix())
    found = find(f"{folder.as_posix()}/{template}")
    return read_files([one._replace(name=f"data/{folder.name}{one.name[start:]}") for one in found])


def example_path(name: str | None = None) -> Path:
    """Return the folder with the raw files of an example.

    Parameters
    ----------
    name : str
        As in `example`.

    Returns
    -------
    pathlib.Path
        Its ``README.md`` says where the files come from.

    Raises
    ------
    SchemaError
        If there is no such example, or no name; the message lists all names.

    Examples
    --------
    >>> import fiotools as ft
    >>> sorted(file.name for file in ft.example_path("dda-vhdx").glob("xml/*"))
    ['mirror.xml', 'nvme.xml', 'vhdx.xml']
    """
    if name is None or name not in _EXAMPLES:
        known = ", ".join(f"{one} ({about})" for one, (_, about) in _EXAMPLES.items())
        which = "name an example" if name is None else f"{name!r} is not an example"
        raise SchemaError(f"{which}; there are: {known}")
    inside = _HERE / "examples" / name
    folder = inside if inside.is_dir() else _HERE.parent / "data" / name
    if not folder.is_dir():
        raise SchemaError(f"{folder}: the example data is not installed; reinstall fiotools")
    return folder
