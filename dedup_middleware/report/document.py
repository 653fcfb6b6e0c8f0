"""A page that needs nothing from elsewhere, and in which foreign text can do no harm."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape
from importlib import resources
from urllib.parse import urlsplit

from .lettering import clean

_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}")


def document(title: str, body: str, data: object) -> str:
    """Put a body, which must be HTML already, into a page with our style and script."""
    style, script = _resource("page.css"), _resource("page.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{plain(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n"
        f'<script type="application/json" id="data">{island(data)}</script>\n'
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


def _resource(name: str) -> str:
    return resources.files(__package__ or "").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
