"""Progress bars: a line on a terminal or in a notebook, and nothing elsewhere.

``tqdm.auto`` would use a widget in a notebook. Without ipywidgets it warns and writes to stderr, in
the notebook; with ipywidgets it leaves a widget that a saved notebook cannot show. So the bar in a
notebook is an output of text, which is empty at the end.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from tqdm import tqdm

    Bar: TypeAlias = tqdm[Any]

_FEW = 50  # files: importing tqdm costs more than reading a few


@contextmanager
def of_files(total: int, doing: str) -> Iterator[Callable[..., object]]:
    """Show a bar of files if it takes longer than a second; yield the function that advances it.

    Examples
    --------
    >>> with of_files(2, "reading") as step:
    ...     step(1)
    """
    if total < _FEW:
        yield lambda number=1: None
        return
    with bar(total=total, desc=doing, unit=" files", delay=1) as shown:
        yield shown.update


def bar(
    items: Iterable[Any] | None = None, *, progress: bool = True, delay: float = 0.0, **told: Any
) -> Bar:
    """Make a bar of items that disappears at the end; without items, call its ``update``.

    It is never shown in a pipe or a log, or if ``TQDM_DISABLE`` is set. The other arguments are
    those of tqdm.

    Examples
    --------
    >>> list(bar(range(3), desc="reading", unit=" files"))
    [0, 1, 2]
    """
    from tqdm import tqdm  # takes a moment

    kind: type[Bar] = tqdm
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if progress and shell is not None and "IPKernelApp" in shell.config:  # in a notebook
        kind = _line_of(tqdm)
        told |= {"file": io.StringIO(), "ascii": False}  # nothing is written to a stream
    elif not (progress and sys.stderr is not None and sys.stderr.isatty()):
        told |= {"disable": True}
    return kind(items, delay=delay, leave=False, **told)


def _line_of(kind: type[Bar]) -> type[Bar]:
    """Make a bar whose line is an output of a notebook that changes in place."""

    def status_printer(file: object) -> Callable[[str], None]:
        """Return a function that shows a line: first as an output, then in its place."""
        display = sys.modules["IPython"].display.display
        shown: list[Any] = []

        def write(line: str) -> None:
            data = {"text/plain": line}
            if shown:
                shown[0].update(data, raw=True)
            elif line:
                shown.append(display(data, raw=True, display_id=True))

        return write

    return type("Line", (kind,), {"status_printer": staticmethod(status_printer)})
