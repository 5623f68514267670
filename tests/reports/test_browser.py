"""A page in a real browser, without a network: nothing fails, and nothing is wider than the screen."""

import json
import shutil
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

import fiotools as ft
from tests.conftest import ROOT

websocket = pytest.importorskip("websocket", reason="needs websocket-client, as JupyterLab has it")
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


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    return ft.report(ROOT / "data" / "own-disk" / "small-files", path)


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
            while tab.value("document.readyState") != "complete":
                assert time.monotonic() < end, "the page did not load"
                time.sleep(0.1)
            assert tab.value("document.documentElement.scrollWidth") <= width
            plots = "[...document.querySelectorAll('figure > img')]"
            assert tab.value(f"{plots}.length") == 3
            assert tab.value(f"{plots}.every(one => one.complete && one.naturalWidth > 0)")
            # the box of a plot ends where the page ends, and its letters stay legible
            right = "one.parentElement.getBoundingClientRect().right"
            assert tab.value(f"Math.max(...{plots}.map(one => {right}))") <= width
            shrunk = f"Math.min(...{plots}.map(one => one.clientWidth / one.naturalWidth))"
            assert tab.value(shrunk) > 0.8
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
        assert asked <= {"file", "data"}
