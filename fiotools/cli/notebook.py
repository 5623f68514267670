"""`fiotools notebook QUESTION`: a template, filled with files and executed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fiotools.cli import sides, sources
from fiotools.cli.output import Trouble, say
from fiotools.cli.questions import wrong_condition
from fiotools.cli.verbs import Verb
from fiotools.errors import SchemaError
from fiotools.files import atomic_write, fields_of, needed, short_names
from fiotools.notebooks.questions import parameters, questions

_NEEDED = ("nbformat", "nbclient", "ipykernel")
# of the function below, which not each template leaves open
_OPTIONS = ("metric", "between", "baseline", "by", "x", "where")
# words that people have for a question, and its name
_WORDS = {
    "two-sides": "ab compare comparison difference faster sides slower speedup versus vs",
    "sweep": "curve depth iodepth load numjobs peak qd queue scaling",
    "tails": "cdf latencies latency p99 percentile percentiles slowest tail",
    "log": "drift logs series shifts steady time timeline window",
    "threads": "fair fairness jain per-thread share thread",
    "cache": "cached check cold memory page-cache real true warm",
    "campaign": "experiment manifest measure report",
}
MEANT = {word: name for name, words in _WORDS.items() for word in words.split()}
_OF_SIDES = ("two-sides", "sweep", "cache", "tails")
_EXAMPLES: Mapping[str, str] = {
    "two-sides": "old=old/ new=new/ --metric iops -o mine.ipynb",
    "sweep": "'runs/{volume}-{iodepth:d}.json' -o depth.ipynb",
    "threads": "'data/{volume}.xml' -o threads.ipynb",
    "cache": "'page-cache/{cache}.txt' --baseline before -o cache.ipynb",
    "tails": "a.json b.json -o tails.ipynb",
    "log": "'run_lat.*.log' -o log.ipynb",
    "campaign": "random-io-20261121-093000 -o campaign.ipynb",
}


def verb(question: str) -> Verb:
    """Return a question as a verb."""
    left = tuple(name for name in _OPTIONS if name not in parameters(question))
    example = f"notebook {question} {_EXAMPLES[question]}"
    return Verb(questions()[question], (example,), run="notebook:notebook", leaves=left)


def notebook(
    name: str,
    stored: Sequence[str],
    *,
    output: str,
    metric: str | None = None,
    between: str | None = None,
    baseline: str | None = None,
    by: Sequence[str] = (),
    x: str | None = None,
    where: Sequence[str] = (),
) -> int:
    """Write a notebook of real calls on FILES, executed, for you to edit in JupyterLab.

    What is not named is found in the files, and stands in the first cell.

    Parameters
    ----------
    output : str
        FILE.ipynb, which must not be there yet; plots and tables go into a folder of its name.
    metric : str, optional
        The column to look at: iops, bw, lat_mean, real.
    between : str, optional
        The column that names the sides.
    baseline : str, optional
        The side that the others are divided by; by default the first.
    by : sequence of str
        An answer for each value of these: direction,bs.
    x : str, optional
        The condition that was swept.
    where : sequence of str
        Keep these rows: direction=read, 'bs>=4k', "rw in ['read', 'write']".
    """
    path = Path(output)
    if path.suffix.lower() != ".ipynb":
        raise Trouble(f"{output}: a notebook ends in .ipynb", 2)
    if path.exists():
        raise Trouble(f"{output} is there, and may have been edited: choose another name", 2)
    atomic_write.refuse_missing_folder(path)
    for module in _NEEDED:
        needed(module, "a notebook", "notebooks")
    given = {
        key: value
        for key, value in (
            ("metric", metric),
            ("between", between),
            ("baseline", baseline),
            ("x", x),
            ("by", list(by)),
            ("where", list(where)),
        )
        if value
    }
    from fiotools.notebooks import template

    folder = path.resolve().parent
    named = _named(stored, name)
    named, values = _values(name, named, given)
    values |= {"files": _seen_from(folder, named), "facts": {}, "out": path.stem}
    made = template.template(name)
    template.fill(made, values)
    text = f"`fiotools notebook {name}` filled in your files and what it found in them."
    template.introduce(made, text)
    try:
        template.execute(made, folder)
    except template.NotebookError as error:
        told = ": ".join(str(error).splitlines())
        raise Trouble(f"{told}; no notebook was written") from None
    atomic_write.write_bytes(path, template.text(made).encode())
    say(f"wrote {path}: jupyter lab {path} opens it")
    return 0


def _named(files: Sequence[str], name: str) -> Any:
    """Return what the notebook reads: several files without a name are sides, except logs."""
    if name == "campaign" and len(files) > 1:
        raise Trouble("a notebook is of one campaign: name its folder", 2)
    found = sources.named(files, "a notebook reads its files again, and not -")
    if not isinstance(found, list | tuple) or name == "log" or fields_of(found):
        return found
    return dict(zip(short_names(found), found, strict=True))


def _values(name: str, files: Any, given: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the files, and the parameters of the template that were given or are found."""
    from fiotools.input.read import read
    from fiotools.notebooks.choices import chosen, of_log

    asked = parameters(name)
    if name == "log":
        files, found, said = of_log(files)
        for one in said:
            say(one)
        return files, found
    if name == "campaign":
        from fiotools.measure.campaign import campaign

        return files, chosen(asked, campaign(files).folder, given)
    results = read(files)
    with wrong_condition():
        results = results.where(*given.get("where", ()))
    if name in _OF_SIDES and isinstance(files, str) and not given.get("between"):
        source = sides.sides(results, [files])
        if source is not None and not results.labels and sides.only(source):
            files, results = sides.files_of(source), source.results
    try:
        return files, chosen(asked, results, given)
    except SchemaError as error:
        raise Trouble(str(error)) from None


def _seen_from(folder: Path, files: Any) -> Any:
    """Name files as a notebook in a folder has to name them."""
    from fiotools.input.sources import is_url

    if isinstance(files, Mapping):
        return {name: _seen_from(folder, one) for name, one in files.items()}
    if not isinstance(files, str):
        found = [_seen_from(folder, one) for one in files]
        return found[0] if len(found) == 1 else found
    if is_url(files) or Path(files).is_absolute():
        return files
    return os.path.relpath(files, folder).replace(os.sep, "/")
