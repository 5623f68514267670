"""Pieces of a page: HTML in a notebook, text where it is printed; all texts are escaped."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiotools.display import html, text_table
from fiotools.display.columns import Sheet, SheetColumn, printable
from fiotools.words import named

if TYPE_CHECKING:
    import pandas as pd

    from fiotools.reports.sentences import Sentence

_KINDS = {".svg": "image/svg+xml", ".png": "image/png"}
_WRAPS = 24  # letters of a line of a cell at least


class Block:
    """A piece of a page: HTML, and the text that a notebook prints, made when asked for."""

    def __init__(self, text: str | Callable[[], str], html: str) -> None:
        self._text, self.html = text, html

    @property
    def text(self) -> str:
        """The piece where it is printed."""
        return self._text if isinstance(self._text, str) else self._text()

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        style = f"<style>{html.STYLE}</style>\n" if "fiotools-show" in self.html else ""
        return {"text/html": style + self.html, "text/plain": self.text}


class Heading(Block):
    """A heading, which a page lists in its contents."""

    def __init__(self, text: str, level: int) -> None:
        super().__init__(printable(text), _tag(f"h{level}", _words(text)))
        self.level, self.words = level, _words(text)


class Picture(Block):
    """A saved plot, which becomes part of the page or the notebook."""

    def __init__(self, title: str, file: Path) -> None:
        self._kind, content = _KINDS[file.suffix], file.read_bytes()
        image = f'<img alt="{html.safe(title)}" src="{address(content, self._kind)}">'
        super().__init__(f"<Figure: {printable(title)}>", _tag("figure", image))
        is_text = file.suffix == ".svg"
        self._data = content.decode() if is_text else base64.b64encode(content).decode("ascii")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {self._kind: self._data, "text/plain": self.text}


def of_sheet(sheet: Sheet) -> Block:
    """Write a table."""
    return Block(lambda: text_table.text(sheet), html.html(sheet, styled=False))


def _words(text: str) -> str:
    return html.soft(html.safe(text)).replace(" %", "&nbsp;%")


def _tag(name: str, inside: str, kind: str = "") -> str:
    """Write an element of HTML."""
    sort = f' class="{kind}"' if kind else ""
    return f"<{name}{sort}>{inside}</{name}>"


def _list(lines: Sequence[str], kind: str) -> str:
    return _tag("ul", "\n".join(["", *lines, ""]), kind)


def _bold(text: str) -> str:
    return _tag("b", _words(text)) if text else ""


def paragraph(text: str, kind: str = "") -> Block:
    """Write a paragraph."""
    return Block(printable(text), _tag("p", _words(text), kind))


def listing(items: Iterable[str | tuple[str, str]], kind: str = "") -> Block:
    """Write a list; the first part of a pair is bold."""
    pairs = [item if isinstance(item, tuple) else ("", item) for item in items]
    text = "\n".join(f"* {printable(named(*pair))}" for pair in pairs)
    lines = [_tag("li", named(_bold(head), _words(rest))) for head, rest in pairs]
    return Block(text, _list(lines, kind)) if pairs else NOTHING


def verdicts(said: Iterable[Sentence]) -> Block:
    """Write a list of verdicts, each with the sign and the colour of its kind."""
    said = list(said)
    lines = []
    for one in said:
        sign, mood = one.mark
        told = f"{_bold(one.head)}: {_words(one.rest)}."
        lines.append(_tag("li", f"{_tag('i', sign, mood)} {told}", mood))
    text = "\n".join(f"* {printable(str(one))}" for one in said)
    return Block(text, _list(lines, "verdict"))


def of_frame(frame: pd.DataFrame, *, whole: bool = True) -> Block:
    """Write a frame as `show` does: all rows, or the first."""
    from fiotools.display import layout  # what makes a page of a notebook needs no frames
    from fiotools.display.show import ROWS

    return of_sheet(layout.sheet(frame, None if whole else ROWS))


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[object]],
    kind: str = "facts",
    links: dict[str, str] | None = None,
) -> Block:
    """Write a small table of texts; the first column names the rows."""
    texts = [[str(cell) for cell in row] for row in rows]
    made = [
        SheetColumn(head, list(cells), wraps=_WRAPS, names=at == 0, links=links or {})
        for at, (head, cells) in enumerate(
            zip(heads or [""] * len(texts[0]), zip(*texts, strict=True), strict=True)
        )
    ]
    return of_sheet(Sheet(made, kind=kind))


def address(content: bytes, kind: str = "application/octet-stream") -> str:
    """Write a file as an address that holds it whole."""
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"


def fold(summary: str, *blocks: Block, printed: bool = False) -> Block:
    """Fold pieces behind a line to click at; on paper, show them or leave them out."""
    inside = [_tag("summary", _words(summary)), *(block.html for block in blocks), ""]
    return Block(
        lambda: "\n".join([summary, *(block.text for block in blocks)]),
        _tag("details", "\n".join(inside), "printed" if printed else ""),
    )


def together(blocks: Iterable[Block]) -> Block:
    """Put pieces one after the other."""
    there = [block for block in blocks if block is not NOTHING]
    return Block(lambda: "\n".join(b.text for b in there), "\n".join(b.html for b in there))


NOTHING = Block("", "")
