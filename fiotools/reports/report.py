"""`report`: execute the notebook of a report, and make one HTML page of it.

The page needs no other files and no network, and has no scripts.
"""

from __future__ import annotations

import base64
import mimetypes
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lxml import etree, html

from fiotools import errors
from fiotools.display.html import safe
from fiotools.errors import ReportError, argument, typed
from fiotools.files import atomic_write
from fiotools.reports.blocks import HTML_ONLY, slug

# what the extra [report] brings
_EXTRA = ("nbclient", "nbconvert", "nbformat", "ipykernel", "traitlets")
_OUT = "own-data"  # where the notebook writes to when a reader runs it
_MIME = "application/vnd.fiotools+json"
# of IPython: nothing of the user's own set-up, no history, no module of the folder's, and
# tracebacks without colours
_PROFILE = """\
c.HistoryManager.enabled = False
c.InteractiveShellApp.ignore_cwd = True
c.InteractiveShell.colors = "NoColor"
"""
# errors whose messages say all
_KNOWN = {name for name, value in vars(errors).items() if isinstance(value, type)}
_KNOWN |= {"FileNotFoundError", "PermissionError", "NotADirectoryError", "OSError"}
_MADE = (
    "fiotools {version} made it from a notebook: fiotools report --notebook writes the notebook,"
    " --template takes a changed one."
)
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


@dataclass(frozen=True)
class Written:
    """A report that was written."""

    path: Path
    size: int  # in bytes
    unread: list[str]  # the files that could not be read


def report(
    sources: Any,
    path: str | os.PathLike[str],
    *,
    between: str | None = None,
    baseline: Any = None,
    metric: str | None = None,
    by: str | Sequence[str] | None = None,
    title: str | None = None,
    question: str | None = None,
    lang: str = "en",
    template: str | os.PathLike[str] | None = None,
    notebook: str | os.PathLike[str] | None = None,
    step: Callable[[int, int], object] | None = None,
    **known: Any,
) -> Written:
    """Write a report: one HTML page that needs no other file and no network.

    It executes a notebook, ``notebooks/own-data.ipynb``, in a kernel of its own and in this folder;
    the notebook writes nothing here.

    Parameters
    ----------
    sources : path, list of paths, or mapping of label to paths
        The folder of a campaign of ``fiotools measure``, a folder that holds several, or whatever
        `fiotools.read` takes.
    path : path
        Of the page; it is written whole or not at all.
    between, baseline, metric, by
        The comparison, as in `study`.
    title, question : str, optional
        Of the page.
    lang : {"en", "ja"}
        Of the plots; the page is English.
    template : path, optional
        A changed copy of the notebook.
    notebook : path, optional
        Where to write the executed notebook, to go on with in JupyterLab.
    step : callable, optional
        Called with the number of a cell and the number of all cells before each is executed.
    **known
        Facts that the files do not hold, as in `fiotools.check`.

    Returns
    -------
    Written

    Raises
    ------
    ReportError
        If a package of ``fiotools[report]`` is missing, the template is not a notebook, or a cell
        fails; the message is that of the cell, and its traceback is a note of the error.

    Examples
    --------
    >>> import fiotools as ft
    >>> ft.report("campaigns/", "report.html", title="My disks")  # doctest: +SKIP
    """
    for name in _EXTRA:
        if find_spec(name) is None:
            raise ReportError(f"report needs {name}: python -m pip install 'fiotools[report]'")
    for target in (path, notebook):
        if target is not None:
            atomic_write.refuse_missing_folder(Path(target))
    source = Path(template) if template is not None else _own_template()
    parameters = {
        "data": _plain(sources),
        "between": between,
        "baseline": baseline,
        "metric": metric,
        "by": by if by is None or isinstance(by, str) else list(by),
        "lang": lang,
        "known": {name: value for name, value in known.items() if value not in (None, False)},
    }
    made = _opened(source)
    _headed(made, title, question)
    _given(made, parameters)
    with tempfile.TemporaryDirectory(prefix="fiotools-report-") as folder:
        out = Path(folder) / "out"
        out.mkdir()
        _execute(made, source, Path(folder), out, step, html_only=notebook is None)
        content = page(made, out).encode("utf-8", "surrogateescape")
    whole = {Path(path): content}
    if notebook is not None:
        import nbformat

        copy = nbformat.writes(made).replace(out.as_posix(), _OUT)  # the paths of its new place
        whole[Path(notebook)] = copy.encode("utf-8", "surrogateescape") + b"\n"
    for target, data in whole.items():
        atomic_write.write_bytes(target, data)
    outputs = [output for cell in made.cells for output in cell.get("outputs", [])]
    found = [output.get("data", {}).get(_MIME, {}).get("unread", []) for output in outputs]
    return Written(Path(path), len(content), [name for names in found for name in names])


def _own_template() -> Path:
    """Find the notebook: in a wheel beside this module, in a checkout among the others."""
    here = Path(__file__).parent
    places = (here / "own-data.ipynb", here.parents[1] / "notebooks" / "own-data.ipynb")
    for place in places:
        if place.is_file():
            return place
    raise ReportError(f"own-data.ipynb is not where it was installed: give {argument('template')}")


def _plain(sources: Any) -> Any:
    """Turn sources into values that a notebook can hold."""
    if isinstance(sources, Mapping):
        return {str(label): _plain(part) for label, part in sources.items()}
    if isinstance(sources, (str, os.PathLike)):
        return os.fspath(sources)
    return [os.fspath(one) for one in sources]


