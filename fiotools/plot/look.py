"""One look: colours, markers, fonts, and what is light or dark on the ground it is drawn on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
import seaborn as sns
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from numpy.typing import NDArray

from fiotools.errors import SchemaError, argument, similar
from fiotools.plot import letters

# Okabe and Ito's, in an order in which the first few differ for the colour-blind too
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#CC79A7", "#000000")
GOOD, ODD = "#009E73", "#D55E00"
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
LINES = ("-", "--", ":", "-.")
GREY = "#6E6E6E"
RULE = "#E3E3E3"
PALE = 0.55  # luminance from which on words are black

# fonts come with matplotlib, ids are salted and dates left out, so that a file changes only if the
# picture does
RC: Any = {  # matplotlib's stubs list all 300 keys as literals
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],  # of an SVG's reader, as wide as ours
    "font.size": 10,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.fontsize": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.labelsize": 10,
    "axes.prop_cycle": cycler(color=PALETTE),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "grid.color": RULE,
    "ytick.left": False,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 150,
    "svg.hashsalt": "fiotools",
    "svg.fonttype": "none",  # text stays text: it is searched, copied and edited
    "pdf.fonttype": 42,
}
_SMALL = 0.833  # of the letters' size: "small"


# inches of width and points of letters: on screens, in a column of a paper, over its page
FORMATS = {"": (7.0, 10.0), "column": (3.4, 8.0), "page": (7.0, 8.0)}
CONTEXTS = {"": "notebook", "column": "paper", "page": "paper"}  # of seaborn
in_use = ""  # a key of FORMATS


def width() -> float:
    """Return how wide a new plot is, in inches."""
    return FORMATS[in_use][0]


def scale() -> float:
    """Return the size of letters, lines and rows, against those on screens."""
    return FORMATS[in_use][1] / FORMATS[""][1]


def rc() -> Any:
    """Return `RC` in the format in use, with the fonts of the current language."""
    weight = RC["axes.titleweight"] if letters.has_bold() else "normal"
    fonts = {"font.family": letters.family(), "axes.titleweight": weight}
    if not in_use:
        return {**RC, **fonts}
    sizes = {name: RC[name] * scale() for name in RC if name.endswith(("size", "pad"))}
    return {**RC, **sizes, **fonts, "savefig.dpi": 300}


@contextmanager
def look() -> Iterator[None]:
    """Give new Axes the look of `style`, even if nobody called it.

    The first figure of a session loads the backend, and a notebook's backend then switches on that
    figures are shown; a bare ``rc_context`` would switch it off again (matplotlib's issue 24351).
    """
    own = {**sns.plotting_context(CONTEXTS[in_use]), **sns.axes_style("whitegrid"), **rc()}
    with mpl.rc_context(own):
        yield
        shown = mpl.is_interactive()
    mpl.interactive(shown)


@dataclass(frozen=True)
class Look:
    """The colour, marker and stroke of a group."""

    colour: str
    marker: str
    line: Any = "-"  # matplotlib's stubs list the four as literals


def looks(groups: Sequence[Any], ax: Axes, palette: Any = None) -> dict[Any, Look]:
    """Give each group a look: of the palette that was given or set, numbers from light to dark.

    Markers and strokes change when the colours begin again.
    """
    count = len(groups)
    if palette is not None:
        own = colours_of(palette, groups)
    elif known := chosen():
        own = known
    elif count > 2 and all(isinstance(name, (int, float)) for name in groups):
        own = sns.color_palette("flare", count)
    else:
        own = [*PALETTE[:-1], ink(ax)]  # black is not seen on black
    colours = [one if isinstance(one, str) else to_hex(one) for one in own]
    turns = [divmod(at, len(colours)) for at in range(count)]
    return {
        name: Look(colours[at], MARKERS[(at + turn) % len(MARKERS)], LINES[turn % len(LINES)])
        for name, (turn, at) in zip(groups, turns, strict=True)
    }


def colours_of(palette: Any, groups: Sequence[Any] | None = None) -> Any:
    """Return the colours of groups: by level, in order, or of seaborn by name.

    Without groups they are those of values, from low to high.
    """
    if isinstance(palette, Mapping) and groups is not None:
        if lacking := [repr(name) for name in groups if name not in palette]:
            what = "no level has a colour of its own here"
            if groups != (None,):
                what = f"it has no colour for {', '.join(lacking[:5])}: give each level one"
            raise SchemaError(f"{argument('palette')} names levels, and {what}, or list colours")
        palette = [palette[name] for name in groups]
    is_listed = isinstance(palette, (list, tuple))
    try:
        if groups is not None:
            return sns.color_palette(palette, None if is_listed else len(groups))
        make: Any = sns.blend_palette if is_listed else sns.color_palette
        return make(palette, as_cmap=True)
    except (ValueError, TypeError):
        names = [*mpl.colormaps, *sns.palettes.SEABORN_PALETTES, "husl", "hls"]
        raise SchemaError(
            f"{argument('palette', palette)} is not a palette: name one of seaborn, such as"
            f" 'colorblind', or list colours, such as 'red'{similar(palette, names)}"
        ) from None


def chosen() -> list[Any]:
    """Return the colours that the user set, ``sns.set_palette(...)``; none if they are usual."""
    now = [to_hex(one) for one in mpl.rcParams["axes.prop_cycle"].by_key().get("color", [])]
    plain = mpl.rcParamsDefault["axes.prop_cycle"].by_key()["color"]
    usual = (PALETTE, plain, sns.color_palette("deep"))
    return [] if any(now == [to_hex(one) for one in known] for known in usual) else now


def figure_of(ax: Axes | Figure | NDArray[Any]) -> Figure:
    """Return the figure of Axes, or of the first of several, or itself."""
    if isinstance(ax, Figure):
        return ax
    figure = (ax.flat[0] if isinstance(ax, np.ndarray) else ax).get_figure(root=True)
    if figure is None:
        raise ValueError("these Axes are on no figure")
    return figure


def ground(ax: Axes) -> str:
    """Return the colour behind what is drawn: that of the Axes, or of a figure without axes."""
    colour = to_hex((ax if ax.axison else figure_of(ax)).get_facecolor())
    return "white" if colour == "#ffffff" else colour


def ink(ax: Axes) -> str:
    """Return the colour of words: black, or white on a dark ground."""
    return "black" if luminance(to_rgba(ground(ax))) > PALE else "white"


def shade(ax: Axes, step: int = 0) -> str:
    """Return the grey of an area behind what is drawn, or of a line that is not the matter."""
    greys = ("#EFEFEF", "#C4C4C4") if ink(ax) == "black" else ("#3A3A3A", "#707070")
    return greys[step]


def paper(ax: Axes) -> dict[str, Any]:
    """Return the box that keeps lines from running through a text."""
    return {"facecolor": ground(ax), "edgecolor": "none", "pad": 0.8}


def luminance(colour: Any) -> float:
    """Say how bright a colour looks, from 0 to 1."""
    red, green, blue, _ = colour
    return float(0.299 * red + 0.587 * green + 0.114 * blue)


def size(ax: Axes) -> float:
    """Return the size of the letters of axes in points."""
    return float(ax.xaxis.label.get_fontsize())


def small(ax: Axes) -> float:
    """Return the size of small words: smaller than the labels of the axes in any style."""
    return _SMALL * size(ax)


def points(ax: Axes) -> tuple[float, float]:
    """Return the width and height of Axes in points, as they are before anything is drawn."""
    figure, own = figure_of(ax), ax.get_figure(root=False) or figure_of(ax)
    width, height = 72 * figure.get_size_inches() * own.bbox.size / figure.bbox.size
    box = ax.get_position()
    return float(box.width * width), float(box.height * height)


def thin(lines: Iterable[Line2D]) -> None:
    """Draw lines and markers as thin and small as the letters of the format."""
    for line in lines if in_use else ():
        for name in ("linewidth", "markersize", "markeredgewidth"):
            line.set(**{name: scale() * getattr(line, f"get_{name}")()})


def literal(texts: Iterable[Text]) -> None:
    """Write names as they are: a dollar sign does not begin a formula, and letters have a font."""
    for text in texts:
        text.set_parse_math(False)
        add_fonts(text)


def add_fonts(text: Text) -> None:
    """Let a text take the letters that its own fonts lack from others, such as µ or kana."""
    if not text.get_text().isascii():
        fonts = [*text.get_fontfamily(), *letters.family(text.get_text())]
        text.set_fontfamily([*dict.fromkeys(fonts)])
