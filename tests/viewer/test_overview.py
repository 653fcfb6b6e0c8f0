"""The page of all decisions: its data, its evidence, and that nothing of strangers' gets out."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import shutil
import subprocess
from html.parser import HTMLParser
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from dedup_middleware import Deduplicator, Page
from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.judge.decide import relation
from dedup_middleware.read import Outline, read
from dedup_middleware.settings import Settings
from dedup_middleware.similarity.comparison import Comparison
from dedup_middleware.similarity.overlap import Overlap
from dedup_middleware.viewer import About, Thresholds, evidence, live_page, report_page, rows_of
from dedup_middleware.viewer.evidence import MOST_SENTENCES
from dedup_middleware.viewer.overview import BLOCK, unpacked
from dedup_middleware.viewer.rows import OTHER, known_of, margin, other_page, related
from dedup_middleware.viewer.selection import gather, telling
from tests.support.texts import article
from tests.support.texts import html as dressed
from tests.viewer.test_pictures import ATTACKS

THRESHOLDS = Thresholds(0.72, 0.8)
ASSETS = resources.files("dedup_middleware.viewer").joinpath("assets")
SCRIPTS = {
    name: ASSETS.joinpath(name).read_text("utf-8")
    for name in ("tools.js", "rule.js", "commands.js")
}
NODE, BASH = shutil.which("node"), shutil.which("bash")
needs_node = pytest.mark.skipif(not NODE, reason="there is no node to run the scripts with")
HARMLESS = set(
    """
    div section h2 h3 p ul ol li dl dt dd table tbody tr th td figure figcaption svg g rect circle
    line path text title span em mark a bdi input label details summary
    """.split()
)
shares = st.floats(0, 1)


def decision(**entry: Any) -> Decision:
    """Make a decision as it would come out of a journal."""
    line = {"seq": 1, "run": "r", "url": "https://a.example/", "verdict": "unique"}
    line |= {"action": "pass", "stage": "lookup", "time": "2026-11-16T08:30:00.000+00:00"}
    found = Decision.parse(json.dumps({**line, **entry}).encode())
    assert found
    return found


def near(url: str, known: tuple[float, float], **entry: Any) -> Decision:
    given = {"verdict": "near", "action": "drop", "stage": "sentences"}
    given |= {"original": "https://a.example/first", "scores": {"known": list(known)}}
    return decision(url=url, **{**given, **entry})


class Texts:
    """Pages by URL."""

    def __init__(self, **pages: str) -> None:
        self._pages = {
            f"https://{name}.example/": read(Page(url="", html=text))
            for name, text in pages.items()
        }

    def outline(self, url: str) -> Outline | None:
        return self._pages.get(url)


# rows


names = st.text(max_size=12)
urls = st.one_of(st.sampled_from(["https://a.example/", "https://b.example/x"]), st.text())
numbers = st.one_of(st.none(), st.floats(allow_nan=True), st.integers(), st.text(max_size=3))
entries = st.fixed_dictionaries(
    {"url": urls, "verdict": names, "action": names},
    optional={
        "seq": numbers,
        "run": names,
        "stage": st.one_of(names, st.just("shingles")),
        "time": st.one_of(names, st.just("2026-11-16T08:30:00.123+00:00")),
        "original": st.one_of(st.none(), urls),
        "closest": urls,
        "reason": st.text(),
        "ms": numbers,
        "bytes": numbers,
        "scores": st.dictionaries(
            st.sampled_from(["known", "containment", "contained_by"]),
            st.one_of(numbers, st.lists(numbers, max_size=3)),
        ),
    },
)


@given(st.lists(entries, max_size=8))
def test_rows_come_back_as_they_went(lines):
    """Whatever stands in a journal: the columns are JSON, and say what the decisions say."""
    decisions = [found for line in lines if (found := Decision.of(line))]
    packed = json.dumps(rows_of(decisions, THRESHOLDS), allow_nan=False)
    rows = json.loads(packed)
    columns = rows["columns"]
    assert {len(column) for column in columns.values()} <= {len(decisions)}
    for row, one in enumerate(decisions):
        told = {
            name: rows[names_][columns[name][row]]
            for names_, name in (("runs", "run"), ("hosts", "host"), ("kinds", "kind"))
        }
        assert told == {"run": one.run, "host": one.host, "kind": one.verdict}
        assert columns["url"][row] == one.url[:4000]
        other = one.original or one.closest
        assert (other_page(rows, row) or None) == (other[:4000] if other else None)
        reason = rows["reasons"][columns["reason"][row]]
        if not other or other.isprintable():
            whole = reason.replace(OTHER, other or "")
            assert whole[:1000] == one.reason.replace(OTHER, "")[:1000]


def test_an_original_is_named_by_its_row():
    first = decision(url="https://a.example/first")
    copy = near("https://a.example/copy", (0.9, 0.9), reason="See https://a.example/first.")
    lost = near("https://a.example/lost", (0.9, 0.9), original="https://gone.example/")
    rows = rows_of([first, copy, lost], THRESHOLDS)
    assert rows["columns"]["original"] == [None, 0, "https://gone.example/"]
    assert rows["reasons"][rows["columns"]["reason"][1]] == f"See {OTHER}."
    assert rows["columns"]["known"] == [None, (0.9, 0.9), (0.9, 0.9)]
    assert rows["columns"]["time"][0] == 1794817800000
    assert rows["last"] == {"r": 1}
    assert rows["thresholds"] == {"near": 0.72, "contained": 0.8}


def test_samples_alone_are_not_what_the_judge_was_asked():
    scores = {"containment": 0.4, "contained_by": 0.5}
    assert known_of(decision(stage="shingles", scores=scores)) == (0.4, 0.5)
    assert known_of(decision(stage="estimate", scores=scores)) is None
    assert known_of(decision(scores={"known": [0.4, True]})) is None
    assert known_of(decision(scores={"known": [float("inf"), 1]})) is None


def test_numbers_larger_than_any_are_none():
    huge = 10**400
    one = near("https://a.example/", (huge, 1), seq=huge, ms=huge, bytes=huge)
    columns = rows_of([one], THRESHOLDS)["columns"]
    assert [columns[name][0] for name in ("seq", "ms", "bytes", "known")] == [0, 0, None, None]


# the rule


@given(shares, shares, shares, shares)
def test_rule_is_that_of_the_judge(forward, backward, near_, contained):
    settings = Settings.of(near=max(0.3, near_), contained=max(0.3, contained))
    comparison = Comparison(Overlap(0.5, forward, backward))
    found = related((forward, backward), Thresholds.of(settings))
    assert found is relation(comparison, settings)


@given(shares, shares, shares)
def test_within_the_margin_nothing_changes(forward, backward, part):
    known = forward, backward
    room = margin(known, THRESHOLDS) * part * 0.999
    for near_ in (-room, room):
        for contained in (-room, room):
            moved = Thresholds(THRESHOLDS.near + near_, THRESHOLDS.contained + contained)
            assert related(known, moved) is related(known, THRESHOLDS)


def test_journals_say_what_the_rule_says(tmp_path):
    """What was decided about real pages follows from what the journal keeps of it."""
    entries: list[dict[str, Any]] = []
    with Deduplicator(tmp_path / "store", on_decision=entries.append) as dedup:
        for seed in range(6):
            text = article(seed, 400)
            for number, parts in enumerate(
                (text, text[:-1], text[:2], text[2:] + article(50 + seed))
            ):
                page = dressed(parts, f"Page {seed}")
                dedup.process(Page(url=f"https://a.example/{seed}/{number}", html=page))
    decisions = [found for entry in entries if (found := Decision.of(entry))]
    ruled = [one for one in decisions if known_of(one)]
    assert {one.verdict for one in ruled} >= {"near", "contained", "contains"}
    for one in ruled:
        kind = related(known_of(one), Thresholds.of(Settings()))
        assert (str(kind) if kind else "unique") == one.verdict


def run_script(names_: tuple[str, ...], code: str, data: Any) -> Any:
    shell = "const document = {}; const matchMedia = () => ({});"
    program = "\n".join((shell, *(SCRIPTS[name] for name in names_), code))
    done = subprocess.run(
        [NODE or "node", "-e", program],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


READ = 'const given = JSON.parse(require("fs").readFileSync(0, "utf8"));'


@needs_node
def test_script_has_the_same_rule():
    chance = random.Random(3)
    edges = [0.0, 0.3, 0.72, 0.8, 0.7199, 0.7201, 0.7999, 0.8001, 1.0]

    def share() -> float:
        return chance.choice(edges) if chance.random() < 0.5 else round(chance.random(), 4)

    cases = [(share(), share(), share(), share()) for _ in range(20_000)]
    code = f"""{READ}
    console.log(JSON.stringify(given.map((one) => [related(...one), margin(...one)])));"""
    found = run_script(("rule.js",), code, cases)
    for case, (kind, distance) in zip(cases, found, strict=True):
        known, thresholds = case[:2], Thresholds(*case[2:])
        expected = related(known, thresholds)
        assert kind == (None if expected is None else str(expected)), case
        assert distance == margin(known, thresholds), case


@needs_node
@pytest.mark.skipif(not BASH, reason="there is no bash")
def test_copied_commands_name_the_page_and_nothing_else():
    """A URL stays one word for a shell, and can't steer a terminal that it is pasted into."""
    words = [text.replace("\x00", "").replace("\ud800", "") for text in ATTACKS]
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
    code = f"{READ} console.log(JSON.stringify(given.map(quoted)));"
    quoted = run_script(("tools.js", "commands.js"), code, words)
    for word, text in zip(words, quoted, strict=True):
        assert text.isprintable(), text
        command = [BASH or "bash", "-c", f"printf %s {text}"]
        assert subprocess.run(command, capture_output=True, check=True).stdout.decode() == word


