"""A headless Chromium from Debian's packages, and what tests do with it."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.support.patience import PATIENCE

FLAGS = """
    --headless --no-sandbox --disable-gpu --disable-quic --disable-dev-shm-usage --no-first-run
    --disable-background-networking --disable-component-update --disable-sync
    --window-size=1280,900
""".split()
STILL = {"name": "prefers-reduced-motion", "value": "reduce"}
WATCH = """
window.__violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.__violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});
for (const name of ["alert", "confirm", "prompt", "print"]) {
  window[name] = () => { window.__pwned = name; };
}
"""
"""Runs in every page before its own scripts."""


class Chromium:
    def __init__(self, profile: Path) -> None:
        browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
        assert browser, "There is no chromium: make chromium"
        assert driver, "There is no chromedriver: make chromium"
        options = ChromeOptions()
        options.binary_location = browser
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = Chrome(options, Service(driver))
        self.driver.set_script_timeout(PATIENCE)
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.command_executor.client_config.timeout = PATIENCE
        self.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def devtools(self, command: str, **params: Any) -> dict[str, Any]:
        return self.driver.execute_cdp_cmd(command, params)

    def open(self, url: str) -> None:
        """Load a page of ours, and wait until it can be used."""
        self.driver.get("about:blank")  # a URL that differs only in its fragment is not loaded
        self.driver.get(url)
        self.wait("return document.documentElement.dataset.ready")

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def wait(self, script: str, *arguments: Any) -> Any:
        """Wait until a script returns something."""
        end = time.monotonic() + PATIENCE
        while not (found := self.run(script, *arguments)):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.02)
        return found

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector: str) -> None:
        self.find(selector).click()

    def text(self, selector: str) -> str:
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)"
        return self.run(script, selector)

    def count(self, selector: str) -> int:
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        for key in keys:
            ActionChains(self.driver, duration=0).send_keys(key).perform()

    def point_away(self) -> None:
        """Move the pointer into the corner, where it points at nothing."""
        actions = ActionBuilder(self.driver, duration=0)
        actions.pointer_action.move_to_location(0, 0)
        actions.perform()

    def fill(self, selector: str, text: str) -> None:
        """Replace the value of a field by typing."""
        field = self.find(selector)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text or Keys.BACKSPACE)

    def size(self, width: int, height: int = 900) -> None:
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def scheme(self, name: str) -> None:
        features = [STILL, {"name": "prefers-color-scheme", "value": name}]
        self.devtools("Emulation.setEmulatedMedia", features=features)

    def reset(self) -> None:
        """Undo all emulation but that of a person who wants no animations."""
        self.devtools("Emulation.clearDeviceMetricsOverride")
        self.devtools("Emulation.setEmulatedMedia", features=[STILL])

    def console(self) -> list[str]:
        """Return the messages of the console since the last call."""
        return [one["message"] for one in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Return the URLs that were requested since the last call."""
        events = (
            json.loads(one["message"])["message"] for one in self.driver.get_log("performance")
        )
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def tree(self) -> list[dict[str, Any]]:
        """Return the nodes of the accessibility tree."""
        nodes = self.devtools("Accessibility.getFullAXTree")["nodes"]
        return [
            {
                "role": node["role"]["value"],
                "name": node.get("name", {}).get("value", ""),
                **{one["name"]: one["value"].get("value") for one in node.get("properties", ())},
            }
            for node in nodes
            if not node["ignored"] and "role" in node
        ]

    def quit(self) -> None:
        self.driver.quit()


def listed(chromium: Chromium) -> list[dict[str, str]]:
    """Return the visible decisions, in their order."""
    return chromium.run("""
        return [...document.querySelectorAll("#rows .row")].filter((row) => !row.hidden)
          .sort((one, other) => one.dataset.at - other.dataset.at)
          .map((row) => ({
            at: Number(row.dataset.at),
            selected: row.getAttribute("aria-selected"),
            url: row.querySelector(".c-page").title,
            other: row.querySelector(".c-other").title,
            verdict: row.querySelector(".badge").textContent.replace(/^[^a-z]*/, ""),
            action: row.querySelector(".c-action").textContent,
            share: row.querySelector(".c-share span")?.textContent ?? "",
            lost: row.querySelector(".c-lost").textContent,
          }));
    """)


def sort_by(chromium: Chromium, name: str) -> None:
    """Sort the list, and wait until it is."""
    chromium.run(
        """
        const select = document.getElementById("sort");
        select.value = arguments[0];
        select.dispatchEvent(new Event("change"));
    """,
        name,
    )
    chromium.wait("return !document.getElementById('count').textContent.includes('so far')")


def counted(chromium: Chromium, text: str) -> None:
    """Wait until the line above the list has a text."""
    chromium.wait("return document.getElementById('count').textContent === arguments[0]", text)


def opened(chromium: Chromium) -> str:
    """Wait for the evidence of the open decision; return its text."""
    chromium.wait("""
        const element = document.getElementById("evidence");
        return document.getElementById("detail").open && element.childElementCount
          && element.getAttribute("aria-busy") === "false";
    """)
    return chromium.text("#evidence")


def open_drop(page: Chromium, url: str) -> str:
    """Open the decision about a URL."""
    page.run("document.getElementById('search').value = ''")
    page.fill("#search", url)
    page.wait(
        "const found = document.querySelector('#rows .row:not([hidden]) .c-page');"
        "return found && found.title === arguments[0];",
        url,
    )
    page.click("#rows .row:not([hidden])")
    return opened(page)
