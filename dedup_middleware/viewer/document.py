"""HTML documents that load nothing from elsewhere, and in which foreign text stays text."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from html import escape
from importlib import resources
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dedup_middleware.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_EFFORT = 6  # of 9: the rest takes as long again, and saves a hundredth
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}")


def document(
    title: str,
    body: str,
    data: object,
    *,
    styles: Iterable[str],
    scripts: Iterable[str],
    packed: Mapping[str, str] | None = None,
    live: bool = False,
) -> str:
    """Put a body, which must be HTML already, into a page with our styles and scripts.

    `packed` holds results of `pack` by the ids under which a script finds them. A live page may
    connect to the server that it came from, and to nothing else.
    """
    style = "".join(map(read_asset, styles))
    script = f'"use strict";\n(() => {{\n{"".join(map(read_asset, scripts))}}})();\n'
    connect = "connect-src 'self'; " if live else ""
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; {connect}"
        "base-uri 'none'; form-action 'none'"
    )
    packed_data = "".join(
        f'<script type="application/gzip" id="{name}">{content}</script>\n'
        for name, content in (packed or {}).items()
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escaped(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n"
        f'<script type="application/json" id="data">{script_json(data)}</script>\n{packed_data}'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def escaped(text: str) -> str:
    """Return foreign text as HTML, for content and for values of attributes."""
    return escape(clean(text))


def script_json(data: object) -> str:
    r"""Return data as JSON that no parser of HTML can take for markup.

    >>> script_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def pack(data: object) -> str:
    """Return data as JSON, gzipped, in base64: small, and nothing in it looks like markup."""
    # ASCII: half a surrogate pair has no other encoding
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii")
    return base64.b64encode(gzip.compress(text, _EFFORT, mtime=0)).decode("ascii")


def link(name: str) -> str:
    """Return a URL or file name as HTML, with a link if it is a URL of the web."""
    text = f"<bdi>{escaped(name)}</bdi>"
    if not is_web_url(name):
        return text
    return f'<a href="{escaped(name)}" rel="noreferrer noopener">{text}</a>'


def is_web_url(name: str) -> bool:
    """Return True if a name is an http or https URL.

    >>> [is_web_url(name) for name in ("https://a.example/", "javascript:alert(1)//", "a.html")]
    [True, False, False]
    """
    try:
        parts = urlsplit(name)
    except ValueError:
        return False
    return name == clean(name) and parts.scheme in {"http", "https"} and bool(parts.netloc)


def lang_attribute(code: str) -> str:
    """Return a `lang` attribute, empty if the code is not one of a language."""
    return f' lang="{code}"' if _LANGUAGE.fullmatch(code) else ""


def read_asset(name: str) -> str:
    return resources.files(__package__ or "").joinpath("assets", name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
