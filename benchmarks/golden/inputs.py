"""Random pages by number, and edited copies of pages.

Frozen: the golden files hold answers for exactly these pages, so nothing here may change. That is
why it shares no code with `benchmarks.fuzz`, which may, and builds on `Random.random` only: Python
promises the same sequence of it for the same seed in all versions.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")

TAGS = (
    "a abbr address article aside b blockquote body br button caption center code col colgroup dd "
    "details div dl dt em fieldset figcaption figure font footer form frameset h1 h1 h2 h2 h3 h4 "
    "head header hr html i iframe img input label li li li link main math menu meta nav nobr "
    "noscript object ol ol optgroup option p p p p p plaintext pre q rp rt ruby s script section "
    "select small span span style sub summary sup svg table table tbody td td td template textarea "
    "tfoot th thead time title tr tr u ul ul var wbr x-y xmp"
).split()
ATTRIBUTES = (
    *("class=a", "class='b no-js'", "id=x", "hidden", "style='display:none'", "role=navigation"),
    *("style=color:#fff;background:white", "aria-hidden=true", "href=/?a=1&copy=2", "lang=de"),
    *("style='opacity:.01;position:absolute;left:-9999px'", "open", "rel=canonical", 'a="<b>"'),
    *("property=og:title content='A title'", "bgcolor=#ffffff", "itemprop=headline", "=", "a="),
    *("title='a &amp; b'", "title=&#x00061;\0", "color=WHITE", "popover", "type=text/css"),
    *("class='sidebar menu'", "class=comments", "id=footer", "class='post-content'", "lang=fr"),
    *("href=/tides/2024", "href=https://other.example/page", "name=robots", "content=noindex"),
)
MARKUP = (
    *("<!--", "-->", "--!>", "<!doctype html>", "<![CDATA[", "]]>", "<?php", "?>", "</", "<", ">"),
    *('"', "'", "=", "/", "&", "&amp;", "&notin;", "&#x1F600;", "&#0;", "&#xd800;", "&#99999999;"),
    *("\0", "\r", "\r\n", "\n", "\t", "\f", " ", "\u00a0", "\ufeff", "\u200d", "\u00ad", "\u0301"),
    *("e\u0301cole ", "Straße ", "ſ", "漢字かな", "ไทย", "שלום", "كِتاب", "각", "😀", "\U0010ffff"),
    *("\ue000", "ﬁ", "İ", "Σς", "Ёлка ", "２０２４", "+49 (30) 901820 ", "Dr. J. Doe, e.g. "),
    *("snake_case camelCase ", "...", "♥ ♠ ", "1,000.00 EUR ", "ISBN 978-3-16-148410-0 "),
    '<link rel=canonical href="https://fuzz.example/one">',
    '<base href="https://fuzz.example/two/">',
    '<meta property="og:url" content="/three">',
    '<script type="application/ld+json">{"headline": "The \\u0074ides"}</script>',
    "<noscript>Please enable JavaScript.</noscript>",
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
WORDS = (
    (
        "the the the a of of and in to is was not never it that with for on as by this tide tides "
        "water harbour keeper lighthouse boats sailed returned rising measured height metres moon "
        "pulls London Kiel Anna Smith European 12:30 2024 3.50 17 8,000 wasn't quickly storms "
        "stormy reported reports happily nations organisation walked walking price"
    ).split(),
    (
        "der die das und in den von zu mit nicht kein ist war ein eine auf für Flut Wasser Hafen "
        "Leuchtturm Schiffe fuhren kehrten zurück gemessen Höhe Meter Mond zieht Kiel Anna 12 Uhr "
        "2024 3,50 Stürme stürmisch berichtet Preise Häuser größer schöne"
    ).split(),
    (
        "le la les de des du et en à un une est était ne pas que qui dans pour marée eau port "
        "phare bateaux sont revenus mesurée hauteur mètres lune attire Brest Anne 12 heures 2024 "
        "tempêtes rapporté prix maisons élevée l'eau d'abord"
    ).split(),
    "潮汐 月亮 海水 港口 灯塔 船只 每天 两次 上升 高度 三米 二〇二四年 不是 大 小 风暴".split(),
    "прилив вода гавань маяк корабли вышли вернулись не был была в на и луна метров 2024".split(),
)
# all of them assigned before Unicode 13: what later ones are depends on the version of Python
CHARACTERS = (
    *((0x20, 0x7F), (0xA0, 0x378), (0x400, 0x530), (0x5D0, 0x5EB), (0x620, 0x660), (0x905, 0x93A)),
    *((0xE01, 0xE3B), (0x1100, 0x1200), (0x1E00, 0x1F16), (0x2010, 0x2065), (0x2190, 0x2400)),
    *((0x3041, 0x3097), (0x4E00, 0x9FD0), (0xAC00, 0xD7A4), (0xE000, 0xF900), (0xFF01, 0xFFBF)),
    *((0x1D400, 0x1D455), (0x1F300, 0x1F600), (0x20000, 0x2A6D7)),
)
ENCODINGS = (
    *("utf-16-le", "utf-16-be", "utf-32-le", "latin-1", "cp1251", "shift_jis", "euc-jp", "gbk"),
    *("iso-2022-jp", "big5", "euc-kr", "koi8-r", "utf-8-sig"),
)
MOST_CHARACTERS = 30_000


class Dice:
    """Random choices; the same for the same seed in all versions of Python."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random

    def below(self, end: int) -> int:
        return int(self._random() * end)

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def one_of(self, values: Sequence[T]) -> T:
        return values[self.below(len(values))]

    def some_of(self, values: Sequence[T], most: int) -> list[T]:
        """Return up to so many values, some of them more than once."""
        return [self.one_of(values) for _ in range(self.below(most + 1))]

    def shuffled(self, values: Sequence[T]) -> list[T]:
        left = list(values)
        return [left.pop(self.below(len(left))) for _ in values]


