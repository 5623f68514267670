"""`report`: the pieces of a study in one HTML page.

The page needs no other files and no network, and has no scripts.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fiotools.display.columns import printable
from fiotools.errors import ReportError
from fiotools.files import atomic_write
from fiotools.progress import bar
from fiotools.reports.blocks import NOTHING, Block, Heading, paragraph
from fiotools.words import slug

if TYPE_CHECKING:
    from fiotools.reports.study import Study
    from fiotools.tables.results import Results

_TEMPLATES = Path(__file__).parent / "templates"
_CHECKED = (
    "Every run is tested against physics, arithmetic and its own options, with what the manifest "
    "or the caller knows about the machine."
)
_UNITS = "In base units: bytes, bytes per second, seconds, and nanoseconds for latencies."


@dataclass(frozen=True)
class Written:
    """A report that was written."""

    path: Path
    size: int  # in bytes
    unread: list[str]  # the files that could not be read


def report(
    sources: Results | Any,
    output: str | os.PathLike[str] = "report.html",
    *,
    between: str | None = None,
    baseline: Any = None,
    metric: str | None = None,
    by: str | Sequence[str] | None = None,
    title: str | None = None,
    question: str | None = None,
    lang: Literal["en", "ja"] = "en",
    ram: str | float | None = None,
    host_ram: str | float | None = None,
    link: str | float | None = None,
    media: Literal["hdd", "sata-ssd", "nvme", "ram"] | None = None,
    devices: int | None = None,
    cache: Literal["cold", "warm"] | None = None,
    sides: Literal["layer", "device", "mirror", "cache"] | None = None,
    copies: int | Mapping[str, int] | None = None,
    speedup_max: float | None = None,
    moved: str | float | None = None,
    capacity: str | float | None = None,
    prefilled: bool = False,
    compression: float | None = None,
) -> Written:
    """Write a page: the verdict in words, plots, credibility, how it was measured.

    The page needs no other file and no network. Its title is the main finding. Without labels, each
    file or folder is a side.

    Parameters
    ----------
    sources : path, list of paths, mapping of label to paths, or Results
        The folder of a campaign of ``fiotools measure``, a folder that holds several, or whatever
        `fiotools.read` takes; or what was read, without its files to save from the page.
    output : path
        The page, a file that ends in .html.
    between : str, optional
        The column that holds the sides; by default what tells them apart. That is the question of
        the experiment, or labels, the path template, names of files or columns of the runs.
    baseline : value, optional
        The side that the others are divided by; by default the first.
    metric : str, optional
        The column to compare: iops, bw, real, lat_mean, ...
    by : str or sequence of str, optional
        Compare separately within each combination of these columns.
    title : str, optional
        The title of the page; by default the main finding.
    question : str, optional
        The question that the page answers.
    lang : {"en", "ja"}
        The language of the plots. The page is English.
    ram : str or number, optional
        Memory of the machine that ran the tool: ``"8GB"``, or a file with the output of ``free``.
    host_ram : str or number, optional
        Memory of the host if the machine is a guest. 0 means that there is no host.
    link : str or number, optional
        The link to the device: ``"usb3-5g"``, ``"sata-3"``, ``"pcie4-x4"``, or a rate.
    media : {"hdd", "sata-ssd", "nvme", "ram"}, optional
        The kind of the device.
    devices : int, optional
        The number of devices, each with a link of its own.
    cache : {"cold", "warm"}, optional
        The cache that was meant to be measured.
    sides : {"layer", "device", "mirror", "cache"}, optional
        The kind of the sides, as in `check`.
    copies : int or mapping of level to int, optional
        Copies that a mirror writes.
    speedup_max : float, optional
        The most that the cache gains, known from elsewhere.
    moved : str or number, optional
        Bytes that each timed command moved, if no tool says it.
    capacity : str or number, optional
        The capacity of the SSD.
    prefilled : bool, optional
        The file was full of data before it was read.
    compression : float, optional
        How many times smaller the data is below the files, if something packs it.

    Returns
    -------
    Written
        Its ``path``, its ``size`` in bytes, and ``unread``: the files that could not be read.

    Raises
    ------
    ReportError
        If a package of ``fiotools[report]`` is missing.
    SchemaError
        If no file can be read, or a column does not exist.

    See Also
    --------
    check : What the facts about the machine are for.

    Examples
    --------
    >>> import fiotools as ft
    >>> ft.report("campaigns/", "report.html", title="My disks")  # doctest: +SKIP
    """
    known: dict[str, Any] = {
        "ram": ram,
        "host_ram": host_ram,
        "link": link,
        "media": media,
        "devices": devices,
        "cache": cache,
        "sides": sides,
        "copies": copies,
        "speedup_max": speedup_max,
        "moved": moved,
        "capacity": capacity,
        "prefilled": prefilled,
        "compression": compression,
    }
    try:
        import jinja2  # noqa: F401
    except ModuleNotFoundError:
        how = "python -m pip install 'fiotools[report]'"
        raise ReportError(f"report needs jinja2: {how}") from None
    atomic_write.refuse_missing_folder(Path(output))
    from fiotools.reports.study import study

    found = study(sources, between=between, baseline=baseline, metric=metric, by=by, **known)
    made = _page(found, [*_blocks(found, lang)], title, question)
    content = made.encode("utf-8", "surrogateescape")
    atomic_write.write_bytes(Path(output), content)
    return Written(Path(output), len(content), found.unread["source"].tolist())


def _blocks(found: Study, lang: str) -> Iterator[Block]:
    """Give the pieces of a page in their order."""
    yield Heading("The verdict", 2)
    yield found.verdict()
    yield from _drawn(found, lang)
    if (why := found.explained()) is not NOTHING:
        yield Heading("Why do they differ?", 2)
        yield why
    yield Heading("Can it be true?", 2)
    yield paragraph(_CHECKED)
    yield found.credibility()
    yield Heading("Which options were set, and where do they differ?", 2)
    yield found.settings()
    yield Heading("The raw tables", 2)
    yield paragraph(_UNITS)
    yield found.tables()
    yield Heading("How it was measured", 2)
    yield found.measured()
    yield Heading("What was noticed while reading the files", 2)
    yield found.remarks()


def _drawn(found: Study, lang: str) -> Iterator[Block]:
    """Draw the plots of each part; the look and the language of the caller's own plots stay."""
    from fiotools.language import speaking
    from fiotools.plot import style
    from fiotools.plot.look import settings

    with (
        tempfile.TemporaryDirectory(prefix="fiotools-report-") as folder,
        settings(),
        speaking(lang),
        bar(desc="drawing", unit=" plots", delay=1) as line,
    ):
        style(lang=lang)
        for part in found.parts:
            yield Heading(part.title, 2)
            for pieces in part.figures(folder, "svg"):
                yield from pieces
                line.update()


