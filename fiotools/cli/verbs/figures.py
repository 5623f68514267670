"""`fiotools figures`: redraw a project's figures from its notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fiotools.cli.command import Command
from fiotools.cli.options import option
from fiotools.cli.output import Trouble

# what the extra [notebooks] brings
_EXTRA = ("nbclient", "nbformat", "traitlets")


def figures(
    notebooks: Annotated[
        list[str] | None,
        typer.Argument(metavar="NOTEBOOK", help="Default: all of notebooks/."),
    ] = None,
    jobs: Annotated[int, option("N", "How many notebooks at a time.", min=1)] = 2,
    lang: Annotated[
        str,
        option(
            "LANG",
            "Of the figures: en, or ja, which go to figures/ja/; the notebooks stay.",
            envvar="LANG_FIGURES",
        ),
    ] = "en",
) -> int:
    """Execute the notebooks of this folder, which write figures/; unchanged ones stay untouched."""
    for name in notebooks or []:
        if not Path(name).is_file():
            raise Trouble(f"{name}: no such notebook")
    if not notebooks and not any(Path("notebooks").glob("*.ipynb")):
        raise Trouble(
            "there are no notebooks/*.ipynb here: go to a project that has them; "
            "fiotools plot draws one figure of your own files"
        )
    try:
        from fiotools.articles import notebooks as runner
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _EXTRA:
            raise
        raise Trouble(
            f"figures needs {error.name}: python -m pip install 'fiotools[notebooks]'"
        ) from None
    return runner.main([*(notebooks or []), "--jobs", str(jobs), "--lang", lang])


COMMAND = Command(
    figures, ("figures", "figures notebooks/00-first-look.ipynb", "figures --lang ja")
)
