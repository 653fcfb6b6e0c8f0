"""The documentation against the code: examples run, the reference lacks nothing, links lead on."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
from argparse import ArgumentParser
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from scrapy import settings as scrapy_settings
from scrapy.settings import default_settings

import dedup_middleware
from dedup_middleware import errors
from dedup_middleware.commands import Command
from dedup_middleware.inspect.decisions import STAGES
from dedup_middleware.journal import decision
from dedup_middleware.judge.overrides import Restoration
from dedup_middleware.methods import method_class, method_names
from dedup_middleware.plugin import exceptions, signals
from dedup_middleware.plugin.tracking import Judged
from dedup_middleware.settings import DEFAULT_ACTIONS, PREFIX, Settings
from dedup_middleware.verdict import Action, Evidence, Kind, Scores, Verdict

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("usage/*.md"), *DOCS.glob("reference/*.md")])
USAGE = set(
    """
    compare methods enable inspect items judge pages reading-a-drop report restore serve sharing
    synthesize tag
    """.split()
)
REFERENCE = {"exceptions", "meta", "settings", "signals", "stats"}
PACKAGE = Path(dedup_middleware.__file__).parent
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)

# The site that the examples crawl. It comes out of a downloader middleware: no server is needed.
WEB = '''
from scrapy.http import HtmlResponse, TextResponse

TIDES = """\
The tide turns twice a day, and the boats that lie in the harbour turn with it, bow to the sea \
while the water falls and bow to the town while it rises. Nobody who lives here looks at a clock \
before the ferry has swung around.
In spring the difference is as high as a house. The lower steps of the quay are green and slippery \
then, and the fishermen climb a ladder to reach the market with their boxes of mackerel.
The oldest mark on the harbour wall was cut by a mason after a storm, and every child is shown it. \
Twelve more have been added since, each with a year, and there is room for as many above them.
A pilot told us that the current at the narrows can be heard before it is seen. On still nights it \
sounds like a train that never arrives, and the dogs of the lighthouse bark at it.""".splitlines()
EDITED = [*TIDES[:2], TIDES[2].replace("every child", "each child"), TIDES[3]]
GLASS = """\
Glass remembers every mistake of the person who blows it: a breath that comes too late leaves a \
ring, and a draught from the door leaves a crack that shows itself only after weeks.
The furnace is lit on the first Monday of the month and goes out on the last Friday, because to \
heat it once costs as much as to keep it warm for eleven days.
Apprentices start with paperweights. They are heavy and forgiving, and visitors buy the crooked \
ones first.""".splitlines()


def html(paragraphs, links=()):
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    nav = "".join(f'<a href="{link}">More</a> ' for link in links)
    return f"<!doctype html><title>A page</title><main>{body}</main><nav>{nav}</nav>"


SITE = {
    "https://example.org/": html([], ["/tides", "/tides?print=1", "/tides/edited", "/glass"]),
    "https://example.org/tides": html(TIDES),
    "https://example.org/tides?print=1": html(TIDES).replace("<nav>", '<nav><a href="/a.csv"></a>'),
    "https://example.org/tides/edited": html(EDITED),
    "https://example.org/glass": html(GLASS),
}
STORIES = [
    {"url": "https://example.org/stories/1", "text": " ".join(TIDES)},
    {"url": "https://example.org/stories/2", "text": " ".join(EDITED)},
    {"url": "https://example.org/stories/3", "text": " ".join(GLASS)},
]


class Web:
    def process_request(self, request):
        import json

        url = request.url
        if url in SITE:
            return HtmlResponse(url, body=SITE[url].encode(), request=request)
        data = json.dumps(STORIES).encode() if url.endswith("/stories.json") else b"1,2"
        return TextResponse(url, body=data, request=request)
'''
SETTINGS = """
SPIDER_MODULES = ["example.spiders"]
ADDONS = {"dedup_middleware.Addon": 500}
DOWNLOADER_MIDDLEWARES = {"example.web.Web": 950}
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
CONCURRENT_REQUESTS = 1
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"
SCHEDULER_DISK_QUEUE = "scrapy.squeues.PickleFifoDiskQueue"
"""


REPORT = """
import io
import json
import logging
import sys

