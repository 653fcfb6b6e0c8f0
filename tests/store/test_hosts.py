"""What stores learn of hosts: the same on every engine, in batch jobs and over several runs."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from dedup_middleware import Deduplicator, Page
from dedup_middleware.batch.spark_stages import learn
from dedup_middleware.fingerprint.site import SiteMemory, block_hash
from dedup_middleware.fingerprint.subject import read_subject
from dedup_middleware.settings import Settings
from dedup_middleware.urls import host_key

if TYPE_CHECKING:
    from tests.support.stores import Stores

HOST = "https://a.example/"
DEFAULT = Settings()


def pages(count: int) -> list[Page]:
    """Return copies of an article, pages that share a title, and pages with titles of their own."""
    random, found = Random(1), []
    article = sentence(random, 60)
    for n in range(count):
        title, text = (
            ("Tides", f"{article}</p><p>{n} views"),
            ("Forum", sentence(random, 30)),
            (f"Boat {n}", sentence(random, 30)),
        )[n % 3]
        html = f"<title>{title}</title><div>About us</div><p>{text}</p>"
        found.append(Page(url=f"{HOST}{n}", html=html))
    return found


def sentence(random: Random, words: int) -> str:
    return " ".join(f"w{random.randrange(5000)}" for _ in range(words)).capitalize() + "."


def test_every_store_learns_what_a_batch_job_learns(stores: Stores) -> None:
    given = pages(70)
    given += [Page(url=one.url, html=f"{one.html}<p>Seen again") for one in given]
    read = [
        read_subject(one, max_html=DEFAULT.max_html, max_text=DEFAULT.max_text) for one in given
    ]
    arrivals = ((one.host, number, one.key, one.arrival.pack()) for number, one in enumerate(read))
    expected = [SiteMemory.unpack(packed) for *_, packed in learn(arrivals)]
    place = stores.new_place()
    found = []
    for part in (given[:21], given[21:]):  # the second run goes on with what the first has counted
        with Deduplicator(stores.open(place)) as dedup:
            for page in part:
                dedup.process(page)
                with dedup.store.snapshot() as view:
                    memory = view.host(host_key(HOST))
                if memory.generation > len(found):
                    found.append(memory)
    assert found == expected
    last = found[-1]
    assert last.df(block_hash("About us")) == last.names
    assert last.names == 21 + 8 + 1  # Boats, some pages of the forum, the article
