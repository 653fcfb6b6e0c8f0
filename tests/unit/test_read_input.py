"""Bad, huge and lying input."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.core import InputError
from dedup_middleware.page import Page
from dedup_middleware.read import Outline, UnreadablePage, read, reader

URL = "https://example.org/"


def text(html, encoding=None, **limits):
    return read(Page(url=URL, html=html, encoding=encoding), **limits).text


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        ("<p>Käse, café".encode(), None),
        ("<p>Käse, café".encode(), "iso-8859-1"),
        ("<p>Käse, café".encode(), "no-such-charset"),
        ("<p>Käse, café".encode(), "hex"),
        ("<p>Käse, café".encode(), ""),
        ("<p>Käse, café".encode("latin-1"), None),
        ("<p>Käse, café".encode("latin-1"), "utf-8"),
        ("<p>Käse, café".encode("latin-1"), "ascii"),
        ("<meta charset=utf-8><p>Käse, café".encode("cp1252"), None),
        ("<meta charset=utf-16><p>Käse, café".encode(), None),
        ("<p>Käse, café".encode("utf-8-sig"), "latin-1"),
        ("<p>Käse, café".encode("utf-16"), "utf-8"),
        ("<p>Käse, café".encode("utf-32"), None),
        ("<p>Käse, café".encode("utf-16-le"), None),
        ("<p>Käse, café".encode("utf-16-be"), "utf-8"),
    ],
)
def test_charsets(body, encoding):
    assert text(body, encoding) == "Käse, café"


@pytest.mark.parametrize(
    ("words", "charset"),
    [
        ("日本語のページです", "iso-2022-jp"),
        ("日本語のページです", "shift_jis"),
        ("中文页面的内容", "gb18030"),
        ("한국어 문서", "euc-kr"),
        ("Привет, мир", "koi8-r"),
    ],
)
def test_declared_charsets(words, charset):
    assert text(f"<p>{words}".encode(charset), charset) == words
    assert text(f"<meta charset='{charset}'><p>{words}".encode(charset)) == words


@pytest.mark.parametrize("before", ["<!--" + "x" * 9_000 + "-->", "<meta charset=bogus>"])
def test_late_declarations(before):
    body = f"{before}<meta charset=iso-8859-2><p>Příliš žluťoučký kůň".encode("iso-8859-2")
    assert text(body) == "Příliš žluťoučký kůň"


def test_a_few_broken_bytes_do_not_spoil_utf8():
    body = ("<p>" + "Größe für Käse, " * 20).encode() + b"\xff end"
    assert text(body, "utf-8").endswith("Käse, \ufffd end")


def test_nul_and_lone_surrogates():
    assert text(b"\0<p>a\0b") == "ab"
    assert text("<p>a\ud800b") == "a\ufffdb"
    assert text("<p>\ud83d\ude00") == "😀"
    assert read(Page(url=URL, text="a\ud800b")).texts == ("a\ufffdb",)


@pytest.mark.parametrize(
    "html",
    [
        "<p>one<!-- unclosed <p>two",
        "<p>one<script>var x = 1; <p>two",
        "<style>p {} <p>one<p>two",
        "<title>one<p>two",
        "<textarea>one<p>two",
        "<frameset><frame src=a><noframes><body>one<p>two</body></noframes></frameset>",
    ],
)
def test_swallowed_text_is_found(html):
    assert text(html).split()[-1] == "two"
    assert "one" in text(html)


@pytest.mark.parametrize("html", ["", " ", b"", "<!---->", "<html></html>", "\ufeff", b"\xff\xfe"])
def test_pages_without_text(html):
    assert read(Page(url=URL, html=html)).texts == ()


def test_depth_of_100_000():
    html = "<p>before" + "<div>" * 100_000 + "inside" + "</div>" * 100_000 + "<p>after"
    assert read(Page(url=URL, html=html)).texts == ("before", "inside", "after")


@pytest.mark.parametrize("depth", [100, 150, 155, 160, 170, 250, 300, 2000])
def test_all_depths(depth):
    html = "<i>" * depth + "inside" + "</i>" * depth + "<p>after"
    assert read(Page(url=URL, html=html)).texts == ("inside", "after")


def test_deep_tree_in_a_thread_with_a_small_stack():
    # in a process of its own: a stack overflow can't be caught
    code = """if True:
        import threading
        from dedup_middleware.page import Page
        from dedup_middleware.read import read
        for depth in (40, 100, 155, 158, 200, 2040):
            html = "<div>" * depth + "x"
            page = Page(url="https://example.org/", html=html)
            threading.stack_size(256 * 1024)
            thread = threading.Thread(target=lambda: print(read(page).text))
            thread.start()
            thread.join()
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["x"] * 6), done.stderr


def test_huge_page_is_cut_and_says_so():
    html = b"<p>some words " * 3_750_000  # 52,5 MB
    outline = read(Page(url=URL, html=html), max_html=1_000_000)
    assert outline.cut == ("HTML cut after 1,000,000 of 52,500,000 bytes",)
    assert outline.texts[0] == "some words"


