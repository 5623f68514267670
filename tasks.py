#!/usr/bin/env python3
"""Every job of this project: python3 tasks.py VERB (on Windows: py tasks.py VERB).

Each verb first sets up what it needs, in .venv and nowhere else. Standard library only, and in
words that any Python 3 understands, so that an old one gets a sentence and not a traceback.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "fiotools-stamp"

# The cheap ones first; all of them run even if one fails. Two that keep one processor busy run at a
# time, and two tests, those of one file together; the notebooks before the rest, which looks at the
# figures that they draw.
TWO = ["-n", "2", "--dist", "loadfile"]
TESTS = ["--no-loadscope-reorder", "--ignore-glob=*.ipynb", "fiotools", "tools", "tests"]
TEMPLATES = sorted(str(file) for file in ROOT.glob("fiotools/notebooks/*.ipynb"))
CHECKS = [
    {"ruff check": ["ruff", "check", "."]},
    {"ruff format": ["ruff", "format", "--check", "."]},
    {"mypy": ["mypy"], "docs": ["tools.builder"]},
    {"notebooks": ["pytest", *TWO, "notebooks", *TEMPLATES]},
    {"tests": ["pytest", *TWO, *TESTS]},
]
CACHES = [".hypothesis", ".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache"]
# `lock` refuses a version that one of these would have to build from source.
PLATFORMS = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "aarch64-apple-darwin",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]  # any other gets a sentence


def help_(args):
    """print this list"""
    print("python3 tasks.py VERB [ARGUMENTS]      (Windows: py tasks.py VERB; or: make VERB)\n")
    for name, verb in VERBS.items():
        print(f"  {name:8} {verb.__doc__}")
    return 0


def figures(args):
    """execute the notebooks (all, or those named) and rewrite figures/ (--lang ja: figures/ja/)"""
    set_up()
    return module("tools.notebooks", *args)


def docs(args):
    """rewrite the pages made from the code, and build the site of docs/, its examples executed"""
    set_up()
    return module("tools.generator") or module("tools.builder")


def test(args):
    """lint, formatting, types, tests and every notebook (ARGUMENTS: only pytest, with these)"""
    set_up()
    codes = {}
    for checks in [{"pytest": ["pytest", *args]}] if args else CHECKS:
        codes.update(modules(checks))
    failed = [name for name, code in codes.items() if code]
    print("\nFAILED: " + ", ".join(failed) if failed else "\npassed: " + ", ".join(codes))
    return 1 if failed else 0


def build(args):
    """build the sdist and the wheel into dist/"""
    set_up()
    return module("build", "--no-isolation", *args)


def fuzz(args):
    """break real files in every way and read them (ARGUMENTS: readers, --seconds N for each)"""
    set_up()
    return module("tests.fuzz", *args)


def bench(args):
    """measure fiotools against floors and peers (--quick: below three minutes; --help: the rest)"""
    set_up()
    return module("benchmarks", *args)


def lab(args):
    """open JupyterLab on the contents of the notebooks"""
    set_up()
    # Rooted here and not in notebooks/, so that data/ and figures/ can be looked at too.
    here = ["--ServerApp.root_dir=.", "--LabApp.default_url=/lab/tree/notebooks/README.md"]
    # The page of contents is Markdown, which is then shown and not edited.
    shown = "--LabApp.app_settings_dir={}".format(ROOT / "tools" / "lab")
    return module("jupyterlab", *here, shown, *args)


def format_(args):
    """format all code, notebooks too, and mend what ruff can mend"""
    set_up()
    return module("ruff", "check", "--fix", ".") or module("ruff", "format", ".")


def clean(args):
    """remove .venv, build/ and all caches"""
    leave_venv()
    folders = [VENV, *(ROOT / name for name in ("build", *CACHES))]
    for place in ("benchmarks", "docs", "fiotools", "notebooks", "tests", "tools"):
        for name in ("__pycache__", ".ipynb_checkpoints"):
            folders += sorted((ROOT / place).rglob(name))
    for folder in filter(Path.exists, folders):
        print("removing", folder.relative_to(ROOT))
        try:
            shutil.rmtree(folder)
        except PermissionError as error:
            in_use(error)
    return 0


def lock(args):
    """for maintainers: renew requirements.lock with uv (--upgrade: take newer versions)"""
    uv = shutil.which("uv")
    if not uv:
        sys.exit("this verb needs uv on the PATH (a virtual environment with `pip install uv`)")
    # Universal: one file for all systems and Pythons. Without header and index, it names no host.
    compiling = [uv, "pip", "compile", "--quiet", "--universal", "--python-version", PYTHONS[0]]
    compiling += ["--generate-hashes", "--no-header", "--no-emit-index-url"]
    compiling += ["--all-extras", "--group", "dev", "--constraints", "constraints.txt"]
    if run(*compiling, *args, "pyproject.toml", "--output-file", "requirements.lock"):
        return 1
    trying = [uv, "pip", "install", "--quiet", "--dry-run", "--only-binary", ":all:"]
    trying += ["--require-hashes", "--requirements", "requirements.lock"]
    failed = 0
    with tempfile.TemporaryDirectory() as target:
        for platform in PLATFORMS:
            for python in PYTHONS:
                print(platform, python, flush=True)
                where = ["--target", target, "--python-platform", platform]
                failed += run(*trying, *where, "--python-version", python, echo=False) != 0
    if failed:
        print("constrain what has no wheel, in constraints.txt, and try again")
    return 1 if failed else 0


VERBS = {
    verb.__name__.rstrip("_"): verb
    for verb in (help_, figures, docs, test, build, fuzz, bench, lab, format_, clean, lock)
}


def run(*command, echo=True, progress=None):
    """Run a command; ``progress`` is given each line that it prints, which is not shown."""
    words = [str(word) for word in command]
    if echo:
        print("+", *words, flush=True)
    if progress is None:
        return subprocess.call(words, cwd=str(ROOT), env=environment())
    caught = {"stdout": subprocess.PIPE, "encoding": "utf-8", "errors": "replace"}
    with subprocess.Popen(words, cwd=str(ROOT), env=environment(), **caught) as process:
        for line in process.stdout:
            progress(line)
    return process.returncode


def environment():
    """Return the caller's, with folders in .venv for what programs keep and can keep nowhere else.

    Python's compiled code: without it, each of a hundred processes compiles pandas again. And a
    home: IPython and Jupyter warn of one that cannot be written, and tests take that for an error.
    """
    kept = dict(os.environ)
    if kept.pop("PYTHONDONTWRITEBYTECODE", ""):
        kept["PYTHONPYCACHEPREFIX"] = str(VENV / "compiled")
    own = os.path.expanduser("~")  # noqa: PTH111 (Path's raises if there is none)
    if os.name != "nt" and not os.access(own, os.W_OK):
        home = VENV / "home"
        home.mkdir(parents=True, exist_ok=True)
        kept.update(HOME=str(home), PIP_NO_CACHE_DIR="1")
    return kept


def module(*command):
    print("+ python -m", *command, flush=True)
    return run(PYTHON, "-m", *command, echo=False)


def modules(commands):
    """Run commands at the same time; what the first ones print is shown when the last has ended."""
    *others, last = commands
    begun = {}
    for name in others:
        command = [str(PYTHON), "-m", *commands[name]]
        caught = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        begun[name] = subprocess.Popen(command, cwd=str(ROOT), env=environment(), **caught)
    code = module(*commands[last])
    codes = {}
    for name, process in begun.items():
        print("+ python -m", *commands[name])
        print(process.communicate()[0].decode("utf-8", "replace"), flush=True)
        codes[name] = process.returncode
    return {**codes, last: code}


def stamp():
    """Return what .venv depends on: the Python, the place, the lock and the project's metadata."""
    import tomllib  # not at the top: older Pythons lack it, and get their message first

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    # Text mode folds CRLF; the tools' own tables in pyproject.toml do not matter to .venv.
    parts = [
        sys.version,
        str(ROOT),
        (ROOT / "requirements.lock").read_text(encoding="utf-8"),
        json.dumps([project["build-system"], project["project"]], sort_keys=True),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def leave_venv():
    if Path(sys.prefix).resolve() == VENV:
        sys.exit("this would remove the .venv that is running it; deactivate it and try again")


def in_use(error):
    """End with what Windows does not say: no file of a running program can be removed there."""
    told = "if something runs in .venv (JupyterLab, an editor, a terminal), end it and try again"
    sys.exit(f"{error.filename or VENV}: {error.strerror or error}; {told}")


def set_up():
    """Make .venv from requirements.lock, unless it is there and made from the same things."""
    if "{}.{}".format(*sys.version_info) not in PYTHONS:
        told = f"fiotools needs Python {PYTHONS[0]} to {PYTHONS[-1]}, as requirements.lock does"
        sys.exit(f"{told}; this is {sys.version.split()[0]}")
    if PYTHON.exists() and STAMP.exists() and STAMP.read_text(encoding="utf-8") == stamp():
        return
    leave_venv()
    if VENV.exists() and not STAMP.exists():
        told = "there is a .venv that this command did not make: give it another name, or remove it"
        sys.exit(f"{told}; what is in it can do all of this too, see docs/install.md")
    print("setting up .venv (once, about a minute, 1.3 GB) ...", flush=True)
    warnings = os.environ.pop("PYTHONWARNINGS", None)  # "error" ends pip, which warns of itself
    try:
        make_venv()
    finally:
        if warnings is not None:
            os.environ["PYTHONWARNINGS"] = warnings
    # Last, so that an interrupted set-up is begun again.
    STAMP.write_text(stamp(), encoding="utf-8")


def make_venv():
    try:
        import venv

        if STAMP.exists():
            STAMP.write_text("", encoding="utf-8")  # first: what is half removed is no .venv
        venv.create(VENV, clear=True, with_pip=True)
        STAMP.touch()  # it is ours, and not yet whole
    except PermissionError as error:
        in_use(error)
    except (ModuleNotFoundError, subprocess.CalledProcessError):
        sys.exit("python3 -m venv does not work; on Debian and Ubuntu: apt install python3-venv")
    pip = [PYTHON, "-m", "pip", "--disable-pip-version-check", "install"]
    # Wheels only, each checked against its hash. Python compiles what it imports; all would take
    # half a minute more.
    wheels = ["--require-hashes", "--only-binary", ":all:", "--no-compile"]
    shown = None if sys.stdout.isatty() else counted()
    code = run(*pip, *wheels, "-r", "requirements.lock", progress=shown)
    if code:
        sys.exit(f"what requirements.lock lists could not be installed (pip: {code}); see above")
    # The project itself, with nothing to download.
    code = run(*pip, "--quiet", "--no-deps", "--no-build-isolation", "--editable", ".")
    if code:
        sys.exit(f"fiotools itself could not be installed (pip: {code}); see above")
    relate()
    # jsonschema's check of IRIs, of which a notebook has none: while it is there, each process that
    # reads a notebook takes two seconds longer to begin.
    run(PYTHON, "-m", "pip", "uninstall", "--quiet", "--yes", "rfc3987-syntax")


def counted():
    """Return what makes a few lines of pip's hundreds, for a log; a terminal shows pip's own."""
    collected = []

    def show(line):
        first, _, rest = line.strip().partition(" ")
        if first == "Collecting":
            collected.append(rest)
            if len(collected) % 25 == 0:
                print(f"  {len(collected)} packages: {rest.partition(' ')[0]}", flush=True)
        elif first == "Installing":
            print(f"  installing {len(collected)} packages", flush=True)

    return show


def relate():
    """Name this folder by its way from .venv in the file by which Python finds the project.

    pip writes the whole path in UTF-8, and Python up to 3.12 reads it as the locale has it.
    """
    base = {"base": str(VENV), "platbase": str(VENV)}
    packages = Path(sysconfig.get_path("purelib", "venv", base))
    here = os.path.relpath(str(ROOT), str(packages))
    (packages / "_fiotools.pth").write_text(here + "\n", encoding="utf-8")


def main():
    name, *args = sys.argv[1:] or ["help"]
    name = {"-h": "help", "--help": "help"}.get(name, name)
    if name not in VERBS:
        print(f"there is no verb {name!r}\n", file=sys.stderr)
        help_([])
        return 2
    for stream in (sys.stdout, sys.stderr):  # a pipe of Windows has few letters
        stream.reconfigure(errors="backslashreplace")
    try:
        return VERBS[name](args)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
