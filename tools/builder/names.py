"""Names in backticks are links if they are public names of the library.

In docstrings single backticks also hold arguments, columns and tables: these stay plain. On a page
of Markdown the first mention of a function is a link.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

from tools.builder.reference import CHAPTERS

# classes of packages are known by their own name too, such as `Document`
_PUBLIC = {
    last: name
    for names in CHAPTERS.values()
    for name in names
    if (last := name.rpartition(".")[2]) == name or last[0].isupper()
}


class Mentions(SphinxTransform):
    """Make a link of the first mention of each function on a page."""

    default_priority = 700

    def apply(self) -> None:
        """Change the page."""
        page, linked = self.env.docname, set()
        if page.startswith("reference/"):
            return
        for node in list(self.document.findall(nodes.literal)):
            name = node.astext().removeprefix("ft.")
            if name in linked or not (name in _PUBLIC or name.startswith("plot.")):
                continue
            if isinstance(node.parent, (nodes.title, nodes.reference)):
                continue
            linked.add(name)
            options = {"refdomain": "py", "reftype": "obj", "refdoc": page}
            options["reftarget"] = _PUBLIC.get(name, name)
            link = pending_xref("", node.deepcopy(), refexplicit=True, refwarn=False, **options)
            node.replace_self(link)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add both."""
    app.add_transform(Mentions)
    app.connect("missing-reference", _found_elsewhere)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _found_elsewhere(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.Node | None:
    """Look for a name without a target in `fiotools`; leave one that is not there as it is."""
    if node["refdomain"] != "py" or node["reftype"] != "obj":
        return None
    node["py:module"] = "fiotools"  # the page may be of a module of it
    find, page, name = env.get_domain("py").resolve_xref, node["refdoc"], node["reftarget"]
    return find(env, page, app.builder, "obj", name, node, content) or content
