"""A page in one answer of the core: what it holds besides the reading, and bytes as they came."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dedup_middleware.fingerprint import Fingerprint, fingerprint
from dedup_middleware.fingerprint.scheme import text_digest
from dedup_middleware.fingerprint.site import arrival_of, block_hash, main_heading, without
from dedup_middleware.page import Page
from dedup_middleware.read import Outline, read, reader
from dedup_middleware.store.packing import pack, unpack
from tests.support.hosts import memory
from tests.support.markup import ARTICLE, MARKUP, PAGES, damaged_pages

URL = "https://example.org/"


def plain(outline: Outline) -> Outline:
    """Return an outline as it comes from a store, without the answer of the core."""
    copy = replace(outline, source=None)
    assert copy == outline
    assert copy.packed is None
    return copy


def values(made: Fingerprint) -> list[object]:
    assert made.shingles is not None
    lists = (made.sample.hashes, made.pairs, made.keys, made.shingles)
    numbers = [made.digest, made.body, made.simhash, made.words, made.sample.limit, made.sketch]
    return [*numbers, made.word_sample] + [one.tolist() for one in lists]


def assert_equal(html: str | bytes, encoding: str | None = None, **limits: int) -> None:
    page = Page(url=URL, html=html, encoding=encoding)
    outline = read(page, **limits)
    other, made = plain(outline), fingerprint(page, outline)
    assert outline.packed
    assert outline.packed.lines.decode().split("\n") == list(other.texts) or not other.texts
    assert values(made) == values(fingerprint(page, other))
    assert made.digest == text_digest(other, made.body)
    assert unpack(pack(outline)) == outline
    assert pack(other) == pack(outline)
    assert main_heading(outline) == main_heading(other)
    arrival = arrival_of(outline, made)
    assert arrival == arrival_of(other, made)
    site = memory(dict.fromkeys(np.frombuffer(arrival.units, "<u8")[::2].tolist(), 3))
    assert without(outline, site) == without(other, site)


@pytest.mark.parametrize("html", PAGES)
def test_pages(html):
    assert_equal(html)


@given(MARKUP | damaged_pages(), st.sampled_from([5, 100, 10**6]))
@example("<h2>a<ul></ul><nav><h1>b</nav>", 100)
@example("<p>Cafe\u0301 \u212b", 10**6)
@example("<p>a<noscript>b c</noscript>", 10**6)
def test_random_pages(html, most):
    assert_equal(html, max_text=most)
    assert_equal(html.encode("utf-8", "replace"), max_html=max(most, 10))


def test_columns_are_unpacked_when_needed():
    outline = read(Page(url=URL, html=ARTICLE.encode()))
    assert not {"texts", "parents"} & vars(outline).keys()
    assert outline.texts is outline.texts
    assert outline.parents is outline.parents
    again = pickle.loads(pickle.dumps(read(Page(url=URL, html=ARTICLE.encode()))))
    assert again == outline
    assert again.packed
    assert again.packed.data == outline.packed.data
    assert hash(again) == hash(outline)
    assert [getattr(outline, one.name) for one in fields(Outline) if one.compare]


def test_what_was_changed_is_made_anew():
    page = Page(url=URL, html=ARTICLE.encode())
    outline = read(page)
    other = replace(outline, boilerplate=bytes(len(outline.texts)))
    assert fingerprint(page, other).words > fingerprint(page, outline).words


DECLARATIONS = [
    *("", "<meta charset=utf-8>", '<meta charset="UTF-8">', "<?xml encoding='utf-8'?>"),
    *("<meta charset=gbk>", "<meta charset = 'shift_jis'>", "<meta charset=utf-7>"),
    '<meta http-equiv=content-type content="text/html; charset=big5">',
    *('<?xml version="1.0" encoding="euc-jp"?>', "<meta charset=utf-8><meta charset=euc-kr>"),
    *("<!-- <meta charset=utf-8> --><meta charset=gbk>", "<meta charset=iso-2022-jp>", "\ufeff"),
    *("<meta name='charset=utf-8><meta charset=gbk>", "<meta charset\xa0=gbk>", "\0", "\ufeff\0"),
]
CODECS = ["utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-16-le", "gbk", "iso-2022-jp", "hz"]


@given(
    st.sampled_from(DECLARATIONS),
    MARKUP | st.sampled_from(["<p>Käse", "<p>~{VPND~}", "<p>日本語のページです"]),
    st.sampled_from(CODECS),
    st.sampled_from([None, "utf-8", "latin-1", "gbk", "utf-16", "hz", "nothing"]),
    st.sampled_from([b"", b"\xff", b"\xe6\x97"]),
)
@example("<meta charset=hz>", "<p>~{VPND~}", "utf-8", "utf-8", b"")
@example("<meta charset=gbk>", "<p>\xe4\xe5", "utf-8", "utf-8", b"")
def test_bytes_as_they_came_are_read_as_if_decoded(declaration, html, codec, encoding, end):
    page = Page(
        url=URL, html=(declaration + html).encode(codec, "replace") + end, encoding=encoding
    )
    with mock.patch.object(reader, "undecoded", return_value=None):
        expected = read(page)
    assert read(page) == expected


def test_valid_utf8_is_not_decoded():
    pages = ["<p>Käse", "<meta charset='utf-8'><p>encoding", '<?xml encoding="UTF-8"?>\ufeff']
    with mock.patch.object(reader, "to_utf8", side_effect=AssertionError):
        for html in pages:
            for encoding in (None, "utf-8", "latin-1"):
                read(Page(url=URL, html=html.encode(), encoding=encoding))
                read(Page(url=URL, html=html.encode("utf-8-sig"), encoding=encoding))


def test_keys_and_nodes_of_units():
    packed = read(Page(url=URL, html=b"<ul><li>A cat sat. A dog ran.<li>b</ul>")).packed
    assert packed
    keys, nodes = packed.units
    texts = ("A cat sat.", "A dog ran.", "b")
    assert np.frombuffer(keys, "<u8").tolist() == [block_hash(text) for text in texts]
    assert np.frombuffer(nodes, "<u4").tolist() == [1, 1, 2]