# what is told first


def test_closest_calls_come_first_drops_and_others_in_turns():
    host = "https://a.example"
    rows = rows_of(
        [
            near(f"{host}/clear", (0.99, 0.99)),
            near(f"{host}/close", (0.73, 0.9)),
            decision(
                url=f"{host}/miss",
                closest=f"{host}/clear",
                stage="shingles",
                scores={"known": [0.7, 0.71]},
            ),
            decision(
                url=f"{host}/far",
                closest=f"{host}/clear",
                stage="shingles",
                scores={"known": [0.1, 0.2]},
            ),
            decision(url=f"{host}/alone"),
        ],
        THRESHOLDS,
    )
    assert telling(rows) == [1, 2, 0, 3]


def test_all_verdicts_and_hosts_have_their_turn():
    many = [near(f"https://big.example/{n}", (0.73, 0.73)) for n in range(50)]
    exact = [
        near(f"https://big.example/e{n}", (1, 1), verdict="exact", stage="digest", scores={})
        for n in range(50)
    ]
    small = near("https://small.example/", (0.95, 0.95))
    first = telling(rows_of([*many, *exact, small], THRESHOLDS))[:3]
    assert set(first) == {0, 50, 100}


def test_equal_pages_come_seldom():
    many = [near(f"https://a.example/{n}", (0.73, 0.73)) for n in range(50)]
    exact = [
        near(f"https://a.example/e{n}", (1, 1), verdict="exact", stage="digest", scores={})
        for n in range(50)
    ]
    chosen = telling(rows_of([*exact, *many], THRESHOLDS))[:29]
    assert sum(row < 50 for row in chosen) == 4
    assert sum(row >= 50 for row in chosen) == 25


