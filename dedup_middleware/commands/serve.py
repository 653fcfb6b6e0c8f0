"""`scrapy dedup serve`: look at decisions in a browser, while a crawl runs or after it."""

from __future__ import annotations

import json
import sys
import webbrowser
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from dedup_middleware.errors import SettingError
from dedup_middleware.settings import Settings
from dedup_middleware.text import escape, scrapy_command, short_path, warn

from . import _arguments, _stores

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scrapy.settings import BaseSettings

HOST, HIGHEST_PORT = "127.0.0.1", 65_535
ANONYMOUS = "viewer"


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_store(parser)
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="port to listen on (any that is free)"
    )
    parser.add_argument(
        "--host",
        default=HOST,
        metavar="ADDRESS",
        help=f"address to listen on ({HOST}: this machine only)",
    )
    parser.add_argument(
        "--answers",
        type=Path,
        metavar="DIR",
        help="keep answers in this folder, for `python -m lab.judge --output DIR` (answers, in the "
        "store's)",
    )
    parser.add_argument("--judge", metavar="NAME", help="who answers (the login name)")
    parser.add_argument("--open", action="store_true", help="open it in a browser")
    parser.add_argument("--json", action="store_true", help="print address and places as JSON")


def run(opts: Namespace, settings: BaseSettings) -> int:
    if not 0 <= opts.port <= HIGHEST_PORT:
        raise SettingError(f"--port must be from 0 to {HIGHEST_PORT}, not {opts.port}")
    judge = _arguments.judge_name(opts, ANONYMOUS)
    chosen = Settings.from_scrapy(settings)
    found = _stores.decisions_of(opts)
    store = found.place
    # these import numpy and lmdb
    from dedup_middleware.inspect.runs import ends_of
    from dedup_middleware.viewer.api import Api, LiveDecisions
    from dedup_middleware.viewer.evidence import evidence_in
    from dedup_middleware.viewer.feedback import Feedback
    from dedup_middleware.viewer.report_page import About, RunThresholds, sites_section
    from dedup_middleware.viewer.server import Guard, Server, is_loopback

    own = _stores.own_folder(store)
    answers = opts.answers or own / "answers"
    server = Server(opts.host, opts.port)
    guard = Guard(opts.host, server.port)
    decisions = LiveDecisions(store)
    api = Api(
        decisions,
        lambda decision: evidence_in(store, decision, chosen),
        Feedback(store, answers, judge),
        RunThresholds(chosen.level),
        lambda: ends_of(store, decisions.runs),
        lambda: sites_section(store, decisions.runs),
        guard.token,
        About(
            title=_stores.title_of(found),
            command=scrapy_command(),
            store=_stores.name_of(store),
            dry_runs=tuple(found.dry_runs),
        ),
    )
    if not is_loopback(opts.host):
        warn(
            f"Everybody who reaches {opts.host}, port {guard.port}, and knows the URL can read "
            "what was crawled, restore pages and answer; nothing is encrypted"
        )
    url = f"http://{_in_url(opts.host)}:{guard.port}/?token={guard.token}"
    _tell(opts, url, store, answers)
    if opts.open:  # a browser that runs in the terminal would keep the server from beginning
        Thread(target=_open, args=(url,), daemon=True).start()
    server.serve(api, guard, warn)
    return 0


def _tell(opts: Namespace, url: str, store: Path | str, answers: Path) -> None:
    if opts.json:
        places = {
            "url": url,
            "store": _stores.name_of(store, brief=False),
            "answers": str(answers),
        }
        sys.stdout.write(f"{json.dumps(places)}\n")
    else:
        sys.stdout.write(f"{url}\n")
        warn(f"Answers: {escape(short_path(answers))}. Ctrl-C ends it")
    sys.stdout.flush()


def _open(url: str) -> None:
    if not webbrowser.open(url):
        warn(f"There is no browser to be opened; go to {url}")


def _in_url(host: str) -> str:
    """Return an address as URLs write it; one that means all of them is no address to go to.

    >>> _in_url("::1"), _in_url("0.0.0.0")
    ('[::1]', '127.0.0.1')
    """
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # compared, not used
    return f"[{host}]" if ":" in host else host
