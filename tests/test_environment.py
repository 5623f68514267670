"""pyproject.toml, environment.yml and requirements.lock say the same thing."""

import re
import tomllib

import pytest
import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")

# Where conda-forge has another name. The -base packages leave out the Qt that we do not need.
CONDA = {
    "matplotlib-base": "matplotlib",
    "python-build": "build",
    "python-duckdb": "duckdb",
    "seaborn-base": "seaborn",
}

# A new minor version of these formats or compares otherwise.
TOOLS = ("nbval", "ruff")

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "macos": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    "windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
}


def declared():
    """Return name -> version range: the library, every extra, the development group."""
    project = PROJECT["project"]
    lines = [
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
        *PROJECT["dependency-groups"]["dev"],
    ]
    requirements = [Requirement(line) for line in lines]
    # an extra that takes in another
    requirements = [req for req in requirements if req.name != project["name"]]
    found = {canonicalize_name(req.name): req.specifier for req in requirements}
    assert len(found) == len(requirements), "a package is listed twice"
    return found


def locked():
    """Return name -> the lock's pins: more than one where Pythons or systems differ."""
    found = {}
    for line in re.findall(r"^([a-z0-9].*?) *\\$", LOCK, re.MULTILINE):
        req = Requirement(line)
        found.setdefault(canonicalize_name(req.name), []).append(req)
    return found


def test_environment_yml_matches_pyproject():
    spec = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert spec["name"] == PROJECT["project"]["name"]
    assert spec["channels"] == ["conda-forge", "nodefaults"]
    *lines, last = spec["dependencies"]
    # What conda knows nothing of, and the project itself; pip finds its dependencies fulfilled.
    *by_pip, itself = last["pip"]
    assert itself == "--editable ."
    found = {canonicalize_name(req.name): req.specifier for req in map(Requirement, by_pip)}
    for line in lines:
        name, _, version = line.partition(" ")
        found[canonicalize_name(CONDA.get(name, name))] = Requirement(f"x {version}").specifier
    lowest, highest = PYTHONS[0], PYTHONS[-1]
    python = found.pop("python")
    assert python == Requirement(f"x >={lowest},<3.{int(highest.partition('.')[2]) + 1}").specifier
    assert PROJECT["project"]["requires-python"] == f">={lowest}"
    found.pop("pip")
    assert found == declared()


def test_the_library_takes_what_is_newer_than_the_lock():
    """Up to a version that may break it: exactness is the lock's work."""
    for name, specifier in declared().items():
        (lowest,) = [one.version for one in specifier if one.operator == ">="]
        if name not in TOOLS:
            assert specifier.contains(f"{lowest.partition('.')[0]}.999"), name


def test_lock_has_a_hash_for_every_pin_and_names_no_host():
    assert not re.search(r"://|--(index-url|extra-index-url|find-links|trusted-host)|@ ", LOCK)
    lines = LOCK.splitlines()
    pins = [i for i, line in enumerate(lines) if not line.startswith((" ", "#"))]
    assert len(pins) == sum(map(len, locked().values()))
    assert all(lines[i + 1].startswith("    --hash=sha256:") for i in pins)


def test_lock_satisfies_pyproject():
    pins = locked()
    for name, specifier in declared().items():
        assert name in pins, f"{name} is not in requirements.lock: python3 tasks.py lock"
        for pin in pins[name]:
            assert all(specifier.contains(exact.version) for exact in pin.specifier), str(pin)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("python", PYTHONS)
def test_lock_gives_one_version_of_each(python, system):
    here = default_environment() | SYSTEMS[system]
    here |= {"python_version": python, "python_full_version": f"{python}.0"}
    chosen = {}
    for name, pins in locked().items():
        hits = [pin for pin in pins if pin.marker is None or pin.marker.evaluate(here)]
        assert len(hits) <= 1, name
        chosen[name] = hits
    assert all(chosen[name] for name in declared()), "a direct dependency is missing here"
