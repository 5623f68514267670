"""An SVG of `save` as part of a page, where a browser shows the words of its points."""

from __future__ import annotations

import hashlib
import re
from xml.etree import ElementTree

_DRAWN = ("g", "path", "defs", "use", "clipPath", "rect", "image", "title", "desc")
_USED = re.compile(r"#([^\")]+)")


def inline(svg: str, name: str = "") -> str:
    """Return the element of a page: nothing runs in it, and its ids are of no other picture.

    Parameters
    ----------
    svg : str
    name : str
        What tells it from other pictures of the page that may be the same.

    Examples
    --------
    >>> inline('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script><g id="a"/></svg>')
    '<svg class="plot" style="stroke-linejoin: round; stroke-linecap: butt"><g /></svg>'
    """
    root = ElementTree.fromstring(svg)
    _keep(root)
    # matplotlib's style sheet would be that of the whole page
    root.attrib = {
        "class": "plot",
        **root.attrib,
        "style": "stroke-linejoin: round; stroke-linecap: butt",
    }
    used = {
        one
        for element in root.iter()
        for value in element.attrib.values()
        for one in _USED.findall(value)
    } | {*root.get("aria-labelledby", "").split()}
    own = hashlib.sha256(f"{name}\n{svg}".encode()).hexdigest()[:8]
    for element in root.iter():
        if (known := element.attrib.pop("id", None)) in used:
            element.set("id", f"{known}-{own}")
        for key in ("href", "clip-path"):
            if value := element.get(key):
                element.set(key, re.sub(r"(?<=#)[^\")]+", rf"\g<0>-{own}", value))
    if labels := root.get("aria-labelledby"):
        root.set("aria-labelledby", " ".join(f"{one}-{own}" for one in labels.split()))
    return ElementTree.tostring(root, encoding="unicode")


def _keep(element: ElementTree.Element) -> None:
    """Keep what is drawn, in the names of HTML."""
    element.tag = element.tag.rpartition("}")[2]
    element.attrib = {
        name.rpartition("}")[2]: value
        for name, value in element.attrib.items()
        if not name.startswith("on")
    }
    for child in [*element]:
        if child.tag.rpartition("}")[2] in _DRAWN:
            _keep(child)
            child.tail = None
        else:
            element.remove(child)
    if element.tag not in ("title", "desc"):
        element.text = None