def test_a_pair_is_told_once():
    same = [near("https://a.example/", (0.8, 0.8), seq=n) for n in range(3)]
    assert telling(rows_of(same, THRESHOLDS)) == [0]


def test_thresholds_say_nothing_of_other_methods():
    close = near("https://a.example/d", (0.72, 0.72), stage="method")
    real = near("https://a.example/c", (0.9, 0.9))
    assert telling(rows_of([close, real], THRESHOLDS)) == [1, 0]


# evidence


PARTS = article(3, 300)
CHANGED = [*PARTS[:-1], "A sentence that nobody has ever written before stands here now."]


def test_evidence_has_both_texts_and_the_pictures():
    texts = Texts(page=dressed(PARTS, "One"), other=dressed(CHANGED, "Two"))
    one = near("https://page.example/", (0.9, 0.9), original="https://other.example/")
    shown = html.fromstring(f"<div>{evidence(one, texts)}</div>")
    assert [dd.text_content() for dd in shown.xpath("//dl[@class='titles']//dd")] == ["One", "Two"]
    assert shown.xpath("//p[contains(@class, 'sentence only')]")
    assert shown.xpath("//p[contains(@class, 'sentence same')][@data-first][@data-second]")
    assert len(shown.xpath("//*[local-name()='svg']")) == 2
    assert "nobody has ever written" in shown.text_content()
    assert "When it was judged" in shown.text_content()  # the figures above are made up