from scrapy import signals
from scrapy.crawler import CrawlerRunner
from scrapy.utils.project import get_project_settings
from scrapy.utils.reactor import install_reactor
from itemadapter import ItemAdapter
from twisted.internet.defer import inlineCallbacks


@inlineCallbacks
def all_jobs(reactor):
    for job in sys.argv[1:]:
        spider, *options = job.split()
        settings = get_project_settings()
        for option in options:
            settings.set(*option.split("=", 1), priority="cmdline")
        log, items = io.StringIO(), []
        handler = logging.StreamHandler(log)
        handler.setFormatter(logging.Formatter("[%(name)s] %(levelname)s: %(message)s"))
        logging.root.addHandler(handler)
        logging.root.setLevel(logging.INFO)
        crawler = CrawlerRunner(settings).create_crawler(spider)
        keep = lambda item: items.append(ItemAdapter(item).asdict())
        crawler.signals.connect(keep, signal=signals.item_scraped)
        yield crawler.crawl()
        logging.root.removeHandler(handler)
        stats = crawler.stats.get_stats()
        print(json.dumps([items, stats, log.getvalue()], default=str))


install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
from twisted.internet import task

task.react(all_jobs)
"""


CALLBACKS = """
import scrapy
from scrapy.spiders import CrawlSpider, Rule


class Returning(scrapy.Spider):
    name = "returning"
    start_urls = ["https://example.org/"]
    custom_settings = {"DEDUP_FOLLOW_REDUNDANT": False}

    def parse(self, response):
        if not hasattr(response, "css"):
            return None
        self.crawler.stats.inc_value("early", int("dedup" not in response.meta))
        return [{"url": response.url}, *response.follow_all(css="a")]


class AsyncReturning(Returning):
    name = "async_returning"

    async def parse(self, response):
        return super().parse(response)


class Ruled(CrawlSpider):
    name = "ruled"
    start_urls = ["https://example.org/"]
    rules = [Rule(callback="page", follow=True)]

    def page(self, response):
        return [{"url": response.url, "kind": response.meta.get("dedup", {}).get("kind")}]
"""


class Block(NamedTuple):
    page: str
    number: int
    language: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.page.replace('-', '_')}_{self.number}"

    @property
    def is_spider(self) -> bool:
        return "scrapy.Spider)" in self.text

    @property
    def is_settings(self) -> bool:
        """Whether a settings module could look like this."""
        body = ast.parse(self.text).body
        return all(
            isinstance(line, ast.Assign)
            and all(isinstance(to, ast.Name) and to.id.isupper() for to in line.targets)
            for line in body
        )


def blocks(path: Path) -> list[Block]:
    found = []
    for number, match in enumerate(FENCE.finditer(path.read_text()), 1):
        indent, language, text = match.groups()
        text = re.sub(f"^{indent}", "", text, flags=re.MULTILINE)
        found.append(Block(path.stem, number, language, text))
    return found


ALL = [block for path in PAGES for block in blocks(path)]
PYTHON = [block for block in ALL if block.language == "python"]
CONSOLE = [
    pytest.param(line, id=f"{block.name}: {line}")
    for block in ALL
    if block.language == "console"
    for line in block.text.splitlines()
]


def page(name: str) -> str:
    return next(path for path in PAGES if path.stem == name).read_text()


def first_column(text: str, header: str) -> list[str]:
    """List the code in the first cells of all tables that begin with this header."""
    rows = re.findall(rf"^\| {header} \|.*\n\|[-|]+\n((?:\|.*\n?)+)", text, re.MULTILINE)
    assert rows, f"no table begins with {header}"
    cells = (line.split("|")[1] for table in rows for line in table.splitlines())
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(cwd), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A Scrapy project with every spider of the documentation and the site that they crawl."""
    place = tmp_path_factory.mktemp("project")
    spiders = place / "example" / "spiders"
    spiders.mkdir(parents=True)
    (place / "scrapy.cfg").write_text("[settings]\ndefault = example.settings\n")
    (place / "example" / "__init__.py").write_text("")
    (place / "example" / "settings.py").write_text(SETTINGS)
    (place / "example" / "web.py").write_text(WEB)
    (place / "example" / "report.py").write_text(REPORT)
    (spiders / "__init__.py").write_text("")
    (spiders / "callbacks.py").write_text(CALLBACKS)
    for block in PYTHON:
        if block.is_spider:
            (spiders / f"{block.name}.py").write_text(block.text)
    return place


