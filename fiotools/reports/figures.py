"""A plot as a piece of a page: a picture inside it, what it shows for screen readers, a caption."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from fiotools.errors import SchemaError
from fiotools.reports.blocks import Block, paragraph, picture

_WIDTH = 5.2  # inches: its letters can be read on a phone
_BESIDE = 2  # panels that have room beside each other in this width


def drawn(shows: str, caption: str, kind: Callable[..., Any], *given: Any, **named: Any) -> Block:
    """Draw a plot; if it is refused, say why in its place. The look of the caller's plots stays.

    ``shows`` is what is to be seen, for people who cannot see it; ``caption`` says how to read it,
    and the notes of the plot follow it.
    """
    import matplotlib.pyplot as plt

    from fiotools.plot import save, style, words
    from fiotools.plot.draw import draw

    with style(lang=words.code()), tempfile.TemporaryDirectory(prefix="fiotools-report-") as folder:
        try:
            # each kind of plot has it; the type of a function does not
            spec = kind.spec(*given, **named)  # type: ignore[attr-defined]
            axes = draw(replace(spec, notes=()), several=True)
        except SchemaError as error:
            return paragraph(f"Not drawn: {error}.", "how")
        figure = axes[0].figure
        place = axes[0].get_subplotspec()
        if place is None or place.get_gridspec().ncols <= _BESIDE:
            figure.set_size_inches(_WIDTH, figure.get_figheight())
        (file,) = save(figure, Path(folder, "plot.svg"))
        plt.close(figure)
        told = [caption, *(f"{note[0].upper()}{note[1:]}." for note in spec.notes)]
        return picture(file.read_bytes(), shows, " ".join(told))