def test_long_pages_are_cut_to_what_changed():
    long = [f"Sentence {n} tells of the {n}th boat in the harbour." for n in range(600)]
    changed = [
        *long[:300],
        "Here a whale was seen for the first time in living memory.",
        *long[300:],
    ]
    texts = Texts(page=dressed(long), other=dressed(changed))
    one = near("https://page.example/", (0.9, 0.9), original="https://other.example/")
    shown = html.fromstring(f"<div>{evidence(one, texts)}</div>")
    assert (
        len(shown.xpath("//*[starts-with(@id, 'b')][contains(@class, 'sentence')]"))
        <= MOST_SENTENCES
    )
    assert shown.xpath("//li[@class='gap']")
    assert "a whale was seen" in shown.text_content()


def test_equal_pages_are_shown_once():
    texts = Texts(page=dressed(PARTS, "One"))
    one = near("https://page.example/", (1, 1), verdict="exact", scores={}, stage="digest")
    shown = evidence(one, texts)
    assert "What it says" in shown
    assert "<svg" not in shown


def test_what_is_missing_is_said():
    one = near("https://page.example/", (0.9, 0.9), original="https://other.example/")
    assert "Without the store" in evidence(one, None)
    half = evidence(one, Texts(page=dressed(PARTS)))
    assert "since forgotten" in half
    assert "https://other.example/" in half
    assert "https://page.example/" not in half
    alone = evidence(decision(url="https://page.example/"), Texts(page=dressed(PARTS)))
    assert "No known page came close" in alone


def test_notes_and_all_that_was_swallowed():
    swallowed = [f"https://{n}.example/" for n in range(20)]
    one = decision(
        verdict="contains", notes=["cut <b>"], swallowed=swallowed, original="https://0/"
    )
    shown = evidence(one, None)
    assert "cut &lt;b&gt;" in shown
    assert "It holds 20 known pages" in shown
    assert "and 12 more" in shown


def test_evidence_is_gathered_of_what_is_known():
    """Pairs whose texts are gone are told as such, and others take their place."""
    texts = Texts(**{name: dressed(PARTS) for name in ("a", "b", "c")})
    decisions = [
        near(
            f"https://{name}.example/", (0.8 + 0.01 * n, 0.9), seq=n, original="https://b.example/"
        )
        for n, name in enumerate(("gone", "a", "lost", "c"))
    ]
    rows = rows_of(decisions, THRESHOLDS)
    found = gather(rows, decisions, texts, Settings(), most=1)
    assert (found.shown, found.forgotten, list(found.html)) == (1, 1, [0, 1])
    assert "since forgotten" in found.html[0]
    grown = [decision(url="https://new.example/", seq=9), *decisions]
    assert list(gather(rows, grown, texts, Settings(), most=4).html) == [0, 1, 2, 3]
    late = gather(rows, decisions, texts, Settings(), most=4, seconds=-1)
    assert late.late
    assert not late.html


