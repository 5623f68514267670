"""Plots become part of their page, where points say their values to a pointer."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from fiotools.plot.inline import inline
from fiotools.plot.spoken import titled
from fiotools.plot.saving import settled


def setup(app: Sphinx) -> dict[str, bool]:
    """Put plots into pages when these are whole."""
    app.connect("doctree-resolved", _inline)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(app: Sphinx, page: nodes.document, name: str) -> None:
    """Replace each SVG but for those that lead elsewhere, as the gallery's do."""
    for at, image in enumerate([*page.findall(nodes.image)]):
        if not image["uri"].endswith(".svg") or isinstance(image.parent, nodes.reference):
            continue
        svg = Path(app.srcdir, image["uri"]).read_text(encoding="utf-8")
        if 'role="img"' not in svg:  # of a cell, which was not saved
            svg = titled(settled(svg))
        image.replace_self(nodes.raw("", inline(svg, str(at)), format="html"))