@dataclass(frozen=True)
class _Head:
    """A heading, as the contents name it and link to it."""

    name: str
    words: str
    below: list[_Head] = field(default_factory=list)


def _page(found: Study, blocks: Sequence[Block], title: str | None, question: str | None) -> str:
    """Put the pieces into the page, and list their headings."""
    from jinja2 import Environment, FileSystemLoader

    from fiotools._version import __version__
    from fiotools.display.html import STYLE

    names = [*_names(blocks)]
    heads: list[_Head] = []
    for block, name in zip(blocks, names, strict=True):
        if isinstance(block, Heading):
            own = heads if block.level == 2 else heads[-1].below
            own.append(_Head(name, block.words))
    environment = Environment(
        autoescape=True, keep_trailing_newline=True, loader=FileSystemLoader(_TEMPLATES)
    )
    return environment.get_template("page.html.j2").render(
        version=__version__,
        title=printable(title if title is not None else found.headline),
        question=printable(question if question is not None else found.question),
        sheets=STYLE,
        about=found.about(),
        heads=heads,
        blocks=zip(blocks, names, strict=True),
    )


def _names(blocks: Iterable[Block]) -> Iterator[str]:
    """Name each heading, no two alike, for links; other pieces have no name."""
    taken: set[str] = set()
    for block in blocks:
        if not isinstance(block, Heading):
            yield ""
            continue
        name = base = slug(block.text)
        number = 2
        while name in taken:
            name, number = f"{base}-{number}", number + 1
        taken.add(name)
        yield name
