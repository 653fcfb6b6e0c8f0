"""Hosts and keys of URLs."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from w3lib.url import canonicalize_url

from dedup_middleware.urls import _CANONICAL, host_of, is_within, named_host, url_key


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.org", "example.org"),
        ("https://Example.ORG:8080/a", "example.org"),
        ("https://u:p@example.org?x", "example.org"),
        ("http://[::1]:80/", "::1"),
        ("http://[::1/", ""),
        ("file:///a/b", ""),
        ("https://example.org\\@evil.example/", "evil.example"),
        ("https://example.org./", "example.org"),
        ("nothing", ""),
    ],
)
def test_hosts(url, host):
    assert host_of(url) == host


@given(st.text("ab.:/@?#-1", max_size=20))
def test_the_fast_path_finds_the_same_host(text):
    url = f"https://{text}"
    try:
        expected = (urlsplit(url).hostname or "").strip(".")
    except ValueError:
        expected = ""
    assert host_of(url) == expected


def test_hosts_as_users_write_them():
    assert named_host("B\u00dcCHER.example") == "xn--bcher-kva.example"
    assert named_host("http://a.example:80/x") == named_host("A.example:80") == "a.example"
    assert is_within("a.example", "a.example")
    assert not is_within("ba.example", "a.example")


@given(st.from_regex(_CANONICAL, fullmatch=True))
@example("https://www.example.org/a/b-c_d/e.html")
@example("https://shop.example:8080/item?id=12")
@example("http://localhost/")
def test_urls_that_are_taken_for_canonical_are(url):
    assert canonicalize_url(url) == url


@given(
    st.sampled_from(["http://a.example", "HTTPS://A.Example", "//b.example", ""]),
    st.text("ab01AZ/.?&=#%+-_~ ;:é", max_size=20),
)
@example("https://a.example", "/?b=1&a=2")
def test_equal_keys_for_equal_canonical_urls(host, rest):
    try:
        canonical = canonicalize_url(host + rest)
    except ValueError:
        return
    assert url_key(host + rest) == url_key(canonical)


def test_a_url_that_cannot_be_parsed_has_a_key():
    assert url_key("http://[::1/") != url_key("http://[::2/")
