"""Verdicts of the library against the truth: pages of demo webs in random order."""

from __future__ import annotations

from random import Random
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from crawler.demo import Server, score
from dedup_middleware import Deduplicator, Page
from tests.support.patience import PATIENCE

ORDERS = [(60221, 1), (60222, 2), (60221, 3)]


@pytest.mark.parametrize(("seed", "order"), ORDERS)
def test_verdicts_agree_with_the_truth_in_any_order(seed, order, tmp_path):
    journal = []
    with Server(seed) as server, Deduplicator(tmp_path, on_decision=journal.append) as dedup:
        manifest = server.manifest
        urls = [page.url for page in manifest.pages]
        Random(order).shuffle(urls)
        for url in urls:
            dedup.process(fetched(url))
    result = score(manifest, journal)
    assert result.missing == ()
    assert result.due > 100
    assert result.precision == 1, result.disagreements
    assert result.recall >= 0.98, result.disagreements


def test_redirects_lead_to_pages_that_are_known(tmp_path):
    journal = []
    with Server(60224, 100) as server, Deduplicator(tmp_path, on_decision=journal.append) as dedup:
        redirects = [url for url, what in server.manifest.others if what == "redirect"]
        for url in (*redirects, *(page.url for page in server.manifest.pages), *redirects):
            dedup.process(fetched(url))
        result = score(server.manifest, journal)
    assert result.precision == 1, result.disagreements
    assert [one["verdict"] for one in journal[-2:]] == ["unchanged", "unchanged"]


def test_errors_have_the_status_of_errors():
    with Server(60225, 100) as server:
        for url, what in server.manifest.others:
            if what == "error":
                with pytest.raises(HTTPError) as caught:
                    urlopen(url, timeout=PATIENCE)
                caught.value.close()


def fetched(url: str) -> Page:
    with urlopen(url, timeout=PATIENCE) as response:
        encoding = response.headers.get_content_charset()
        return Page(url=response.url, html=response.read(), encoding=encoding)
