"""One look for all plots, and the same bytes every time they are saved.

Colours are Okabe and Ito's, told apart by colour-blind readers and, with the markers, in greyscale.

`tools.notebooks` may ask for all figures of a run in another language: it names the
language in an environment variable, which is what `style` then takes by default, and `save` writes
the figures into a folder of that name.

An SVG is the same on every processor: matplotlib writes six decimals, and the layout puts edges in
the middle between two of them; then the last bit of a logarithm, which differs between processors,
tells which one is written. So coordinates are rounded to a thousandth of a point, which is finer
than any screen or printer.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import matplotlib as mpl
import narwhals as nw
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from numpy.typing import NDArray

from fiotools.errors import SchemaError, argument, similar
from fiotools.files import atomic_write, digest
from fiotools.plot import frame, letters, look, spoken, words
from fiotools.stats.frames import distinct, optional
from fiotools.tables.results import Results

_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_SOURCE_KEY = {"svg": "Source", "png": "Source", "pdf": "Subject"}
_LANGUAGE = "FIOTOOLS_FIGURES_LANG"
_TITLE = 11  # points
_BOLD = withStroke(linewidth=0.4, foreground=".15")  # the letters' own grey
# words stay, and factors, which a thousandth would blur; "-0" is a zero with such a last bit
_NUMBER = re.compile(
    r"<metadata>.*?</metadata>|<!--.*?-->|(?:scale|matrix)\([^)]*\)"
    r'|id="(?:finds|shows)-[^"]*"'
    r'|(?P<number>-?\d+\.\d{4,}|(?<=["(\s])-0(?=[")\s]))',
    re.DOTALL,
)
# of clip paths, markers, hatches, images and collections: a hash of what they hold, to the last bit
_NAMED = re.compile(r'(?<=id=")([pmh]|image|C[0-9a-f]+_[0-9a-f]+_)[0-9a-f]+(?=")')


class _Applied(ExitStack):
    """A style that ``with`` undoes; a notebook shows nothing of it, a terminal its name."""

    name = "style"

    def __repr__(self) -> str:
        return self.name

    def _ipython_display_(self) -> None:
        pass


def style(size: str = "", *, lang: str | None = None) -> AbstractContextManager[Any]:
    """Set matplotlib to the look of the project's plots: for the session, or within ``with``.

    Parameters
    ----------
    size : {"column", "page"}, optional
        For print: new plots are as wide as a column (3.4 in, 86 mm) or a page (7 in, 178 mm) of a
        paper, with letters of 8 points, thinner lines, and 300 dots per inch. By default plots are
        7 in wide with letters of 10 points, for screens.
    lang : {"en", "ja"}, optional
        The language of names and short words on plots from now on; English by default. Frames,
        messages and longer sentences stay English. Titles and names in the file
        ``figures.<lang>.toml`` of the working folder are translated.

    Raises
    ------
    SchemaError
        If the size or the language is not known, or its letters are not installed (Japanese:
        ``python -m pip install 'fiotools[ja]'``).

    Examples
    --------
    >>> import fiotools as ft
    >>> with ft.plot.style("column"):
    ...     ax = ft.plot.percentiles(ft.example("lima-mounts").where("pattern=randwrite"))
    >>> print(ax.figure.get_figwidth())
    3.4
    """
    if size not in look.FORMATS:
        hint = similar(size, look.FORMATS)
        raise SchemaError(f"{argument('size', size)} is not a size of plots: column, page{hint}")
    code = lang or _asked()
    letters.load_font(code)
    # a notebook's backend, which the first figure loads, switches on that figures are shown
    kept = ("backend", "interactive")
    before: Any = {name: value for name, value in mpl.rcParams.items() if name not in kept}
    applied = _Applied()
    applied.name = f"style {size}".strip()
    applied.callback(words.use, words.code())
    applied.callback(setattr, look, "in_use", look.in_use)
    applied.callback(mpl.rcParams.update, before)
    words.use(code)
    look.in_use = size
    sns.set_theme(context=look.CONTEXTS[size], style="whitegrid", rc=look.rc())
    mpl.rcParams.update(look.rc())  # set_theme puts its own font.family over ours
    return applied


def _asked() -> str:
    """Return the language that the runner of the notebooks asks for."""
    return os.environ.get(_LANGUAGE) or words.ENGLISH


def title(ax: Axes | Figure | NDArray[Any], text: str) -> None:
    """Write a title above a plot, from its left edge, in lines that fit its width.

    On Axes of your own it is the title of the Axes, of the first of several.

    Parameters
    ----------
    ax : matplotlib.axes.Axes, numpy.ndarray of them, or matplotlib.figure.Figure
    text : str

    Examples
    --------
    >>> import fiotools as ft
    >>> t = ft.read("data/page-cache/{cache}.txt").timings
    >>> ft.plot.title(ft.plot.timings(t, y="cache"), "The second read takes a tenth of the time")
    """
    figure = look.figure_of(ax)
    text = words.called(text)
    scale = look.scale()
    how: Any = {"size": scale * _TITLE, "weight": "bold"}
    if not isinstance(ax, Figure) and figure not in frame.OWN:
        first = ax.flat[0] if isinstance(ax, np.ndarray) else ax
        lines = letters.wrapped(text, letters.room(look.points(first)[0], scale * _TITLE))
        panel = first.get_title(loc="left")
        _bold(first.set_title("\n".join(filter(None, (lines, panel))), loc="left", **how))
        return
    shown = figure.suptitle(text, x=0.01, ha="left", **how)
    shown.set_gid("title")
    _bold(shown)
    room = figure.bbox.width * 0.93  # letters are a little wider at another resolution
    most = 0
    # the fewest lines that fit, and of those the narrowest, so that no word stands alone
    for letters_of in range(max(12, letters.width(text)), 11, -1):
        lines = letters.wrapped(text, letters_of)
        if most and lines.count("\n") + 1 > most:
            break
        shown.set_text(lines)
        if shown.get_window_extent().width <= room:
            most = lines.count("\n") + 1
    if figure in frame.OWN:
        more = scale * (0.2 * (shown.get_text().count("\n") + 1) + 0.05)
        figure.set_figheight(figure.get_figheight() + more)


def _bold(shown: Text) -> None:
    """Give a title the letters that it needs, in bold where the font has none."""
    look.add_fonts(shown)
    if not letters.has_bold():
        shown.set(weight="normal", path_effects=[_BOLD])


def save(
    ax: Axes | Figure | NDArray[Any],
    path: str | os.PathLike[str],
    *,
    data: Any = None,
    formats: Sequence[str] = ("svg", "png"),
) -> list[Path]:
    """Write a plot to files, the same bytes every time.

    Parameters
    ----------
    ax : matplotlib.axes.Axes, numpy.ndarray of them, or matplotlib.figure.Figure
    path : str or path-like
        With a suffix, that one file; without, one file for each of ``formats``.
    data : Results or frame, optional
        The data that was drawn: the metadata records the files in its ``source`` column with their
        SHA-256.
    formats : sequence of str
        Of ``svg``, ``png``, ``pdf``.

    Returns
    -------
    list of pathlib.Path
        The files. One that already has these bytes is left alone.

    Examples
    --------
    >>> import fiotools as ft
    >>> t = ft.read("data/page-cache/{cache}.txt").timings
    >>> ax = ft.plot.timings(t, y="cache")
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file.name for file in ft.plot.save(ax, f"{folder}/cache", data=t)]
    ['cache.svg', 'cache.png']
    """
    figure = look.figure_of(ax)
    target = Path(path)
    suffix = target.suffix.lstrip(".")
    kinds = [suffix] if suffix else [formats] if isinstance(formats, str) else formats
    for kind in kinds:
        if kind.lower() not in _METADATA:
            raise ValueError(
                f"{target.name}: a plot is saved as {', '.join(_METADATA)}, not {kind!r}"
            )
    folder = target.parent if _asked() == words.ENGLISH else target.parent / _asked()
    files = [folder / f"{target.stem}.{kind}" for kind in kinds]
    source = None if data is None else _provenance(data, target.parent)
    folder.mkdir(parents=True, exist_ok=True)
    for text in figure.findobj(Text):  # what was written without fiotools, such as titles of Axes
        assert isinstance(text, Text)
        if (known := words.called(text.get_text())) != text.get_text():
            text.set_text(known)
    for file in files:
        kind = file.suffix.lstrip(".").lower()
        metadata = {**_METADATA[kind], _SOURCE_KEY[kind]: source}
        buffer = io.BytesIO()
        with mpl.rc_context(look.rc()):
            figure.savefig(buffer, format=kind, metadata=metadata)
        content = buffer.getvalue()
        if kind == "svg":
            panels = [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes]
            alone = panels[0] if len(panels) == 1 else ""
            title = " ".join((figure.get_suptitle() or alone).split())
            content = spoken.titled(settled(content.decode()), title, panels).encode()
        _write(file, content)
    return files


def _write(file: Path, content: bytes) -> None:
    """Write a file at once, and only if it changes."""
    if not (file.exists() and file.read_bytes() == content):
        atomic_write.write_bytes(file, content)
    # the notebook runner collects here what a run has drawn, to find figures that nothing draws
    if log := os.environ.get("FIOTOOLS_FIGURES_LOG"):
        with Path(log).open("a", encoding="utf-8") as lines:
            lines.write(f"{file.resolve()}\n")


def _provenance(data: Any, folder: Path) -> str:
    """Name the files behind a figure, from the figures' parent folder, with their hashes."""
    frames = list(data.tables.values()) if isinstance(data, Results) else [data]
    try:
        tables = [nw.from_native(frame, eager_only=True) for frame in frames]
    except TypeError:
        kind = type(data).__name__
        raise SchemaError(
            f"data= must be the Results or the frame that was drawn, not {kind}"
        ) from None
    names = {name for table in tables for name in distinct(optional(table, "source"))}
    root = folder.resolve().parent
    known = []
    for name in names:
        file, place, told = Path(name), name, "-"
        if file.is_file():
            place, told = os.path.relpath(file.resolve(), root), digest(file)[:16]
        known.append(f"{place.replace(os.sep, '/')} sha256:{told}")
    return "; ".join(sorted(known))


def settled(svg: str) -> str:
    """Round the coordinates of an SVG by matplotlib, and name its parts by their order.

    Examples
    --------
    >>> settled('<path d="M 62.645553 -0 L 1.5 7.99951" transform="scale(0.015625)"/>')
    '<path d="M 62.646 0 L 1.5 8" transform="scale(0.015625)"/>'
    """
    svg = _NUMBER.sub(lambda found: _rounded(found["number"]) if found["number"] else found[0], svg)
    names = {found[0]: f"{found[1]}{at}" for at, found in enumerate(_NAMED.finditer(svg))}
    if not names:
        return svg
    name = re.compile("|".join(names))
    # a page may hold several figures, whose parts must not be taken for each other
    figure = hashlib.sha256(name.sub("", svg).encode()).hexdigest()[:8]
    return name.sub(lambda found: f"{names[found[0]]}-{figure}", svg)


def _rounded(number: str) -> str:
    text = f"{float(number):.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
