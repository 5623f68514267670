"""A plot as a piece of a page: a picture inside it, what it shows for screen readers, a caption."""

from __future__ import annotations

import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiotools.errors import SchemaError
from fiotools.reports.blocks import Block, paragraph, picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH = 5.2  # inches: its letters can be read on a phone
_LETTERS = 66  # small letters in a line of such a figure
_LINE = 0.16  # inches
_BESIDE = 2  # panels that have room beside each other


def drawn(shows: str, caption: str, draw: Callable[..., Any], *given: Any, **named: Any) -> Block:
    """Draw a plot; if it is refused, say why in its place. The look of the caller's plots stays.

    ``shows`` is what is to be seen, for people who cannot see it; ``caption`` says how to read it.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    from fiotools.plot import save, style
    from fiotools.plot.style import figure_of

    with mpl.rc_context(), tempfile.TemporaryDirectory(prefix="fiotools-report-") as folder:
        style()
        try:
            figure = figure_of(draw(*given, **named))
        except SchemaError as error:
            plt.close()
            return paragraph(f"Not drawn: {error}.", "how")
        _narrowed(figure)
        (file,) = save(figure, Path(folder, "plot.svg"))
        plt.close(figure)
        return picture(file.read_bytes(), shows, caption)


def _narrowed(figure: Figure) -> None:
    """Make a figure as wide as a page allows on a phone, and wrap the notes below it."""
    place = figure.axes[0].get_subplotspec()
    if place is not None and place.get_gridspec().ncols > _BESIDE:
        return
    more = 0
    for note in figure.texts:
        lines = note.get_text().split("\n")
        wrapped = [part for line in lines for part in textwrap.wrap(line, _LETTERS)]
        more += len(wrapped) - len(lines)
        note.set_text("\n".join(wrapped))
    figure.set_size_inches(_WIDTH, figure.get_figheight() + _LINE * more)
