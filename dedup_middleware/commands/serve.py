"""`scrapy dedup serve`: look at decisions in a browser, while a crawl runs or after it."""

from __future__ import annotations

import json
import sys
import webbrowser
from threading import Thread
from typing import TYPE_CHECKING

from dedup_middleware.errors import SettingError
from dedup_middleware.settings import Settings
from dedup_middleware.text import scrapy_command, warn

from . import _arguments, _stores

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scrapy.settings import BaseSettings

HOST, HIGHEST_PORT = "127.0.0.1", 65_535


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
    parser.add_argument("--open", action="store_true", help="open it in a browser")
    _arguments.add_json(parser, "print address and store as JSON")


def run(opts: Namespace, settings: BaseSettings) -> int:
    if not 0 <= opts.port <= HIGHEST_PORT:
        raise SettingError(f"--port must be from 0 to {HIGHEST_PORT}, not {opts.port}")
    chosen = Settings.from_scrapy(settings)
    found = _stores.decisions_of(opts)
    # these import numpy and lmdb
    from dedup_middleware.viewer.api import Api
    from dedup_middleware.viewer.report_page import About
    from dedup_middleware.viewer.server import Guard, Server, is_loopback

    server = Server(opts.host, opts.port)
    guard = Guard(opts.host, server.port)
    about = About(
        title=_stores.title_of(found),
        command=scrapy_command(),
        store=_stores.name_of(found.place),
        dry_runs=tuple(found.dry_runs),
    )
    api = Api(found.place, chosen, _arguments.login_name("viewer"), guard.token, about)
    if not is_loopback(opts.host):
        warn(
            f"Everybody who reaches {opts.host}, port {guard.port}, and knows the URL can read",
            "what was crawled, and restore pages; nothing is encrypted",
        )
    url = f"http://{_in_url(opts.host)}:{guard.port}/?token={guard.token}"
    if opts.json:
        told = {"url": url, "store": _stores.name_of(found.place, brief=False)}
        sys.stdout.write(f"{json.dumps(told)}\n")
    else:
        sys.stdout.write(f"{url}\n")
        warn("Ctrl-C ends it")
    sys.stdout.flush()
    if opts.open:  # a browser that runs in the terminal would keep the server from beginning
        Thread(target=_open, args=(url,), daemon=True).start()
    server.serve(api, guard, warn)
    return 0


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
