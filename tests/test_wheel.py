"""The wheel, built as a release is, with the newest packages that it allows, and nothing else."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from fiotools.readers import built_in
from tests.conftest import ROOT
from tests.fuzz import seeds

# what the library must do without
NOTEBOOKS = ("IPython", "ipykernel", "jupyterlab", "nbclient", "nbconvert", "nbformat", "traitlets")
USE = """
import importlib, json, sys
from pathlib import Path
import fiotools as ft
from fiotools.articles.examples import example_path
from fiotools.articles.published import published

def is_there(name):
    try:
        return bool(importlib.import_module(name))
    except ModuleNotFoundError:
        return False

res = ft.example("dda-vhdx")
read = ft.read(sys.argv[1] + "/{volume}.xml")
answer = ft.compare(read.io, "iops", between="volume", baseline="vhdx", by="direction")
print(json.dumps({
    "where": ft.__file__,
    "version": ft.__version__,
    "pandas": sys.modules["pandas"].__file__,
    "typed": Path(ft.__file__).with_name("py.typed").is_file(),
    "example": repr(res),
    "volumes": res.runs["volume"].tolist(),
    "ratios": answer["ratio"].round(3).tolist(),
    "published": int(published(example_path("page-cache"))["agrees"].sum()),
    "heavy": [name for name in %r if is_there(name)],
}))
"""

# every module, but those that an extra is for; then a file of each format
READ = """
import json, sys
from importlib import import_module
from pkgutil import walk_packages
import fiotools as ft

lacking = {}
for module in walk_packages(ft.__path__, "fiotools."):
    if module.name != "fiotools.__main__":
        try:
            import_module(module.name)
        except ModuleNotFoundError as error:
            lacking[module.name] = error.name
runs = ft.read(sys.argv[1]).runs
print(json.dumps({"lacking": lacking, "formats": sorted({*runs["format"]})}))
"""
# modules that work with what an extra installs
OF_EXTRAS = {"fiotools.notebooks.kernel", "fiotools.notebooks.template"}


def run(*command, **told):
    done = subprocess.run(
        list(map(str, command)), capture_output=True, encoding="utf-8", check=False, **told
    )
    assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build both from a copy of what git has: the wheel is built from the unpacked sdist."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("not a git checkout: what belongs to the project is not known")
    copy = tmp_path_factory.mktemp("checkout")
    listed = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    for name in filter(None, run("git", "-C", ROOT, *listed).split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    run(sys.executable, "-m", "build", "--no-isolation", cwd=copy)
    (wheel,) = copy.glob("dist/*.whl")
    return copy, wheel


def python_of(environment):
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


@pytest.fixture(scope="module")
def environment(built, tmp_path_factory):
    """An environment with the wheel, and the newest of all that it asks for."""
    folder = tmp_path_factory.mktemp("environment")
    ours = importlib.util.find_spec("pip") is not None
    venv.create(folder, with_pip=not ours)
    pip = [sys.executable, "-m", "pip", "--python", python_of(folder)] if ours else []
    pip = [*(pip or [python_of(folder), "-m", "pip"]), "--disable-pip-version-check"]
    newest = ["install", "--upgrade", "--only-binary", ":all:", "--no-compile", built[1]]
    done = subprocess.run([*pip, *newest], capture_output=True, encoding="utf-8", check=False)
    if "(from versions: none)" in done.stderr:
        pytest.skip("no index of packages can be reached")
    assert done.returncode == 0, done.stderr
    return folder


def test_the_wheel_holds_the_library_and_its_data_only(built):
    copy, wheel = built
    names = set(zipfile.ZipFile(wheel).namelist())
    inside = {name for name in names if ".dist-info/" not in name}
    package = {file.relative_to(copy).as_posix() for file in copy.glob("fiotools/**/*.*")}
    data = {
        f"fiotools/examples/{file.relative_to(copy / 'data').as_posix()}"
        for file in copy.glob("data/**/*")
        if file.is_file()
    }
    assert inside == {name for name in package if (copy / name).is_file()} | data
    assert {"fiotools/py.typed", "fiotools/examples/dda-vhdx/xml/nvme.xml"} <= inside


def test_the_page_of_a_package_index_leads_to_the_project(built):
    with zipfile.ZipFile(built[1]) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith("/METADATA")]
        about = wheel.read(name).decode()
    assert "\nDescription-Content-Type: text/markdown\n" in about
    (repository,) = re.findall(r"^Project-URL: Repository, (\S+)$", about, re.M)
    assert f"({repository}/raw/HEAD/figures/05-mount-ratios.png)" in about
    assert not re.findall(r"\]\((?!https:|#)", about)


def clean_environment(folder):
    """Return the variables of the caller without those of Python, and a home for matplotlib."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTHON") or name == "PYTHONPYCACHEPREFIX"
    }
    return {**clean, "MPLCONFIGDIR": str(folder)}


def test_the_wheel_alone_imports_every_module_and_reads_every_format(environment, tmp_path):
    files, wanted_formats = tmp_path / "files", set()
    files.mkdir()
    for name, seeds_of in seeds().items():
        for file, data in seeds_of[:1]:
            # a fio log says in its name what it holds
            (files / file).write_bytes(data)
            wanted_formats.add(name)
    python, clean = python_of(environment), clean_environment(tmp_path)
    told = json.loads(run(python, "-c", READ, files, cwd=tmp_path, env=clean))
    assert {*told["lacking"]} <= OF_EXTRAS, told["lacking"]
    assert {reader.name for reader in built_in()} == wanted_formats
    # a transcript's runs are of the tools in it
    assert wanted_formats - {"transcript"} <= {*told["formats"]}


def test_the_wheel_in_an_empty_environment(environment, tmp_path):
    python, clean = python_of(environment), clean_environment(tmp_path)
    data = tmp_path / "mine"
    shutil.copytree(ROOT / "data/dda-vhdx/xml", data)

    def use(*command):
        return run(*command, cwd=tmp_path, env=clean)

    told = json.loads(use(python, "-c", USE % (NOTEBOOKS,), data))
    assert Path(told["where"]).is_relative_to(environment)
    assert Path(told["pandas"]).is_relative_to(environment)
    assert told["typed"]
    assert told["example"].startswith("<Results: 3 files, DISKSPD 2.0.21a, 3 runs,")
    assert told["volumes"] == ["mirror", "nvme", "vhdx"]
    assert told["ratios"] == [0.709, 1.82, 0.71, 1.819]
    assert told["published"] == 23
    assert not told["heavy"]
    command = python.with_name("fiotools.exe" if os.name == "nt" else "fiotools")
    assert told["version"] in use(command, "--version")
    assert "diskspd_xml" in use(command, "formats")
    sides = [f"{data}/{{volume}}.xml", "--baseline", "vhdx"]
    assert "1.82" in use(command, "compare", *sides, "--metric", "iops", "--by", "direction")
