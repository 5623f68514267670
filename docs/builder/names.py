"""Names in single backticks, in docstrings: links where they are the library's own.

Arguments, columns and tables stand in single backticks too. They have no target, and are plain.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def setup(app: Sphinx) -> dict[str, bool]:
    """Look once more for a name without a target."""
    app.connect("missing-reference", _found_elsewhere)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _found_elsewhere(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.Node | None:
    if node["refdomain"] != "py" or node["reftype"] != "obj":
        return None
    node["py:module"] = "fiotools"  # the page may be of a module of it
    find, page, name = env.get_domain("py").resolve_xref, node["refdoc"], node["reftarget"]
    return find(env, page, app.builder, "obj", name, node, content) or content
