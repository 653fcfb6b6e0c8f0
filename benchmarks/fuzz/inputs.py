"""Random inputs: pages that are broken in many ways, and bytes that were never a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.rows import page_problem, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from random import Random

MOST_BYTES = 40_000  # of a page to begin with; definitions are slow
MOST_PAGES = 300  # of a file
ENCODINGS = (
    *("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "latin-1", "windows-1251", "shift_jis"),
    *("euc-jp", "iso-2022-jp", "gb18030", "big5", "euc-kr", "koi8-r", "utf-7"),
)
NAMES = (
    *("a", "article", "aside", "b", "base", "blockquote", "body", "br", "button", "caption", "dd"),
    *("details", "dialog", "div", "dl", "dt", "fieldset", "figure", "footer", "foreignobject"),
    *("form", "frameset", "h1", "h2", "h6", "head", "header", "hr", "html", "i", "iframe", "img"),
    *("input", "li", "link", "main", "math", "menu", "meta", "nav", "nobr", "noembed", "noframes"),
    *("noscript", "ol", "optgroup", "option", "p", "plaintext", "pre", "rt", "script", "section"),
    *("select", "span", "style", "summary", "svg", "table", "tbody", "td", "template", "textarea"),
    *("tfoot", "th", "thead", "title", "tr", "ul", "wbr", "x-y", "xmp"),
)
ATTRIBUTES = (
    *("class=a", "class='b no-js'", "id=x", "hidden", "style='display:none'", "role=navigation"),
    *("style=color:#fff;background:white", "aria-hidden=true", "href=/?a=1&copy=2", "lang=de"),
    *("style='opacity:.01;position:absolute;left:-9999px'", "open", "rel=canonical", 'a="<b>"'),
    *("property=og:title content='A title'", "bgcolor=#ffffff", "itemprop=headline", "=", "a="),
    *("title='a &amp; b'", "title=&#x00061;\0", "color=WHITE", "popover", "type=text/css"),
)
PIECES = (
    *("<!--", "-->", "--!>", "<!doctype html>", "<![CDATA[", "]]>", "<?php", "?>", "</", "<", ">"),
    *('"', "'", "=", "/", "&", "&amp;", "&notin;", "&#x1F600;", "&#0;", "&#xd800;", "&#99999999;"),
    *("\0", "\r", "\r\n", "\n", "\t", "\f", " ", "\u00a0", "\ufeff", "\u200d", "\u00ad", "\u0301"),
    *("The tide came in at 12:30 on 2024-05-06. ", "She didn't. ", "e\u0301cole ", "Straße ", "ſ"),
    *("漢字かな", "ไทย", "שלום", "كتاب", "각", "😀", "\U0010ffff", "\ue000", "ﬁ", "İ", "Σς"),
    *("1,000.00 EUR ", "+49 (30) 901820 ", "Dr. J. Doe, e.g. ", "snake_case camelCase ", "..."),
)
STYLES = (
    *(".a", "#x", "p", "*", "div > p", ".b ~ .c", "a:not(.b)", "li:nth-child(2n + 1)", ":root"),
    *("[title^=a]", "[title*='&']", "a + b", ":last-of-type", "\\.a", ":where(.a, #x)"),
    *("[class~=a]", ":is(p, .a) b", "@media print", "@media (min-width: 40em)", "@layer x", "& .c"),
    *("@supports (display:grid)", "@import 'x';", "{", "}", ";", ":", ",", "(", ")", "/*", "*/"),
    *("{display:none}", "{visibility:hidden}", "{opacity:0}", "{font-size:0}", "{left:-9999px}"),
    *("{color:#fff;background:#fff}", "{color:rgb(255 255 255 / 3%)}", "{clip:rect(0,0,0,0)}"),
    *("{transform:scale(0)}", "{--a:none;display:var(--a)}", "{height:0;overflow:hidden}", "\\"),
    *("{text-indent:calc(-1 * 9999px)}", "!important", "\\64 isplay", "'", '"', "<!--", "1e999px"),
)


def seeds(paths: Iterable[Path]) -> Iterator[bytes]:
    """Yield the pages of files (`*.htm*`, `pages.jsonl*`) and of folders."""
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.name.startswith("pages.jsonl"):
                for _, row in zip(
                    range(MOST_PAGES), read_rows(file, page_problem, []), strict=False
                ):
                    if row:
                        yield row["html"].encode("utf-8", "replace")
            elif file.suffix.startswith(".htm") and file.is_file():
                yield file.read_bytes()


def random_page(random: Random, pages: list[bytes]) -> bytes:
    """Make a page that is broken in some way."""
    choice = random.random()
    if choice < 0.02:
        return random.randbytes(random.randrange(2000))
    page = _cut(random, random.choice(pages)) if pages and choice < 0.6 else _soup(random)
    text = page.decode("utf-8", "replace") if isinstance(page, bytes) else page
    for _ in range(random.randrange(8)):
        text = _changed(random, text)
    if random.random() < 0.1:
        text = f"<style>{_many(random, STYLES, 60)}</style>{text}"
    text = text[: 3 * MOST_BYTES]
    encoding = random.choice(ENCODINGS) if random.random() < 0.2 else "utf-8"
    data = text.encode(encoding, "replace")
    return broken(random, data) if random.random() < 0.15 else data


def broken(random: Random, data: bytes) -> bytes:
    """Change, repeat or remove some bytes."""
    for _ in range(random.randrange(1, 6)):
        begin = random.randrange(len(data) + 1)
        end = min(len(data), begin + random.choice((0, 1, 1, 4, 4, 8, 40)))
        new = random.choice(
            (b"", random.randbytes(1), bytes(4), b"\xff" * 4, b"\x01\0\0\0", 2 * data[begin:end])
        )
        data = data[:begin] + new + data[end:]
    return data[: random.randrange(len(data) + 1)] if random.random() < 0.2 else data


def _cut(random: Random, page: bytes) -> bytes:
    """Return a part of a page, mostly its beginning."""
    length = random.choice((500, 5_000, MOST_BYTES))
    begin = random.randrange(len(page) + 1) if random.random() < 0.3 else 0
    return page[begin : begin + length]


def _soup(random: Random) -> str:
    if random.random() < 0.1:  # the same again and again
        return _many(random, [_piece(random) for _ in range(random.randrange(1, 5))], 2000)
    return "".join(_piece(random) for _ in range(random.choice((3, 20, 100, 400))))


def _piece(random: Random) -> str:
    choice = random.random()
    if choice < 0.35:
        attributes = "".join(f" {one}" for one in random.sample(ATTRIBUTES, random.randrange(4)))
        return f"<{random.choice(NAMES)}{attributes}{random.choice(('>', '>', '>', '/>', ' ', ''))}"
    if choice < 0.6:
        return f"</{random.choice(NAMES)}{random.choice(('>', '>', '>', ' x>', ''))}"
    if choice < 0.63:
        return f"<style>{_many(random, STYLES, 30)}{random.choice(('</style>', '</style>', ''))}"
    if choice < 0.66:
        return chr(random.choice((random.randrange(0xD800), random.randrange(0xE000, 0x110000))))
    return random.choice(PIECES)


def _many(random: Random, pieces: Iterable[str], most: int) -> str:
    return "".join(random.choices(list(pieces), k=random.randrange(most)))


def _changed(random: Random, text: str) -> str:
    """Damage a text in one place."""
    begin = random.randrange(len(text) + 1)
    end = min(len(text), begin + random.choice((0, 1, 3, 30, 300)))
    part = text[begin:end]
    new = random.choice(
        (
            *("", part * 2, part[::-1], part.swapcase(), _piece(random), _piece(random) + part),
            *(part * random.choice((3, 50)), _many(random, STYLES, 8), part.replace(">", "")),
        )
    )
    if random.random() < 0.1:
        return text[:begin]
    if random.random() < 0.1:  # two parts change places
        return text[end:] + new + text[:begin]
    return text[:begin] + new + text[end:]