class Crawl(NamedTuple):
    items: list[dict[str, Any]]
    stats: dict[str, Any]
    log: str


def crawl(project: Path, *jobs: str) -> list[Crawl]:
    """Crawl one after the other in a process of their own; a job is a spider and settings."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "example.report", *jobs],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    crawls = [Crawl(*json.loads(line)) for line in done.stdout.splitlines()]
    assert len(crawls) == len(jobs)
    assert not any("ERROR" in one.log or "WARNING" in one.log for one in crawls), done.stdout
    return crawls


@pytest.fixture(scope="module")
def crawls(project) -> dict[str, Crawl]:
    """All spiders of the documentation, by name."""
    names = ("articles", "mixed", "stories", "prices", "watched")
    return dict(zip(names, crawl(project, *names), strict=True))


@pytest.fixture(scope="module")
def articles(crawls) -> Crawl:
    return crawls["articles"]


def test_all_pages_are_there():
    assert {path.stem for path in DOCS.glob("usage/*.md")} == USAGE
    assert {path.stem for path in DOCS.glob("reference/*.md")} == REFERENCE


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_lines_are_short_and_links_lead_somewhere(path):
    text = path.read_text()
    assert max(map(len, text.splitlines())) <= 100
    for target in re.findall(r"\]\(([^)]+)\)", text):
        name, _, anchor = target.partition("#")
        linked = (path.parent / name).resolve() if name else path
        assert linked.is_file(), target
        titles = re.findall(r"^#+ (.*)$", linked.read_text(), re.MULTILINE)
        assert not anchor or anchor in {title.lower().replace(" ", "-") for title in titles}


def test_blocks_are_of_known_languages():
    assert {block.language for block in ALL} == {"console", "python", "text"}


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.name)
def test_python_runs(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = ModuleType(block.name)
    monkeypatch.setitem(sys.modules, block.name, module)  # dataclasses look there
    names = vars(module)
    exec(compile(block.text, f"{block.page}.md", "exec"), names)
    if block.is_settings:
        given = {name: value for name, value in names.items() if name.isupper()}
        known = {name for name in given if not name.startswith(PREFIX)} - {"KINDS"}
        assert known <= set(vars(default_settings))
        Settings.from_scrapy(given)


@pytest.mark.parametrize("line", CONSOLE)
def test_commands_exist(line):
    command, *words = shlex.split(line)
    if command != "scrapy":
        assert (command, *words[:1]) in {("pip", "install"), ("rm", "-r"), ("cp", "-r")}
        return
    name, *arguments = words
    if name == "dedup":
        made: Any = Command()
    else:
        made = import_module(f"scrapy.commands.{name}").Command()
    parser = ArgumentParser(conflict_handler="resolve")
    made.settings = scrapy_settings.Settings()
    made.add_options(parser)
    options, left = parser.parse_known_args(arguments)
    assert [word for word in left if word.startswith("-")] == []
    given = dict(option.split("=", 1) for option in options.set)
    assert {name for name in given if not name.startswith(PREFIX)} <= {"JOBDIR"}
    Settings.from_scrapy(given)


def test_every_spider_is_crawled(crawls):
    names = {re.search(r'name = "(.*)"', block.text)[1] for block in PYTHON if block.is_spider}
    assert names == set(crawls)
    assert all(crawl.items for crawl in crawls.values())


def test_enable(articles):
    urls = {item["url"] for item in articles.items}
    assert "https://example.org/tides" in urls
    assert not urls & {"https://example.org/tides?print=1", "https://example.org/tides/edited"}
    assert "https://example.org/a.csv" in urls  # only a dropped page links to it


def test_tag_by_request(crawls):
    untouched, tagged = crawls["mixed"].items
    assert untouched["verdict"] is False
    assert tagged["verdict"]["kind"] == "unique"
    assert crawls["mixed"].stats["dedup/responses/off"] == 1


def test_the_tag_is_as_shown(project):
    (shown,) = [block.text for block in PYTHON if block.text.startswith("tag = ")]
    names: dict[str, Any] = {}
    exec(shown, names)
    verdict = Verdict(Kind.NEAR, "", 1.0, "", Evidence("sentences"))
    assert list(names["tag"]) == list(Judged(None, verdict).tag)
    assert list(names["tag"]) == first_column(page("meta"), "key")
    (dry,) = crawl(project, "articles DEDUP_DRY_RUN=true DEDUP_SCOPE=./never JOBDIR=dry")
    tags = {item["url"]: item["dedup"] for item in dry.items if "dedup" in item}
    assert tags["https://example.org/tides/edited"]["kind"] == names["tag"]["kind"]
    assert {tag["action"] for tag in tags.values()} == {"drop", "pass"}
    assert not (project / "never").exists()
    assert not (project / "dry" / "dedup").exists()


def test_items_are_judged_by_their_fields(crawls):
    links = [story["link"] for story in crawls["stories"].items]
    assert links == ["https://example.org/stories/1", "https://example.org/stories/3"]


def test_pages(crawls, project):
    assert crawls["prices"].stats["dedup/verdict/near"] == 1
    assert "dedup/items/dropped" not in crawls["prices"].stats  # the callback saw it first
    assert "https://example.org/tides is unique: Nothing like it" in crawls["watched"].log
    (short,) = crawl(project, "articles DEDUP_FOLLOW_REDUNDANT=false")
    assert short.stats["dedup/links_not_followed"] == 1


def test_callbacks_that_return(project):
    *returning, ruled = crawl(project, "returning", "async_returning", "ruled")
    for done in returning:
        assert done.stats["early"] == done.stats["dedup/pages"] == 5
        assert done.stats["dedup/items/dropped"] == 2
        assert done.stats["dedup/links_not_followed"] == 1
    assert {item["kind"] for item in ruled.items} == {"unique", None}


def test_sharing(project):
    def verdicts(crawl: Crawl) -> dict[str, int]:
        keys = {str(kind): f"dedup/verdict/{kind}" for kind in Kind}
        return {kind: crawl.stats[key] for kind, key in keys.items() if key in crawl.stats}

    def shell(*command: str) -> None:
        subprocess.run(command, cwd=project, check=True)

    fresh = {"unique": 3, "exact": 1, "near": 1}
    again = {"unchanged": 5}
    first, second, alone = crawl(
        project,
        "articles DEDUP_SCOPE=shared",
        "articles DEDUP_SCOPE=shared DEDUP_NEAR=1 DEDUP_CONTAINED=1",
        "articles DEDUP_SCOPE=run",
    )
    assert verdicts(first) == fresh
    assert verdicts(second) == again  # a copy stays one until it changes
    assert verdicts(alone) == fresh
    shell("cp", "-r", ".scrapy/dedup/shared", "trial")
    shell("rm", "-r", ".scrapy/dedup/shared")
    trial, *others = crawl(
        project,
        "articles DEDUP_SCOPE=./trial",
        "articles DEDUP_SCOPE=shared",
        "articles DEDUP_SCOPE=stores/news",
        "articles JOBDIR=jobs/articles",
    )
    assert verdicts(trial) == again
    assert [verdicts(other) for other in others] == [fresh] * 3
    for store in ("stores/news", "jobs/articles/dedup"):
        done = run("scrapy", "dedup", "drops", "--store", store, "--all-runs", cwd=project)
        assert done.stdout.count("https://example.org/tides/edited") == 1


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({}, "near"),
        ({"near": 0.9}, "contained"),
        ({"near": 0.9, "contained": 0.95}, "unique"),
    ],
)
def test_raising_near_alone_is_not_enough(tmp_path, settings, kind):
    words = [f"word{number}" for number in range(200)]
    edited = [*words[:172], *(f"other{number}" for number in range(15))]
    with dedup_middleware.Deduplicator(tmp_path, **settings) as dedup:
        dedup.process(dedup_middleware.Page(url="https://example.org/1", text=" ".join(words)))
        page = dedup_middleware.Page(url="https://example.org/2", text=" ".join(edited))
        assert dedup.process(page).kind == kind


def as_shown(output: str) -> str:
    """Blank out what differs from run to run."""
    output = re.sub(r"\d{4}-\d\d-\d\dT[\d:.+]+", "<time>", output)
    output = re.sub(r"\d{8}T\d{6}-[0-9a-f]{6}", "<run>", output)
    return re.sub(r"[\d.]+ ms", "<ms>", output)


def test_output_is_as_shown(project, articles):
    """Each line of an output in the documentation comes; `…` stands for the rest of a line."""
    store = ("--store", articles.stats["dedup/store"])
    about = "https://example.org/tides/edited"
    outputs = (
        articles.log,
        run("scrapy", "dedup", "drops", *store, cwd=project).stdout,
        run("scrapy", "dedup", "show", about, *store, cwd=project).stdout,
    )
    lines = {line.strip(" {}") for line in as_shown("\n".join(outputs)).splitlines()}
    shown = "\n".join(block.text for block in ALL if block.language == "text")
    assert shown
    for line in as_shown(shown).splitlines():
        start, cut, _ = line.strip(" {}").partition("…")
        assert start in lines or (cut and any(one.startswith(start) for one in lines)), line


def test_scan_of_a_feed(project):
    web: dict[str, Any] = {}
    exec(WEB, web)
    pages = [{"url": url, "html": html} for url, html in web["SITE"].items()]
    (project / "pages.jsonl").write_text("".join(json.dumps(one) + "\n" for one in pages))
    scan = ("scrapy", "dedup", "scan", "pages.jsonl")
    strict = ("-s", "DEDUP_NEAR=1", "-s", "DEDUP_CONTAINED=1")
    assert "near\t0.99" in run(*scan, cwd=project).stdout
    assert "near\t" not in run(*scan, *strict, cwd=project).stdout


def test_settings_are_all_described():
    entries = re.split(r"^### ", page("settings"), flags=re.MULTILINE)[1:]
    described = {
        entry.split("\n")[0]: " ".join(entry.split("\n\n")[1].split()) for entry in entries
    }
    known = {f"{PREFIX}{field.name.upper()}": field for field in fields(Settings)}
    assert sorted(described) == sorted(known)
    assert len(entries) == len(known)
    defaults = Settings()
    for name, field in known.items():
        text, limits = described[name], field.metadata
        default = eval(re.match("Default: `(.+?)`", text)[1])
        value = getattr(defaults, field.name)
        assert default == ({**DEFAULT_ACTIONS} if field.name == "actions" else value), name
        kind = {"float": "Number", "int": "Whole number", "bool": "Flag."}.get(field.type, "")
        assert kind in text, name
        if "low" in limits:
            low, high = re.search("from `(.+?)` to `(.+?)`", text).groups()
            assert (eval(low), eval(high)) == (limits["low"], limits["high"]), name
        if limits.get("choices"):
            assert re.findall("`([^`]+)`", text.partition("One of")[2]) == [*limits["choices"]]


def test_options_of_methods_are_all_described():
    text = page("methods")
    assert first_column(text, "method") == method_names()
    for name, part in zip(
        method_names(), re.split(r"^### ", text, flags=re.MULTILINE)[1:], strict=True
    ):
        assert part.splitlines()[0] == name
        found = method_class(name)
        row = next(line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
        assert row.endswith("| store |" if found.in_store or name == "cascade" else "| memory |")
        told = {
            re.match("`(.+?)`, default `(.+?)`", entry).groups(): " ".join(entry.split())
            for entry in part.split("\n- ")[1:]
        }
        options = [one for one in fields(found) if "help" in one.metadata]
        assert [*told] == [(one.name, repr(one.default)) for one in options]
        for (option, _), one in zip(told, options, strict=True):
            entry, limits = told[option, repr(one.default)], one.metadata
            assert entry.endswith(f": {limits['help']}"), (name, option)
            if "low" in limits:
                assert f"from `{limits['low']}` to `{limits['high']}`" in entry
            for one_of in limits.get("choices", ()):
                assert f"`{one_of}`" in entry


def test_settings_named_anywhere_exist():
    known = {f"{PREFIX}{field.name.upper()}" for field in fields(Settings)}
    for path in PAGES:
        assert set(re.findall(r"DEDUP_[A-Z_]*[A-Z]", path.read_text())) <= known, path


def stats_in_code() -> set[str]:
    """Find the names that `count` and `_set` are called with; `<>` is what is filled in."""
    found = set()
    for path in PACKAGE.glob("*.py"):
        tree = ast.parse(path.read_text())
        loops = {
            loop.target.id: [ast.literal_eval(one) for one in loop.iter.elts]
            for loop in ast.walk(tree)
            if isinstance(loop, ast.For)
            and isinstance(loop.target, ast.Name)
            and isinstance(loop.iter, ast.Tuple)
            and all(isinstance(one, ast.Constant) for one in loop.iter.elts)
        }
        for call in ast.walk(tree):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            receiver = ast.unparse(call.func.value)
            if call.func.attr not in {"count", "_add", "_set"} or receiver not in {
                "self",
                "self._crawl",
            }:
                continue
            name = call.args[0]
            if isinstance(name, ast.Constant):
                found.add(name.value)
            elif isinstance(name, ast.JoinedStr):
                parts = [
                    part.value if isinstance(part, ast.Constant) else "<>" for part in name.values
                ]
                found.add("".join(parts))
            elif isinstance(name, ast.IfExp):
                found.update((ast.literal_eval(name.body), ast.literal_eval(name.orelse)))
            else:
                found.update(loops[ast.unparse(name)])
    return {f"dedup/{name}" for name in found}


def test_stats_are_all_described(crawls):
    text = page("stats")
    described = [name for name in first_column(text, "key") if name.startswith("dedup/")]
    assert len(described) == len(set(described))
    plain = {re.sub("<.*>", "<>", name) for name in described}
    assert plain == stats_in_code()
    filled = {
        "<kind>": [str(kind) for kind in Kind],
        "<action>": [str(action) for action in Action],
        "<stage>": list(STAGES),
    }
    assert first_column(text, "part") == list(filled)
    possible = set(described)
    for part, values in filled.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| `{part}`"))
        assert re.findall("`([^`]+)`", row)[1:] == values
        possible |= {name.replace(part, value) for name in described for value in values}
    for done in crawls.values():
        assert {name for name in done.stats if name.startswith("dedup/")} <= possible


def test_signals_are_all_described():
    text = page("signals")
    names = {name for name in vars(signals) if not name.startswith("_")}
    assert set(re.findall(r"^## (\w+)$", text, re.MULTILINE)) == names
    source = inspect.getsource(import_module("dedup_middleware.plugin.crawl"))
    (call,) = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("send_catch_log")
    ]
    assert first_column(text, "argument") == [keyword.arg for keyword in call.keywords]
    attributes = {field.name for field in fields(Verdict)} | {"redundant"}
    assert set(first_column(text, "attribute")) == attributes
    row = next(line for line in text.splitlines() if line.startswith("| `evidence`"))
    assert re.findall("`([a-z]+)`", row)[1:] == [field.name for field in fields(Evidence)]


def test_exceptions_are_all_described():
    drops, problems = page("exceptions").split("## Errors")
    assert set(first_column(drops, "class")) == {
        name
        for name, one in vars(exceptions).items()
        if isinstance(one, type) and issubclass(one, exceptions.DroppedPage)
    }
    for kind in Kind:
        name = type(exceptions.drop(Verdict(kind, "", 1, "", Evidence("read")), "INFO")).__name__
        row = next(line for line in drops.splitlines() if line.startswith(f"| `{name}` |"))
        assert row.split("|")[2].strip().startswith(f"`{kind}`")
    assert set(first_column(problems, "class")) == {
        name
        for name, one in vars(errors).items()
        if isinstance(one, type) and issubclass(one, errors.DedupError)
    }


def test_the_list_of_restored_pages_is_all_described():
    entry = Restoration("https://example.org/1", "https://example.org/2").as_json(undo=True)
    assert first_column(page("restore"), "field") == list(entry)


def test_journal_is_all_described(articles):
    text = page("reading-a-drop")
    scores = Scores(1, 1.0, 1.0, 1.0, (1.0, 1.0), 1.0, (1.0, 1.0))
    evidence = Evidence("sentences", scores, "https://example.org/", (), ("note",))
    verdict = Verdict(Kind.UNIQUE, None, 0.0, "", evidence)
    entry = decision(verdict, url="", run="", spider="", milliseconds=0, settings=Settings())
    assert first_column(text, "key") == list(entry)
    assert first_column(text, "score") == [field.name for field in fields(Scores)]
    assert first_column(text, "stage") == list(STAGES)
    lines = Path(articles.stats["dedup/journal"]).read_text().splitlines()
    assert all(set(json.loads(line)) <= set(first_column(text, "key")) for line in lines)
