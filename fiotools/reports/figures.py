"""A plot as a piece of a page: a picture inside it, what it shows for screen readers, a caption."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fiotools.errors import SchemaError
from fiotools.reports.blocks import Block, paragraph, picture


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
        (file,) = save(figure, Path(folder, "plot.svg"))
        plt.close(figure)
        return picture(file.read_bytes(), shows, caption)
