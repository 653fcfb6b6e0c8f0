"""Real text for tests: what Python's own library says about itself."""

from __future__ import annotations

import importlib
import inspect
import random
from functools import cache

from dedup_middleware import Page

SITES = ("plain", "news")
MODULES = """
    argparse asyncio.events base64 calendar codecs collections configparser contextlib csv
    datetime decimal difflib email.message enum fractions functools gettext gzip heapq
    html.parser http.client http.cookiejar imaplib inspect ipaddress json logging mailbox
    mimetypes multiprocessing.pool optparse os pathlib pickle pickletools platform plistlib
    pprint random re sched selectors shelve shutil smtplib socket socketserver sqlite3 ssl
    statistics string subprocess tarfile tempfile textwrap threading timeit tokenize traceback
    types unittest unittest.mock urllib.parse urllib.request uuid warnings wave weakref zipfile
""".split()


@cache
def paragraphs() -> tuple[str, ...]:
    """List distinct paragraphs of prose, in a fixed order."""
    found: dict[str, None] = {}
    for name in MODULES:
        module = importlib.import_module(name)
        things = [module, *(getattr(module, key) for key in sorted(vars(module)))]
        for thing in things:
            if not (inspect.ismodule(thing) or inspect.isclass(thing) or inspect.isroutine(thing)):
                continue
            if inspect.ismodule(thing) and thing.__name__.startswith(f"{name}."):
                continue  # it is in there once somebody has imported it
            for block in (inspect.getdoc(thing) or "").split("\n\n"):
                text = " ".join(block.split())
                if len(text.split()) >= 12 and ">>>" not in text:
                    found.setdefault(text)
    return tuple(found)


@cache
def _shuffled() -> list[str]:
    pool = list(paragraphs())
    random.Random(1).shuffle(pool)
    return pool


def article(seed: int, words: int = 300) -> list[str]:
    """Put paragraphs together until there are so many words; different seeds share next to none."""
    pool = _shuffled()
    start = seed * 31 % len(pool)
    chosen: list[str] = []
    count = 0
    while count < words:
        text = pool[(start + len(chosen)) % len(pool)]
        chosen.append(text)
        count += len(text.split())
    return chosen


def related_pages(seed: int, count: int, urls: int | None = None) -> list[Page]:
    """Make pages of two sites that repeat, extend, excerpt and replace each other."""
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        parts = article(rng.randrange(4), 150)
        cut = rng.choice((len(parts), len(parts), max(1, len(parts) * 6 // 10)))
        more = article(10 + rng.randrange(2), 150) if rng.random() < 0.2 else []
        host = rng.randrange(urls or count)
        url = f"https://{host}.site{host % 2}.example/"
        made.append(Page(url=url, html=html([*parts[:cut], *more], site=rng.choice(SITES))))
    return made


def html(parts: list[str], title: str = "A page", site: str = "plain") -> str:
    """Dress paragraphs in the template of a site."""
    body = "\n".join(f"<p>{text.replace('&', '&amp;').replace('<', '&lt;')}</p>" for text in parts)
    if site == "news":
        links = "".join(f'<li><a href="/{n}">Section {n}</a></li>' for n in range(12))
        return (
            f"<!doctype html><html lang=en><head><title>{title} | News</title></head><body>"
            f"<header><nav><ul>{links}</ul></nav></header><main><article><h1>{title}</h1>{body}"
            "</article></main><footer><p>Copyright by the News, all rights reserved. Write to us."
            "</p></footer></body></html>"
        )
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>"