def _opened(path: Path) -> Any:
    """Read a notebook."""
    import nbformat

    try:
        text = path.read_bytes().decode("utf-8")
        return nbformat.reads(text, as_version=4)
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, nbformat.reader.NotJSONError, nbformat.ValidationError):
        raise ReportError(f"{path}: not a notebook") from None


def _headed(notebook: Any, title: str | None, question: str | None) -> None:
    """Put a title and a question into the first cell."""
    if title is None and question is None:
        return
    from nbformat.v4 import new_markdown_cell

    cells = notebook.cells
    is_text = bool(cells) and cells[0].cell_type == "markdown"
    head, rest = "", cells.pop(0).source if is_text else ""
    if rest.startswith("# "):
        head, _, rest = rest.partition("\n")
    if title is not None:
        head = f"<h1>{safe(title)}</h1>"
    if question is not None:
        rest = f"<p><b>{safe('The question:')}</b> {safe(question)}</p>"
    cells.insert(0, new_markdown_cell(f"{head}\n\n{rest.strip()}\n"))


def _given(notebook: Any, parameters: Mapping[str, Any]) -> None:
    """Set the parameters after the cell tagged for them, as papermill does."""
    from nbformat.v4 import new_code_cell

    source = "\n".join(f"{name} = {value!r}" for name, value in parameters.items())
    cell = new_code_cell(source, metadata={"tags": ["injected-parameters"]})
    tags = [one.metadata.get("tags", []) for one in notebook.cells]
    at = next((number + 1 for number, own in enumerate(tags) if "parameters" in own), 0)
    notebook.cells.insert(at, cell)


def _execute(
    notebook: Any,
    source: Path,
    folder: Path,
    out: Path,
    step: Callable[[int, int], object] | None,
    *,
    html_only: bool,
) -> None:
    """Run the cells in this folder, without the user's set-up; files go to ``out``."""
    from nbclient.exceptions import CellControlSignal, CellExecutionError

    from fiotools.articles.kernel import run_cells

    profile = folder / "ipython" / "profile_default"
    profile.mkdir(parents=True)
    (profile / "ipython_kernel_config.py").write_text(_PROFILE, encoding="utf-8")
    environment = {
        "IPYTHONDIR": str(folder / "ipython"),
        "FIOTOOLS_OUT": str(out),
        "FIOTOOLS_FIGURE_FORMAT": "svg",
    }
    if html_only:
        environment[HTML_ONLY] = "1"
    at = 0

    def started(cell: Any, cell_index: int) -> None:
        nonlocal at
        at = cell_index
        if step is not None:
            step(cell_index + 1, len(notebook.cells))

    try:
        run_cells(notebook, Path.cwd(), environment, started)
    except CellExecutionError as error:
        said = " ".join(error.evalue.split())
        if error.ename not in _KNOWN:
            first = notebook.cells[at].source.splitlines() or [""]
            how = typed("", "; --debug shows where")
            where = f"in the cell that begins with {first[0]!r}{how}"
            said = f"{source.name}: {error.ename}: {said} ({where})"
        failed = ReportError(said)
        failed.add_note(error.traceback)  # where in the cell, and in what it calls
        raise failed from None
    except (CellControlSignal, RuntimeError) as error:  # too slow; or the kernel died
        said = str(error).splitlines()[0]
        raise ReportError(f"{source.name}: the notebook did not run to its end: {said}") from None


def page(notebook: Any, out: Path) -> str:
    """Make the HTML page of an executed notebook; linked files in ``out`` become part of it."""
    tree = html.document_fromstring(_converted(notebook))
    main = tree.find(".//main")
    _make_inert(main)
    _take_in(main, out)
    _name_headings(tree, main, "Contents")
    _tidy(main)
    text: str = html.tostring(tree, encoding="unicode", doctype="<!DOCTYPE html>")
    return text + "\n"


def _converted(notebook: Any) -> str:
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
    told = {  # what the template says itself
        "version": __version__,
        "lang": "en",
        "title": "How this page was made",
        "made": _MADE.format(version=__version__),
        "summary": "the code of its cells",
        "code": code,
    }
    text, _ = exporter.from_notebook_node(notebook, resources={"fiotools": told})
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
        if element.tag == "h2" or under is contents:
            contents.append(item)
        else:
            inner = under.find("ul")
            (inner if inner is not None else etree.SubElement(under, "ul")).append(item)
        under = item if element.tag == "h2" else under
    tree.find(".//nav").append(contents)  # beside the page, where it is wide enough
    narrow = html.Element("details", {"class": "contents"})
    etree.SubElement(narrow, "summary").text = title_of_list
    narrow.append(deepcopy(contents))
    second = main.find(".//h2")
    if second is not None:  # above what comes first
        section = next(one for one in (second, *second.iterancestors()) if one.getparent() is main)
        section.addprevious(narrow)


def _tidy(main: Any) -> None:
    """Let wide tables scroll in a box of their own, and keep each style of the outputs once."""
    for element in list(main.iter("table")):
        box = html.Element("div", {"class": "scroll"})
        box.tail, element.tail = element.tail, None
        element.getparent().replace(element, box)
        box.append(element)
    seen = {""}
    for element in list(main.iter("style")):
        text = element.text or ""
        if text in seen:
            element.drop_tree()
        seen.add(text)
