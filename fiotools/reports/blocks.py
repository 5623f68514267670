"""Pieces of a page: HTML in a notebook, text where it is printed; all texts are escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from fiotools.display.marks import mark
from fiotools.language import say
from fiotools.plain_text import printable
from fiotools.reports.sentences import Sentence


@dataclass(frozen=True)
class Block:
    """A piece of a page, in both forms."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


def safe(text: object) -> str:
    """Escape a text for HTML.

    Examples
    --------
    >>> safe("<script>")
    '&lt;script&gt;'
    """
    return escape(printable(str(text)))


def heading(text: str, level: int = 2) -> Block:
    """Write a heading; the page gives it the name that its table of contents links to."""
    return Block(printable(text), f"<h{level}>{safe(text)}</h{level}>")


def paragraph(text: str, kind: str = "") -> Block:
    """Write a paragraph."""
    sort = f' class="{kind}"' if kind else ""
    return Block(printable(text), f"<p{sort}>{safe(text)}</p>")


def listing(items: Iterable[str | tuple[str, str]], kind: str = "") -> Block:
    """Write a list; the first part of a pair is bold."""
    pairs = [item if isinstance(item, tuple) else ("", item) for item in items]
    told = [say("{name}: {text}", name=head, text=rest) if head else rest for head, rest in pairs]
    text = "\n".join(f"* {printable(one)}" for one in told)
    lines = [
        say("{name}: {text}", name=f"<b>{safe(head)}</b>", text=safe(rest)) if head else safe(rest)
        for head, rest in pairs
    ]
    lines = [f"<li>{line}</li>" for line in lines]
    sort = f' class="{kind}"' if kind else ""
    return Block(text, f"<ul{sort}>\n" + "\n".join(lines) + "\n</ul>") if pairs else NOTHING


def verdicts(said: Iterable[Sentence]) -> Block:
    """Write a list of verdicts, each with the sign and the colour of its kind."""
    said = list(said)
    lines = []
    for one in said:
        sign, mood = mark(one.verdict)
        told = say("{head}: {rest}.", head=f"<b>{safe(one.head)}</b>", rest=safe(one.rest))
        told = told.replace(" %", "&nbsp;%")
        lines.append(f'<li class="{mood}"><i class="{mood}">{sign}</i> {told}</li>')
    text = "\n".join(f"* {printable(str(one))}" for one in said)
    return Block(text, '<ul class="verdict">\n' + "\n".join(lines) + "\n</ul>")


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], kind: str = "facts") -> Block:
    """Write a small table of texts or pieces; without heads, the first column names the second."""
    written = [[cell if isinstance(cell, Block) else _text(cell) for cell in row] for row in rows]
    lines = [f'<div class="scroll"><table class="{kind}">']
    if heads:
        lines.append(
            f"<thead><tr>{''.join(f'<th>{safe(head)}</th>' for head in heads)}</tr></thead>"
        )
    lines.append("<tbody>")
    text = []
    for first, *rest in written:
        cells = "".join(f"<td>{cell.html}</td>" for cell in rest)
        lines.append(f"<tr><th>{first.html}</th>{cells}</tr>")
        text.append(f"{first.text}: {', '.join(cell.text for cell in rest if cell.text)}")
    return Block("\n".join(text), "\n".join([*lines, "</tbody></table></div>"]))


def link(text: str, path: str) -> Block:
    """Write a link to a file."""
    return Block(printable(text), f'<a href="{safe(path)}">{safe(text)}</a>')


def _text(value: object) -> Block:
    return Block(printable(str(value)), safe(value))


def fold(summary: str, *blocks: Block, printed: bool = False) -> Block:
    """Fold pieces behind a line to click at; on paper, show them or leave them out."""
    sort = ' class="printed"' if printed else ""
    inside = "\n".join(block.html for block in blocks)
    text = "\n".join([summary, *(block.text for block in blocks)])
    return Block(text, f"<details{sort}><summary>{safe(summary)}</summary>\n{inside}\n</details>")


def together(blocks: Iterable[Block]) -> Block:
    """Put pieces one after the other."""
    there = [block for block in blocks if block is not NOTHING]
    return Block("\n".join(b.text for b in there), "\n".join(b.html for b in there))


def slug(text: str) -> str:
    """Turn a text into the name of a file or an anchor.

    Examples
    --------
    >>> slug("random-io: how many?"), slug("<b>")
    ('random-io-how-many', 'b')
    """
    return re.sub(r"[^\w]+", "-", text.casefold()).strip("-") or "x"


NOTHING = Block("", "")
