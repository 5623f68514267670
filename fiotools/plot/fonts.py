"""The letters of the language in use: which fonts have them, and whether in bold."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from matplotlib import font_manager

from fiotools import language
from fiotools.errors import SchemaError
from fiotools.hints import argument

_FONT = "DejaVu Sans"  # comes with matplotlib, and has the units' letters


def family() -> list[str]:
    """Return the fonts of the language in use: a letter is taken from the first that has it."""
    font = language.current().font
    return [_FONT, font["family"]] if font else [_FONT]


def has_bold() -> bool:
    """Whether all of the fonts have bold letters; bold and other letters in a line look ragged."""
    return language.current().font is None


def load(code: str) -> None:
    """Register the font of a language with matplotlib.

    Raises
    ------
    SchemaError
        If the language is not known, its font is not installed, or a catalogue is broken.
    """
    font = language.language(code).font
    if font is None:
        return
    spec = find_spec(font["package"])  # not imported: that might change the style of all figures
    if spec is None or not spec.submodule_search_locations:
        raise SchemaError(
            f"{argument('lang', code)} needs the letters of {font['package'].replace('_', '-')}:"
            f" python -m pip install 'fiotools[{font['extra']}]'"
        )
    _add(Path(spec.submodule_search_locations[0], font["file"]))


@cache
def _add(file: Path) -> None:
    font_manager.fontManager.addfont(file)
