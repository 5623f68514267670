"""A page in a real browser, without a network: nothing fails, and nothing is wider than the screen."""

import json
import shutil
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import fiotools as ft
from fiotools.reports.report import page
from tests.conftest import ROOT

websocket = pytest.importorskip("websocket", reason="needs websocket-client, as JupyterLab has it")
pytest.importorskip("nbconvert", reason="needs the extra [report]")
CHROMIUM = next(
    (
        found
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (found := shutil.which(name))
    ),
    None,
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0")
PATIENCE = 60  # seconds; a busy machine is no reason to fail


class Tab:
    """One page of the browser, spoken to by its debugging protocol."""

    def __init__(self, address):
        self.socket = websocket.create_connection(address, timeout=PATIENCE)
        self.count, self.events = 0, []

    def __call__(self, method, **arguments):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": arguments}))
        while (answer := json.loads(self.socket.recv())).get("id") != self.count:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def value(self, expression):
        return self("Runtime.evaluate", expression=expression)["result"]["value"]


@contextmanager
def browser(profile):
    with subprocess.Popen(
        [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "--remote-allow-origins=*", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            port = Path(profile, "DevToolsActivePort")
            end = time.monotonic() + PATIENCE
            while not port.exists() or "\n" not in port.read_text():
                assert time.monotonic() < end, "chromium did not start"
                time.sleep(0.1)
            listing = f"http://127.0.0.1:{port.read_text().splitlines()[0]}/json"
            with urllib.request.urlopen(listing) as tabs:
                (first,) = [tab for tab in json.load(tabs) if tab["type"] == "page"]
            tab = Tab(first["webSocketDebuggerUrl"])
            yield tab
            tab.socket.close()
        finally:
            process.terminate()


def outputs(study, folder):
    """Give what a notebook would show of a study: each kind of piece, and one figure."""
    picture = '<svg xmlns="http://www.w3.org/2000/svg" width="504pt" height="300pt"></svg>'
    pieces = [
        study.verdict(),
        study.parts[0].heading,
        study.credibility(),
        study.settings(),
        study.tables(folder),
        study.measured(),
        study.remarks(),
    ]
    shown = [{"text/html": piece.html} for piece in pieces]
    return [*shown, {"image/svg+xml": picture}, {"text/plain": "long " * 100}]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    study = ft.study(ROOT / "data" / "own-disk" / "small-files")
    shown = [new_output("display_data", data=data) for data in outputs(study, folder)]
    cells = [new_markdown_cell("# A title"), new_code_cell("1", outputs=shown)]
    path = folder / "page.html"
    path.write_text(page(new_notebook(cells=cells), folder), encoding="utf-8")
    return path


def test_opens_without_a_network_on_any_screen_in_light_and_dark(file, tmp_path):
    with browser(tmp_path) as tab:
        for domain in ("Page", "Log", "Runtime", "Network"):
            tab(f"{domain}.enable")
        nothing = {"latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        tab("Network.emulateNetworkConditions", offline=True, **nothing)
        papers = []
        for width, scheme in ((1280, "light"), (390, "light"), (390, "dark")):
            size = {"width": width, "height": 900, "deviceScaleFactor": 1}
            tab("Emulation.setDeviceMetricsOverride", mobile=width < 600, **size)
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            tab("Emulation.setEmulatedMedia", features=features)
            tab("Page.navigate", url=file.as_uri())
            end = time.monotonic() + PATIENCE
            while tab.value("document.readyState + document.images.length") != "complete1":
                assert time.monotonic() < end, "the page did not load"
                time.sleep(0.1)
            assert tab.value("document.documentElement.scrollWidth") <= width
            assert tab.value("document.images[0].naturalWidth") > 0
            papers.append(tab.value("getComputedStyle(document.body).backgroundColor"))
        assert papers[0] == papers[1] == "rgb(255, 255, 255)"
        assert papers[2] != papers[0]
        assert tab("Page.printToPDF")["data"]
        kinds = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        assert [event for event in tab.events if event.get("method") in kinds] == []
        asked = {
            event["params"]["request"]["url"].partition(":")[0]
            for event in tab.events
            if event.get("method") == "Network.requestWillBeSent"
        }
        assert asked == {"file", "data"}
