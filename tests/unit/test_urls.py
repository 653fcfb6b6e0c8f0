"""Hosts of URLs."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.urls import host_of, is_within, named_host


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
