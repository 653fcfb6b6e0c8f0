"""Pages that hide, in Chromium, what they drop a page of another site for."""

from __future__ import annotations

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.verdict import Action

TEXT = (
    "The village of Aldbury keeps a narrow canal that was dug in 1797 by forty men who had never "
    "seen the sea. Barges carried chalk and barley to the mills, and the keeper of the lock wrote "
    "each of them into a ledger of green leather. In winter the water froze, and all men skated."
)
RUSSIAN = (
    "Деревня хранит узкий канал, который вырыли сорок человек. Баржи возили мел и ячмень на "
    "мельницы, а смотритель шлюза записывал каждую. Зимой вода замерзала, люди катались на коньках."
)
HIDE = "<style>p{visibility:hidden}</style>"
SITE = "<!doctype html><html><head><title>x</title></head><body style='margin:0'>%s<p>%s</p></body>"
PLAIN = "<!doctype html><html><head>%s<title>x</title></head><body>%s<p>%s</p></body>"
OUT = f"</noscript>{HIDE}"

# How the page of the victim is made, with a hole; what the stranger and the victim have in it.
HOLES = {
    "noscript: src of a frame, as of a tag manager": (
        '<noscript><iframe src="{}" style="display:none"></iframe></noscript>',
        OUT,
        "https://t.example/ns.html?id=1",
    ),
    "noscript: src of a pixel": ('<noscript><img src="{}"></noscript>', OUT, "//t.example/1"),
    "noscript: comment": ("<noscript><!--{}--></noscript>", OUT, "x"),
    "noscript: sheet": ('<noscript><link rel=stylesheet href="{}"></noscript>', OUT, "a.css"),
    "noscript: id": ('<noscript><b id="{}"></b></noscript>', OUT, "x"),
    "noscript: script": ("<noscript><script>{}</script></noscript>", OUT, "x"),
    "noscript: content": ("<noscript><meta property=a content='{}'></noscript>", OUT, "x"),
    "nested svg: title": ("<svg><svg></svg><title>{}</title></svg>", HIDE, "x"),
    "nested svg: script": ("<svg><svg></svg><script>{}</script></svg>", HIDE, "x"),
    "foreignObject: title": (
        "<svg><foreignObject></foreignObject><title>{}</title></svg>",
        HIDE,
        "x",
    ),
    "foreignObject: script": (
        "<svg><foreignObject><div></div></foreignObject><script>{}</script></svg>",
        HIDE,
        "x",
    ),
    "desc: title": ("<svg><desc><b></b></desc><title>{}</title></svg>", HIDE, "x"),
    "NUL in a comment": ("<!-- {}<!-- -->", "-\0->", "-->"),
}


def action(stranger: str | bytes, victim: str | bytes, folder: object) -> Action:
    with Deduplicator(str(folder)) as dedup:
        dedup.process(Page(url="https://evil.example/a", html=stranger))
        return dedup.process(Page(url="https://victim.example/b", html=victim)).action


@pytest.mark.parametrize("name", HOLES)
def test_what_is_left_out_is_markup_in_a_browser(tmp_path, name):
    frame, bad, good = HOLES[name]
    stranger, victim = (SITE % (frame.replace("{}", one), TEXT) for one in (bad, good))
    assert action(stranger, victim, tmp_path) is not Action.DROP


def test_a_nonce_switches_a_style_off(tmp_path):
    page = (
        '<!doctype html><head><meta http-equiv=content-security-policy content="style-src '
        "'nonce-abc'\"><style nonce=abc>p{{display:none}}</style><style nonce={}>p{{display:block}}"
        f"</style></head><body><p>{TEXT}</p></body>"
    )
    assert action(page.format("zzz"), page.format("abc"), tmp_path) is not Action.DROP


PLAINS = {
    "iso-2022-kr shows nothing": PLAIN % ("<meta charset=iso-2022-kr>", "", TEXT),
    "hz shows nothing": PLAIN % ("<meta charset=hz-gb-2312>", "", TEXT),
    "replacement shows nothing": PLAIN % ("<meta charset=replacement>", "", TEXT),
    "iso-2022-jp after an escape": PLAIN % ("<meta charset=iso-2022-jp>", "<!--\x1b$B-->", TEXT),
    "NUL in the end of a title": (PLAIN % ("", "", TEXT)).replace("</title>", "<\0/title>"),
    "NUL in the end of a script": PLAIN % ("", "<script></scr\0ipt>", TEXT),
    "NUL in the end of a comment": PLAIN % ("", "<!-- -\0->", TEXT),
    "the page is its own style sheet": (
        f"<title>{{}}p{{visibility:hidden}}</title><link rel=stylesheet href='#a'><p>{TEXT}</p>"
    ),
}


@pytest.mark.parametrize("name", PLAINS)
def test_plain_pages_that_show_nothing(tmp_path, name):
    assert action(PLAINS[name].encode(), SITE % ("", TEXT), tmp_path) is not Action.DROP


def test_utf_16_that_nobody_declares(tmp_path):
    style = b"<meta charset=utf-8><style>*{visibility:hidden}</style>"
    style += b" " * (len(style) % 2)
    begin, end = (PLAIN % ("", "", TEXT)).split("x</title>", 1)
    page = begin.encode("utf-16-le") + style + f"</title>{end}".encode("utf-16-le")
    assert action(page, SITE % ("", TEXT), tmp_path) is not Action.DROP


@pytest.mark.parametrize(
    ("declared", "used"),
    [("windows-1252", "utf-8"), ("windows-1251", "utf-8"), ("none", "windows-1251")],
)
def test_text_in_an_encoding_that_is_not_declared(tmp_path, declared, used):
    page = PLAIN % (f"<meta charset={declared}>", "", RUSSIAN)
    victim = (SITE % ("", RUSSIAN)).replace("<title>", "<meta charset=utf-8><title>")
    assert action(page.encode(used), victim.encode(), tmp_path) is not Action.DROP


def test_the_same_presentation_in_an_encoding_that_is_not_declared(tmp_path):
    page = (SITE % ("", RUSSIAN)).replace("<title>", "<meta charset=windows-1251><title>")
    assert action(page.encode(), page.encode("windows-1251"), tmp_path) is not Action.DROP
