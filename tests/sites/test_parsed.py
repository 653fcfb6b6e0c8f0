from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.sites.parsed import (
    ALL,
    AMP,
    CASE,
    INDEX,
    LONGEST_SHAPE,
    LONGEST_URL,
    PORT,
    PRINT,
    SCHEME,
    SLASH,
    WWW,
    normal_path,
    parse,
    sessions,
    without_session,
)

HOST = "https://a.example"


@pytest.mark.parametrize(
    ("url", "shape"),
    [
        ("/news/17", "/news/<number>"),
        ("/2026/11/18/a-title", "/<number>/<number>/<number>/a-title"),
        ("/2026-11-18.html", "/<date>.html"),
        ("/item-4711.html?b=1&a=2", "/item-<number>.html?a&b"),
        ("/f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "/<uuid>"),
        ("/blob/9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d/x", "/blob/<hash>/x"),
        ("/watch/dQw4w9WgXcQabcde12", "/watch/<id>"),
        ("/words/facade/deadbeef", "/words/facade/deadbeef"),
        ("/a/b/a/b/a/b", "/a/b/<repeated>"),
        ("/a/a/x", "/a/a/x"),
        ("", "/"),
        ("/?", "/"),
        ("/x?a=1&a=2&b", "/x?a&b"),
    ],
)
def test_shapes(url, shape):
    assert parse(HOST + url).shape == shape


def test_ports_have_shapes_of_their_own():
    assert parse("http://a.example:8080/x").shape == ":8080/x"
    assert parse("http://a.example:80/x").shape == "/x"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/x?b=2&a=1", "/x?a=1&b=2"),
        ("/%7Euser/", "/~user/"),
        ("/x?q=%41", "/x?q=A"),
        ("/%c3%a4", "/ä"),
        ("/x#top", "/x"),
        ("/x?a", "/x?a="),
        ("/a/../x", "/x"),
    ],
)
def test_ways_to_write_one_url(one, other):
    assert parse(HOST + one) == parse(HOST + other)


def test_hosts_in_other_scripts():
    assert parse("https://www.bücher.example/x").host == "xn--bcher-kva.example"
    assert parse("https://WWW.XN--BCHER-KVA.example/x").host == "xn--bcher-kva.example"


@pytest.mark.parametrize(
    "url",
    [
        HOST + "/" + "a" * LONGEST_URL,
        HOST + "/x?" + "a" * (2 << 20),
        HOST + "/x?" + "&".join(f"p{n}=1" for n in range(65)),
        HOST + "/x?" + "&".join(f"p{n}=1" for n in range(1_000_000)),
        HOST + "/x" * 500,
        HOST + "/" + "ä" * 1000,  # longer when it is percent-encoded
        "ftp://a.example/x",
        "mailto:a@a.example",
        "https://",
        "https://[::1/x",
        "https://a.example:99999/x",
        "https://a.example:port/x",
        "javascript:void(0)",
        "",
        "\x00",
    ],
)
def test_what_is_not_looked_at(url):
    assert parse(url) is None


@pytest.mark.parametrize(
    ("path", "normal", "flags"),
    [
        ("/", "/", 0),
        ("/a", "/a", 0),
        ("/a/", "/a", SLASH),
        ("/a/index.html", "/a", INDEX | SLASH),
        ("/index.php", "/", INDEX),
        ("/A", "/a", CASE),
        ("/a/amp", "/a", AMP),
        ("/a/amp/", "/a", AMP | SLASH),
        ("/amp/a", "/a", AMP),
        ("/a.amp.html", "/a.html", AMP),
        ("/a/print", "/a", PRINT),
        ("/print/a", "/a", PRINT),
        ("/a.print.html", "/a.html", PRINT),
        ("/camp", "/camp", 0),
        ("/blueprint", "/blueprint", 0),
        ("/amp", "/", AMP),
    ],
)
def test_normal_paths(path, normal, flags):
    assert normal_path(path, ALL) == (normal, flags)


def test_how_an_origin_is_written():
    assert parse("https://a.example/x").variant.flags == 0
    assert parse("http://www.a.example:8080/x").variant.flags == SCHEME | WWW | PORT


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/s/9b1deb4d3b7d4bad/x", ["2"]),
        ("/(S(lit3py55t21z5v55))/x", ["1"]),
        ("/x;jsessionid=1A", [";"]),
        ("/x;v=2", []),
        ("/internationalization", []),
        ("/12345678901234567890", ["1"]),
    ],
)
def test_session_ids(path, names):
    assert [name for name, _ in sessions(path)] == names
    for name in names:
        assert not list(sessions(without_session(path, name)))


def test_things_that_can_be_removed():
    url = parse(HOST + "/A/?b=2&a=1&b=3")
    assert [(one.name, one.value, one.rest) for one in url.things(url)] == [
        ("a", "1", "/a?b=2&b=3"),
        ("b", "2&b=3", "/a?a=1"),
    ]


segments = st.lists(st.text("aB1-._~é%;()", max_size=12), max_size=8)
parameters = st.lists(st.tuples(st.text("ab1_é", max_size=3), st.text("x1& =%é", max_size=4)))


@given(segments, parameters, st.randoms())
def test_any_url(path, query, random):
    def url(pairs):
        names = "&".join(f"{quote(name)}={quote(value)}" for name, value in pairs)
        return f"{HOST}/{'/'.join(path)}?{names}"

    found = parse(url(query))
    if found is None:
        return
    assert len(found.shape) <= LONGEST_SHAPE
    assert parse(found.url) == found  # a canonical form is its own
    shuffled = list(query)
    random.shuffle(shuffled)
    assert parse(url(shuffled)).normal == found.normal
    normal, _ = normal_path(found.path, ALL)
    assert found.normal_path == normal
    for thing in found.things(found):
        assert thing.rest != found.normal or not thing.value


@given(st.text())
def test_any_text(text):
    parse(text)
    parse(f"https://{text}")
    parse(f"{HOST}/{text}")
