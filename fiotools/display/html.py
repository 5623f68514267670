"""A sheet as HTML, for a notebook and for a report.

It has no scripts, ids or links to other sites, and is the same for the same sheet. Text has the
colour of the page; the signs have two of Okabe and Ito's, which differ on white and on black. Where
a site drops the style, words and signs still say everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from fiotools.display.columns import NONE, Sheet, SheetColumn, printable

_WIDE = 40  # letters: a longer text wraps
_SOFT = re.compile(r"[^\s<>&;]{25,}")  # a name too long for a line of a phone
# two classes in each rule of a cell: JupyterLab's own rules have two, and come first
STYLE = """
.fiotools-show{line-height:1.4}
.fiotools-show>div{overflow-x:auto}
.fiotools-show p{margin:.3em 0}
.fiotools-show .t{border:0;border-collapse:collapse;margin:.4em 0;width:auto}
.fiotools-show .t th,.fiotools-show .t td{border:0;border-bottom:1px solid rgba(128,128,128,.35);
max-width:none;padding:.3em .8em .3em 0;text-align:left;vertical-align:top;white-space:nowrap}
.fiotools-show .t th{border-bottom-width:2px;font-weight:600;vertical-align:bottom}
.fiotools-show .t .r{font-variant-numeric:tabular-nums;text-align:right}
.fiotools-show .t .w{max-width:32em;min-width:12em;white-space:normal}
.fiotools-show .m,.fiotools-show ul{opacity:.8}
.fiotools-show ul{margin:.3em 0;padding-left:1.2em}
.fiotools-show i{display:inline-block;font-style:normal;font-weight:700;min-width:1.3em}
.fiotools-show .good{color:#0072b2}.fiotools-show .bad{color:#d55e00}
.fiotools-show .care{color:#b87900}.fiotools-show .open{color:#808080}
@media print{.fiotools-show>div{overflow:visible}.fiotools-show tr{break-inside:avoid}
.fiotools-show .t td,.fiotools-show .t th{white-space:normal}}
"""
_PAGE = """
body{font:15px/1.4 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em}
.fiotools-show{margin-bottom:2em}
"""


def page(sheets: Iterable[Sheet]) -> str:
    """Write sheets as a page."""
    there = [sheet for sheet in sheets if sheet.columns]
    title = safe(next((sheet.title for sheet in there if sheet.title), "fiotools"))
    lines = ["<!doctype html>", '<html lang="en"><head><meta charset="utf-8">']
    lines += ['<meta name="viewport" content="width=device-width, initial-scale=1">']
    lines += [f"<title>{title}</title>", f"<style>{_PAGE}</style></head><body>"]
    return "\n".join([*lines, *map(html, there), "</body></html>", ""])


def html(sheet: Sheet, *, styled: bool = True) -> str:
    """Write a sheet as HTML that brings its style along, or for a page that has the style."""
    lines = ['<div class="fiotools-show">', *([f"<style>{STYLE}</style>"] if styled else [])]
    lines += [f"<p><b>{safe(sheet.title)}</b></p>"] if sheet.title else []
    lines += [f'<p class="m">{safe(sheet.shared)}</p>'] if sheet.shared else []
    if sheet.columns:
        lines.append(f'<div><table class="{f"t {sheet.kind}".strip()}">')
        if any(one.head for one in sheet.columns):
            heads = "".join(map(_head, sheet.columns))
            lines += ["<thead>", f"<tr>{heads}</tr>", "</thead>"]
        lines.append("<tbody>")
        for at in range(len(sheet.columns[0].cells)):
            lines.append(f"<tr>{''.join(_cell(one, at) for one in sheet.columns)}</tr>")
        lines += ["</tbody>", "</table></div>"]
    notes = [f"<li>{safe(note)}</li>" for note in sheet.notes]
    lines += ["<ul>", *notes, "</ul>"] if notes else []
    return "\n".join([*lines, "</div>"])


def _head(one: SheetColumn) -> str:
    about = f' title="{safe(one.about)}"' if one.about else ""
    return f"<th{_class(one)}{about}>{soft(safe(one.head))}</th>"


def _cell(one: SheetColumn, at: int) -> str:
    text = one.cells[at]
    if one.is_said(at):
        return ""
    if one.marks and text:
        sign, mood = one.marks[at]
        words = safe(text)
        words = f"<b>{words}</b>" if mood in ("good", "bad", "care") else words
        return f'<td{_class(one)}><i class="{mood}">{sign}</i> {words}</td>'
    rows = 1
    while one.is_said(at + rows):
        rows += 1
    span = f' rowspan="{rows}"' if rows > 1 else ""
    words = soft(safe("" if text == NONE else text))
    if text in one.links:
        words = f'<a download="{safe(text)}" href="{one.links[text]}">{words}</a>'
    kind = "th" if one.names else "td"
    return f"<{kind}{_class(one)}{span}>{words}</{kind}>"


def soft(text: str) -> str:
    """Let long names in a line of HTML wrap, but never inside a word.

    Examples
    --------
    >>> soft("on nvme-Samsung_SSD_990_PRO_2TB")
    'on nvme-<wbr>Samsung_<wbr>SSD_<wbr>990_<wbr>PRO_<wbr>2TB'
    """
    return _SOFT.sub(lambda word: re.sub(r"(?<=[/_=,.:-])(?=\w)", "<wbr>", word[0]), text)


def _class(one: SheetColumn) -> str:
    wide = not one.right and one.width > _WIDE
    names = [name for name, on in (("r", one.right), ("w", wide)) if on]
    return f' class="{" ".join(names)}"' if names else ""


def safe(text: object) -> str:
    """Escape a text for HTML."""
    return escape(printable(str(text)))