def test_cut_between_the_bytes_of_a_character():
    assert text(("<p>" + "ä" * 9).encode(), max_html=8) == "ää"


def test_long_text_is_cut_and_says_so():
    outline = read(Page(url=URL, html="<p>abc<ul><li>def<li>ghi</ul>"), max_text=5)
    assert [node.text for node in outline.nodes] == ["abc", "", "de"]
    assert outline.cut == ("visible text cut after 5 characters",)
    outline = read(Page(url=URL, html="<p>abc<ul><li>def<li>ghi</ul>"), max_text=3)
    assert outline.texts == ("abc",)


@pytest.mark.parametrize(
    "html",
    [
        "<b></b>" * 100_000 + "<p>x",
        "<p " + " ".join(f"a{i}=1" for i in range(100_000)) + ">x",
        "<p class='" + "a " * 500_000 + "'>x",
        "<b><i>" * 20_000 + "<p>x",
        "<ul><li>" * 20_000 + "x",
        "<table><tr><td>" * 5_000 + "x",
        "</p>" * 100_000 + "x",
        "<a href=/>" * 20_000 + "x",
        "<span style='display:inline'>y</span>" * 20_000 + "<p>x",
        "&#0;&bogus;" * 20_000 + "<p>x",
        "<h2>" * 5_000 + "x",
        "<article><header><h1>t</h1></header><p>y</article>" * 20_000 + "<p>x",
        "<div class=menu>y" * 5_000 + "<p>x",
        "<div class=comments>y" * 5_000 + "<p>x",
        "<div><h3><a href=/>y</a></h3><p>y</div>" * 20_000 + "<p>x",
        f"<title>{'t ' * 500_000}</title>" + "<header><h1>t</h1></header>" * 10_000 + "<p>x",
    ],
    ids=lambda html: html[:12],
)
def test_unreasonable_pages(html):
    assert text(html)[-1] == "x"


PIECES = """<p> </p> <div> </div> <ul> <li> </ul> <table> <td> <tr> </table> <h1> <h3> </h1>
<!-- --> <script> </script> <title> </title> <noscript> <b> </b> <svg> </svg> <span/hidden> </span>
<a/href=x> </a> <form> </form> <frameset> <body> </html> <![CDATA[ ]]> <? <! & &amp; &#xFFFF; word
\ufdd0 \ufdd1 \ufdd2 \ufdd3 \ufdd4 \ufdd5 \ufdd0li\ufdd1 \ufdd0ul\ufdd5h\ufdd1 \ud800 \0 <template>
<dialog> <textarea> <math> <nav> <dl> <dt> < > " ' = <p/class=menu> <p/style=display:none> <iframe>
<plaintext>"""
MARKUP = st.lists(st.sampled_from(PIECES.split()) | st.text(max_size=5), max_size=30).map("".join)
CHARSETS = st.sampled_from(
    [None, "utf-8", "latin-1", "utf-16", "gbk", "utf-7", "idna", "rot13", "x"]
)


def check(outline):
    assert isinstance(outline, Outline)
    count = len(outline.texts)
    assert len(outline.kinds) == len(outline.parents) == len(outline.boilerplate) == count
    assert all(-1 <= parent < node for node, parent in enumerate(outline.parents))
    for node in outline.nodes:
        assert node.text == " ".join(node.text.split())
        assert bool(node.text) != (node.kind in ("list", "table", "row"))


@given(st.binary(max_size=300), CHARSETS)
def test_any_bytes(body, encoding):
    check(read(Page(url=URL, html=body, encoding=encoding)))


@given(MARKUP, st.sampled_from(["str", "utf-8", "utf-16", "latin-1"]), CHARSETS)
def test_any_markup(html, form, encoding):
    body = html if form == "str" else html.encode(form, "replace")
    check(read(Page(url=URL, html=body, encoding=encoding)))


@given(MARKUP)
def test_any_text(plain):
    check(read(Page(url=URL, text=plain), max_text=20))


def test_unreadable(monkeypatch):
    def fail(*_, **__):
        raise InputError("it failed")

    monkeypatch.setattr(reader, "reading", fail)
    with pytest.raises(UnreadablePage, match=r"https://example\.org/") as caught:
        read(Page(url=URL, html="<p>x"))
    assert caught.value.url == URL


def test_threads_read_at_the_same_time():
    html = "<ul>" + "<li>word <a href=/>link</a>" * 200
    expected = read(Page(url=URL, html=html))
    found = []

    def work():
        found.extend(read(Page(url=URL, html=html)) for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    assert all(outline == expected for outline in found)


def test_bs4_is_not_imported_for_ordinary_pages():
    code = """if True:
        import sys
        from dedup_middleware.page import Page
        from dedup_middleware.read import read
        read(Page(url="https://example.org/", html="<p>" + "word " * 99))
        sys.exit("bs4" in sys.modules)
    """
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
