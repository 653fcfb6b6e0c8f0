"""A headless Chromium, driven over WebDriver's plain HTTP."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import tempfile
import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from pathlib import Path

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--enable-precise-memory-info",
    "--js-flags=--expose-gc",
)
_PATIENCE = 20  # seconds


class Browser(AbstractContextManager["Browser"]):
    """One window."""

    def __init__(self, width: int = 1280, height: int = 900, flags: tuple[str, ...] = ()) -> None:
        driver = shutil.which("chromedriver")
        if not driver:
            raise SystemExit("There is no chromedriver: apt-get install chromium chromium-driver")
        self._profile = tempfile.TemporaryDirectory()
        self._driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, text=True)
        self._base = f"http://127.0.0.1:{self._port()}"
        arguments = [*FLAGS, *flags, f"--window-size={width},{height}"]
        arguments.append(f"--user-data-dir={self._profile.name}")
        options = {"goog:chromeOptions": {"args": arguments}}
        found = self._send("POST", "/session", {"capabilities": {"alwaysMatch": options}})
        self._session = f"/session/{found['sessionId']}"

    def __exit__(self, *_: object) -> None:
        self._send("DELETE", self._session)
        self._driver.terminate()
        self._driver.wait()
        self._profile.cleanup()

    @property
    def pid(self) -> int:
        """The parent of Chromium's processes."""
        return self._driver.pid

    def open(self, url: str) -> None:
        self._send("POST", f"{self._session}/url", {"url": url})

    def run(self, script: str, *args: Any) -> Any:
        """Run a script in the page; return its value, or that of its promise."""
        body = {"script": script, "args": args}
        return self._send("POST", f"{self._session}/execute/sync", body)

    def until(self, script: str) -> Any:
        """Wait until a script returns a true value."""
        end = time.monotonic() + _PATIENCE
        while not (found := self.run(script)):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.02)
        return found

    def devtools(self, command: str, **params: Any) -> Any:
        body = {"cmd": command, "params": params}
        return self._send("POST", f"{self._session}/goog/cdp/execute", body)

    def screenshot(self, path: Path) -> None:
        data = self._send("GET", f"{self._session}/screenshot")
        path.write_bytes(base64.b64decode(data))

    def _port(self) -> str:
        assert self._driver.stdout is not None
        for line in self._driver.stdout:
            if "started successfully on port" in line:
                return line.split("port")[-1].strip(" .\n")
        raise SystemExit("chromedriver did not start")

    def _send(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(self._base + path, data, {"Content-Type": "application/json"})
        request.method = method
        try:
            with urlopen(request, timeout=120) as response:
                return json.load(response)["value"]
        except HTTPError as error:
            raise RuntimeError(error.read().decode()[:2000]) from error
        except URLError as error:
            raise RuntimeError(f"chromedriver does not respond: {error}") from error