def random_page(number: int) -> bytes:
    """Return the page of a number: markup that is broken in some way, or bytes of no page."""
    dice = Dice(number)
    if dice.chance(0.02):
        return bytes(dice.below(256) for _ in range(dice.below(1000)))
    language = dice.one_of(WORDS) if dice.chance(0.5) else WORDS[0]
    count = dice.one_of((3, 20, 60, 60, 200))
    if dice.chance(0.05):  # the same again and again
        pieces = dice.some_of([_piece(dice, language) for _ in range(4)], 500)
    else:
        pieces = [_piece(dice, language) for _ in range(count)]
    text = "".join(pieces)[:MOST_CHARACTERS]
    if not dice.chance(0.2):
        return _damaged(dice, text.encode()) if dice.chance(0.1) else text.encode()
    data = text.encode(dice.one_of(ENCODINGS), "replace")
    return _damaged(dice, data) if dice.chance(0.1) else data


def edited(number: int, html: str) -> str:
    """Return a copy of a page in which some words are gone, repeated, moved or replaced."""
    dice = Dice(number)
    words = html.split(" ")
    for _ in range(1 + dice.below(10)):
        begin = dice.below(len(words))
        end = begin + 1 + dice.one_of((0, 0, 0, 5, 30))
        part = words[begin:end]
        choice = dice.below(5)
        if choice == 0:
            words[begin:end] = []
        elif choice == 1:
            words[begin:begin] = part
        elif choice == 2:
            words[begin:end] = []
            place = dice.below(len(words) + 1)
            words[place:place] = part
        elif choice == 3:
            words[begin:end] = [dice.one_of(words) for _ in part]
        else:
            words[begin:end] = dice.shuffled(part)
        words = words or [""]
    return " ".join(words)


def _piece(dice: Dice, language: Sequence[str]) -> str:
    choice = dice.below(100)
    if choice < 25:
        attributes = "".join(f" {one}" for one in dice.some_of(ATTRIBUTES, 3))
        return f"<{dice.one_of(TAGS)}{attributes}{dice.one_of(('>', '>', '>', '>', '/>', ' ', ''))}"
    if choice < 45:
        return f"</{dice.one_of(TAGS)}{dice.one_of(('>', '>', '>', '>', ' x>', ''))}"
    if choice < 48:
        style = "".join(dice.some_of(STYLES, 20))
        return f"<style>{style}{dice.one_of(('</style>', '</style>', '</style>', ''))}"
    if choice < 51:
        begin, end = dice.one_of(CHARACTERS)
        return chr(begin + dice.below(end - begin))
    if choice < 60:
        return dice.one_of(MARKUP)
    between = "" if language is WORDS[3] else " "
    end_mark = "。" if language is WORDS[3] else dice.one_of((". ", ". ", "? ", ", ", " "))
    sentence = between.join(dice.one_of(language) for _ in range(4 + dice.below(12)))
    return sentence[:1].upper() + sentence[1:] + end_mark


def _damaged(dice: Dice, data: bytes) -> bytes:
    for _ in range(1 + dice.below(4)):
        begin = dice.below(len(data) + 1)
        end = min(len(data), begin + dice.one_of((0, 1, 1, 4, 40)))
        new = dice.one_of((b"", bytes((dice.below(256),)), b"\xff\xfe", b"\0", 2 * data[begin:end]))
        data = data[:begin] + new + data[end:]
    return data
