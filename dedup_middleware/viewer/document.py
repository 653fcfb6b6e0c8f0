"""A page that needs nothing from elsewhere, and in which foreign text can do no harm."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape
from importlib import resources
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .labels import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

STYLES, SCRIPTS = ("base.css", "compared.css"), ("pairs.js", "page.js")
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}")


def document(
    title: str,
    body: str,
    data: object,
    *,
    styles: Iterable[str] = STYLES,
    scripts: Iterable[str] = SCRIPTS,
    packed: Mapping[str, str] | None = None,
    asks: bool = False,
) -> str:
    """Put a body, which must be HTML already, into a page with our styles and scripts.

    What is packed (base64) waits under its id until a script unpacks it. A page that `asks` may
    ask the server that it came from, and nobody else.
    """
    style = "".join(map(asset, styles))
    script = f'"use strict";\n(() => {{\n{"".join(map(asset, scripts))}}})();\n'
    reach = "connect-src 'self'; " if asks else ""
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; {reach}"
        "base-uri 'none'; form-action 'none'"
    )
    waiting = "".join(
        f'<script type="application/gzip" id="{name}">{content}</script>\n'
        for name, content in (packed or {}).items()
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{plain(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n"
        f'<script type="application/json" id="data">{island(data)}</script>\n{waiting}'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def plain(text: str) -> str:
    """Turn text into HTML that shows it, as content or as an attribute's value."""
    return escape(clean(text))


def island(data: object) -> str:
    r"""Write data as JSON that no parser of HTML can take for anything else.

    >>> island("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def link(name: str) -> str:
    """Show a URL or file name, as a link if it leads to the web."""
    shown = f"<bdi>{plain(name)}</bdi>"
    if not is_web(name):
        return shown
    return f'<a href="{plain(name)}" rel="noreferrer noopener">{shown}</a>'


def is_web(name: str) -> bool:
    """Tell whether a name is an http or https URL.

    >>> is_web("https://example.org/"), is_web("javascript:alert(1)//http://x"), is_web("a.html")
    (True, False, False)
    """
    try:
        parts = urlsplit(name)
    except ValueError:
        return False
    return name == clean(name) and parts.scheme in {"http", "https"} and bool(parts.netloc)


def language(code: str) -> str:
    """Write a `lang` attribute, if the page names a language."""
    return f' lang="{code}"' if _LANGUAGE.fullmatch(code) else ""


def asset(name: str) -> str:
    """Read a file that is ours."""
    return resources.files(__package__ or "").joinpath("assets", name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
