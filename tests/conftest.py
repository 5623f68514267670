import signal
from importlib.util import find_spec
from pathlib import Path

import matplotlib as mpl
import pytest
from hypothesis import settings

mpl.use("Agg")
settings.register_profile("any machine", deadline=None)  # a busy one is no failure
settings.load_profile("any machine")

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests" / "fixtures"
SHARED = ROOT.parent / "shared"
# the type that each of the vocabulary's has in pandas
PANDAS = {
    **{name: name for name in ("Int64", "float64", "boolean", "str")},
    "datetime": "datetime64[ms, UTC]",
}
# Looked for, not imported: that would change the fonts of all figures that come after it.
needs_letters = pytest.mark.skipif(
    find_spec("matplotlib_fontja") is None,
    reason="matplotlib-fontja is not installed: python -m pip install 'fiotools[ja]'",
)
# These take longest and come first, in this order: begun last, one would leave a processor idle.
LONG = """
    templates readme interrupted wheel questions security docs_site executor corpus fuzz gate
    refused notebooks properties scan_log kernel fio_normal diskspd_text start docs live
    experiments check_verdicts worlds own_job spelling
"""
RANKS = {f"test_{name}.py": rank for rank, name in enumerate(LONG.split())}
RAN, ran = "fiotools/ran", []


def pytest_addoption(parser):
    told = "only what the last run skipped or did not have, as it was without a tool or the corpus"
    parser.addoption("--not-run", action="store_true", help=told)


def pytest_collection_modifyitems(config, items):
    items.sort(key=lambda item: RANKS.get(item.path.name, len(RANKS)))
    if config.getoption("not_run"):
        before = set(config.cache.get(RAN, []))
        left_out = [item for item in items if item.nodeid in before]
        items[:] = [item for item in items if item.nodeid not in before]
        config.hook.pytest_deselected(items=left_out)


def pytest_runtest_logreport(report):
    if report.when == "call" and not report.skipped:
        ran.append(report.nodeid)


def pytest_sessionfinish(session):
    config = session.config  # a worker has one, too; who gave it its tests has heard of all
    if hasattr(config, "cache") and not hasattr(config, "workerinput"):
        config.cache.set(RAN, ran)


@pytest.fixture(scope="session", autouse=True)
def signals_arrive():
    """What is ignored here, as under nohup, would be ignored in each command that a test starts."""
    names = ("SIGHUP", "SIGINT", "SIGTERM")  # Windows has no SIGHUP
    asked = [getattr(signal, name) for name in names if hasattr(signal, name)]
    ignored = [number for number in asked if signal.getsignal(number) == signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda *_: None)  # which no other process inherits
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(scope="session")
def fixture_files():
    """Every committed output of a tool."""
    kinds = {".txt", ".xml", ".json", ".log", ".terse", ".csv"}
    # beside an output of dd stands a .json with what it says
    described = {file.with_suffix(".json") for file in FIXTURES.glob("dd/*.txt")}
    return [
        file
        for file in sorted(FIXTURES.rglob("*"))
        if file.suffix in kinds and file not in described
    ]


@pytest.fixture(scope="session")
def articles():
    folder = SHARED / "articles"
    if not folder.is_dir():
        pytest.skip("the articles are not beside the project (../shared/articles)")
    return folder
