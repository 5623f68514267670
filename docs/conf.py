"""The configuration of Sphinx for ``python3 tasks.py docs``."""

import fiotools

project = "fiotools"
version = release = fiotools.__version__
copyright = "fiotools contributors"
language = "en"
smartquotes = False  # of code, they would make other code

extensions = [
    "myst_nb",  # Markdown, and cells that are executed
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "tools.builder.cells",
    "tools.builder.names",
    "tools.builder.shell",
]
nitpicky = True

# Pages link to headings as GitHub does.
myst_heading_anchors = 3

# A cell that fails, or writes to stderr, fails the page.
nb_execution_mode = "force"
nb_execution_excludepatterns = ["*.ipynb"]  # shown with the outputs that are committed
nb_execution_show_tb = True
nb_output_stderr = "error"
nb_merge_streams = True
nb_ipywidgets_js = {}  # from the network, and nothing here needs it

# Docstrings name types in words.
autodoc_typehints = "none"
default_role = "py:obj"
numpydoc_show_class_members = False
add_module_names = False
python_maximum_signature_line_length = 76

html_theme = "furo"
html_title = "fiotools"
html_static_path = ["../tools/builder/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_search_summary = False  # a page opened from a file cannot fetch others
html_show_sourcelink = False
html_show_copyright = False
