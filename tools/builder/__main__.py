"""Build the pages of ``docs/`` as a site of plain files: ``python -m tools.builder``.

Every example runs, and a warning is an error. The site works without a network, and every link
in it is followed once.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from tools.builder import pages
from tools.builder.links import problems
from tools.generator.filled import DOCS, ROOT

BUILD = ROOT / "build" / "docs"
# what the examples read, copied to where they run, so that nothing they write is in the tree
COPIED = ("data", "tests/fixtures")


def main() -> int:
    """Build the site and check every link."""
    parser = argparse.ArgumentParser(prog="tools.builder", description="Build the pages of docs/.")
    parser.add_argument("source", nargs="?", type=Path, default=DOCS)
    parser.add_argument("build", nargs="?", type=Path, default=BUILD, help="a new folder")
    args = parser.parse_args()
    build = args.build.resolve()
    if build == BUILD:
        shutil.rmtree(build, ignore_errors=True)
    elif build.exists():
        parser.error(f"{args.build} exists already")
    site, work = build / "html", build / "work"
    for place in COPIED:
        shutil.copytree(ROOT / place, work / place)
    source = pages.write(build, work) if args.source == DOCS else args.source
    options = ["--builder", "html", "--doctree-dir", str(build / "doctrees"), "--jobs", "2"]
    options += ["--conf-dir", str(DOCS), "--define", f"examples_run_in={work}"]
    options += ["--fail-on-warning", "--quiet"]
    if build_main([*options, str(source), str(site)]):
        return 1
    found = problems(site)
    print(*found, sep="\n", end="\n" if found else "")
    print(f"the pages: {(site / 'index.html').as_uri()}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