# the page


def built(count: int = 20) -> tuple[dict[str, Any], dict[int, str], html.HtmlElement]:
    rows = rows_of(
        [near(f"https://a.example/{n}", (0.8, 0.9), seq=n + 1) for n in range(count)], THRESHOLDS
    )
    pieces = {row: f"<p>evidence of {row}</p>" for row in range(0, count, 2)}
    return rows, pieces, html.document_fromstring(report_page(rows, pieces, About("A crawl")))


def test_islands_unpack():
    rows, pieces, page = built()
    data = json.loads(page.get_element_by_id("data").text)
    assert unpacked(page.get_element_by_id("packed-rows").text) == json.loads(json.dumps(rows))
    found = {}
    for number, block in enumerate(data["evidence"]):
        content = unpacked(page.get_element_by_id(f"evidence-{number}").text)
        assert len(block) == len(content) <= BLOCK
        found.update(zip(block, content, strict=True))
    assert found == pieces
    assert data["live"] is False
    assert "token" not in data


def test_live_page_asks_its_own_server_only():
    page = live_page("secret-token", About("A crawl", store="somewhere"))
    parsed = html.document_fromstring(page)
    data = json.loads(parsed.get_element_by_id("data").text)
    assert (data["live"], data["token"], data["store"]) == (True, "secret-token", "somewhere")
    assert "connect-src 'self'" in page
    assert "connect-src" not in report_page(*built()[:2], About(""))
    assert not parsed.xpath("//script[@type='application/gzip']")


def test_nothing_is_fetched_and_nothing_but_ours_runs():
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
    """Text becomes markup in one place, and that is given only what was escaped by us."""
    scripts = "".join(
        path.read_text("utf-8") for path in ASSETS.iterdir() if path.name.endswith(".js")
    )
    assert scripts.count("innerHTML") == 1
    assert "shell.innerHTML = html;" in scripts
    for way in ("outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
        assert way not in scripts
    assert not re.search(r"set(Timeout|Interval)\(\s*[\"'`]", scripts)


class Elements(HTMLParser):
    """Collects what a browser would make elements of, by the rules of HTML for script content."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("attack", ATTACKS)
def test_strangers_words_stay_words(attack):
    """In URL, title, text, reason, notes, verdict, action, run and host: nothing becomes markup."""
    texts = Texts(
        page=f"<title>{attack}</title><p>{attack} {PARTS[0]}</p>",
        other=f"<p>{attack} {CHANGED[0]} and more</p>",
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
    rows = rows_of([hostile, shown_as], THRESHOLDS, restored=[(attack, attack)])
    pieces = {0: evidence(hostile, texts), 1: evidence(shown_as, texts)}
    for piece in pieces.values():
        parser = Elements()
        parser.feed(piece)
        for tag, attributes in parser.found:
            assert tag in HARMLESS, tag
            assert not any(name.startswith("on") or name == "style" for name in attributes)
            target = attributes.get("href") or "#"
            assert target.startswith(("#", "https://", "http://")), target
    about = About(attack, command=attack, store=attack, problems=(attack,))
    clean = elements(report_page(rows, pieces, About("x")))
    assert elements(report_page(rows, pieces, about)) == clean
    assert elements(live_page(attack, about)) == elements(live_page("x", About("x")))


def elements(page: str) -> list[str]:
    parser = Elements()
    parser.feed(page)
    assert not any(name.startswith("on") for _, attributes in parser.found for name in attributes)
    return [tag for tag, _ in parser.found]


def test_assets_are_all_used():
    """What lies beside the scripts of the pages is part of one of them."""
    used = set()
    for name in ("document.py", "overview.py"):
        text = resources.files("dedup_middleware.viewer").joinpath(name).read_text("utf-8")
        used |= set(re.findall(r'"(\w\w+\.(?:js|css|html))"', text))
    assert {path.name for path in ASSETS.iterdir()} == used
