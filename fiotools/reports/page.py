"""An executed notebook as one HTML page: no other files, no scripts, no network."""

from __future__ import annotations

import base64
import copy
import mimetypes
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lxml import etree, html

from fiotools.language import ENGLISH, say, speaking
from fiotools.reports.blocks import slug

_TEMPLATES = Path(__file__).parent / "templates"
_HIDDEN = "notebook-only"  # the tag of cells that are for who works in the notebook
# what could run, load or lead somewhere by itself
_ACTIVE = (
    *("script", "iframe", "object", "embed", "link", "base", "meta", "form"),
    *("applet", "audio", "video"),
)
_LOADING = (
    *("src", "srcset", "data", "poster", "background", "ping", "action", "formaction"),
    *("href", "xlink:href"),
)
_URL = re.compile(r"url\(|@import|expression\(", re.IGNORECASE)
_OUTSIDE = re.compile(r"https?://", re.IGNORECASE)
_SHOWN = re.compile(r"data:image/(png|jpeg|svg\+xml);base64,")


# what the template says itself
_MADE = (
    "How this page was made",
    "fiotools {version} made it from a notebook: fiotools report --notebook writes the notebook, "
    "--template takes a changed one.",
    "the code of its cells",
)


def page(notebook: Any, out: Path, lang: str = ENGLISH) -> str:
    """Make the page.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        Executed.
    out : Path
        The folder that it wrote files to; linked files become part of the page.
    lang : str
        The language of the page.

    Returns
    -------
    str
        The HTML.
    """
    with speaking(lang):
        tree = html.document_fromstring(_converted(notebook, lang))
        contents = say("Contents")
    main = tree.find(".//main")
    _make_inert(main)
    _take_in(main, out)
    _name_headings(tree, main, contents)
    _scroll(main)
    _styles_once(main)
    text: str = html.tostring(tree, encoding="unicode", doctype="<!DOCTYPE html>")
    return text + "\n"


def _converted(notebook: Any, lang: str) -> str:
    """Let nbconvert write Markdown, code and outputs as HTML."""
    from nbconvert.exporters import HTMLExporter
    from traitlets.config import Config

    from fiotools._version import __version__

    code = [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and "parameters" not in cell.metadata.get("tags", [])
    ]
    settings = Config()
    settings.TagRemovePreprocessor.enabled = True
    settings.TagRemovePreprocessor.remove_cell_tags = {_HIDDEN}
    make: Any = HTMLExporter  # nbconvert has no types
    exporter = make(
        config=settings,
        extra_template_basedirs=[str(_TEMPLATES)],
        template_name="fiotools",
        exclude_anchor_links=True,
    )
    title, made, summary = (say(one, version=__version__) for one in _MADE)
    told = {"lang": lang, "title": title, "made": made, "summary": summary, "code": code}
    resources = {"fiotools": {"version": __version__, **told}}
    text, _ = exporter.from_notebook_node(notebook, resources=resources)
    return str(text)


def _make_inert(main: Any) -> None:
    """Remove elements that could run or load; the page's policy forbids them anyway."""
    etree.strip_elements(main, etree.Comment, *_ACTIVE, with_tail=False)
    for element in main.iter(etree.Element):
        for name, value in element.attrib.items():
            if _is_active(element.tag, name.lower(), value):
                del element.attrib[name]
        if element.tag == "style" and _URL.search(element.text or ""):
            element.text = ""
    for link in main.iter("a"):
        if _OUTSIDE.match(link.get("href", "")):
            link.set("rel", "noopener noreferrer")


def _is_active(tag: str, name: str, value: str) -> bool:
    """Say whether an attribute runs or loads something, or links to anything but a page."""
    if name == "href" and tag == "a":
        return ":" in value.split("/")[0] and not _OUTSIDE.match(value)
    if name == "src" and tag == "img":
        return not _SHOWN.match(value)
    if name == "style":
        return _URL.search(value) is not None
    return name.startswith("on") or name in _LOADING


def _take_in(main: Any, out: Path) -> None:
    """Put linked files into the page, to be saved from there."""
    for link in main.iter("a"):
        target = Path(unquote(link.get("href", "")))
        if target.parent != out or not target.is_file():
            continue
        kind = mimetypes.guess_type(target.name)[0] or "application/octet-stream"
        if target.suffix == ".gz":
            kind = "application/gzip"
        data = base64.b64encode(target.read_bytes()).decode("ascii")
        link.set("href", f"data:{kind};base64,{data}")
        link.set("download", target.name)


def _name_headings(tree: Any, main: Any, title_of_list: str) -> None:
    """Give every heading a name, and list them."""
    first = main.find(".//h1")
    title = " ".join(first.text_content().split()) if first is not None else "fiotools"
    tree.find(".//title").text = title
    taken: set[str] = set()
    contents = html.Element("ul")
    under = contents
    for element in main.iter("h2", "h3"):
        text = " ".join(element.text_content().split())
        name = base = slug(text)
        number = 2
        while name in taken:
            name, number = f"{base}-{number}", number + 1
        taken.add(name)
        element.set("id", name)
        item = html.Element("li")
        link = etree.SubElement(item, "a", href=f"#{name}")
        link.text = text
        if element.tag == "h2":
            contents.append(item)
            under = item
        elif under is not contents:
            inner = under.find("ul")
            (inner if inner is not None else etree.SubElement(under, "ul")).append(item)
        else:
            contents.append(item)
    tree.find(".//nav").append(contents)  # beside the page, where it is wide enough
    narrow = html.Element("details", {"class": "contents"})
    etree.SubElement(narrow, "summary").text = title_of_list
    narrow.append(copy.deepcopy(contents))
    second = main.find(".//h2")
    if second is not None:  # above what comes first
        section = next(one for one in (second, *second.iterancestors()) if one.getparent() is main)
        section.addprevious(narrow)


def _scroll(main: Any) -> None:
    """Let a table that is wider than the page scroll in a box of its own."""
    for element in list(main.iter("table", "pre")):
        parent = element.getparent()
        if parent.get("class") == "scroll" or element.tag == "pre":
            continue
        box = html.Element("div", {"class": "scroll"})
        box.tail, element.tail = element.tail, None
        parent.replace(element, box)
        box.append(element)


def _styles_once(main: Any) -> None:
    """Keep each style of the outputs once."""
    seen: set[str] = set()
    for element in list(main.iter("style")):
        text = element.text or ""
        if not text or text in seen:
            element.drop_tree()
        seen.add(text)
