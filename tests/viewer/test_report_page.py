"""The page of all decisions: packed data, its security policy, and hostile text in it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from importlib import resources
from typing import Any

import pytest
from lxml import html

from dedup_middleware.judge.overrides import Restoration
from dedup_middleware.settings import Settings
from dedup_middleware.viewer.evidence import evidence
from dedup_middleware.viewer.report_page import (
    BLOCK,
    About,
    RunThresholds,
    live_page,
    report_page,
    rows_of,
)
from tests.support.decisions import HOSTILE, Pages, decision, near, unpack
from tests.support.scripts import ASSETS, needs_node, run_script
from tests.support.texts import article

THRESHOLDS = RunThresholds(Settings().level)
BASH = shutil.which("bash")
HARMLESS = set(
    """
    div section h2 h3 p ul ol li dl dt dd table caption thead tbody tr th td figure figcaption svg g
    rect circle line path text title span em i small mark a bdi input label details summary
    """.split()
)


def built(count: int = 20) -> tuple[dict[str, Any], dict[int, str], html.HtmlElement]:
    rows = rows_of(
        [near(f"https://a.example/{n}", (0.8, 0.9), seq=n + 1) for n in range(count)], THRESHOLDS
    )
    pieces = {row: f"<p>evidence of {row}</p>" for row in range(0, count, 2)}
    return rows, pieces, html.document_fromstring(report_page(rows, pieces, About("A crawl")))


def test_packed_data_is_complete():
    rows, pieces, page = built()
    data = json.loads(page.get_element_by_id("data").text)
    assert unpack(page.get_element_by_id("packed-rows").text) == json.loads(json.dumps(rows))
    found = {}
    for number, block in enumerate(data["evidence"]):
        content = unpack(page.get_element_by_id(f"evidence-{number}").text)
        assert len(block) == len(content) <= BLOCK
        found.update(zip(block, content, strict=True))
    assert found == pieces
    assert data["live"] is False
    assert "token" not in data


def test_the_live_page_may_connect_to_its_server_only():
    page = live_page("secret-token", About("A crawl", store="somewhere"))
    parsed = html.document_fromstring(page)
    data = json.loads(parsed.get_element_by_id("data").text)
    assert (data["live"], data["token"], data["store"]) == (True, "secret-token", "somewhere")
    assert "connect-src 'self'" in page
    assert "connect-src" not in report_page(*built()[:2], About(""))
    assert not parsed.xpath("//script[@type='application/gzip']")


def test_nothing_is_loaded_and_only_our_script_runs():
    page = report_page(*built()[:2], About("A crawl"))
    parsed = html.document_fromstring(page)
    (policy,) = parsed.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    (script,) = parsed.xpath("//script[not(@type)]")
    (style,) = parsed.xpath("//style")
    for kind, element in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert not parsed.xpath("//*[@src] | //link | //*[@style] | //iframe | //object | //embed")
    assert all(href.startswith("#") for href in parsed.xpath("//@href"))
    assert not re.search(r"url\(|@import", style.text)


def test_scripts_make_no_markup_of_text():
    """Text becomes markup in one place, which gets only what we have escaped."""
    scripts = "".join(
        path.read_text("utf-8") for path in ASSETS.iterdir() if path.name.endswith(".js")
    )
    assert scripts.count("innerHTML") == 1
    assert "shell.innerHTML = html;" in scripts
    for way in ("outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
        assert way not in scripts
    assert not re.search(r"set(Timeout|Interval)\(\s*[\"'`]", scripts)


class Elements(HTMLParser):
    """Collects the elements that a browser would create."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("attack", HOSTILE)
def test_foreign_text_stays_text(attack):
    """In URL, title, text, reason, notes, verdict, action, run and host."""
    texts = Pages(
        page=f"<title>{attack}</title><p>{attack} {article(3, 300)[0]}</p>",
        other=f"<p>{attack} {article(3, 300)[0]} and more</p>",
    )
    fields = dict.fromkeys(("verdict", "action", "run", "reason", "stage", "closest"), attack)
    hostile = decision(**fields, url=f"https://{attack}/", original=attack, notes=[attack])
    shown_as = near(
        "https://page.example/",
        (0.9, 0.9),
        original="https://other.example/",
        swallowed=[attack, f"https://x.example/{attack}"],
        notes=[attack],
    )
    rows = rows_of([hostile, shown_as], THRESHOLDS, restored=[Restoration(attack, attack)])
    pieces = {
        row: evidence(one, texts, Settings())[0] for row, one in enumerate((hostile, shown_as))
    }
    for piece in pieces.values():
        parser = Elements()
        parser.feed(piece)
        for tag, attributes in parser.found:
            assert tag in HARMLESS, tag
            assert not any(name.startswith("on") or name == "style" for name in attributes)
            target = attributes.get("href") or "#"
            assert target.startswith(("#", "https://", "http://")), target
    found = dict.fromkeys(("what", "name", "about", "sign"), attack) | {"examples": [attack] * 2}
    sites = {"lines": [[attack] * 3], "shapes": [], "found": [found], "more": [0, 0]}
    about = About(attack, command=attack, store=attack, problems=(attack,), sites=sites)
    clean = elements(report_page(rows, pieces, About("x")))
    assert elements(report_page(rows, pieces, about)) == clean
    assert elements(live_page(attack, about)) == elements(live_page("x", About("x")))


def elements(page: str) -> list[str]:
    parser = Elements()
    parser.feed(page)
    assert not any(name.startswith("on") for _, attributes in parser.found for name in attributes)
    return [tag for tag, _ in parser.found]


def test_all_assets_are_used():
    used = set()
    for name in ("comparison_page.py", "report_page.py"):
        text = resources.files("dedup_middleware.viewer").joinpath(name).read_text("utf-8")
        used |= set(re.findall(r'"(\w\w+\.(?:js|css|html))"', text))
    assert {path.name for path in ASSETS.iterdir()} == used


@needs_node
@pytest.mark.skipif(not BASH, reason="there is no bash")
def test_a_url_in_a_copied_command_is_one_word_and_harmless_to_terminals():
    words = [text.replace("\x00", "").replace("\ud800", "") for text in HOSTILE]
    words += [
        "-rf",
        "it's",
        "$(reboot)",
        "`reboot`",
        "a\nb",
        "\x1b[201~\nreboot\n",
        "a b",
        "ü",
        "!!",
    ]
    quoted = run_script("tools.js commands.js", "given.map(quoted)", words)
    for word, text in zip(words, quoted, strict=True):
        assert text.isprintable(), text
        command = [BASH or "bash", "-c", f"printf %s {text}"]
        assert subprocess.run(command, capture_output=True, check=True).stdout.decode() == word
