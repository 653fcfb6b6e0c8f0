"""The end of a crawl: its store is closed, old ones are removed, old pages forgotten."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from dedup_middleware.store import open_reader
from dedup_middleware.store.forgetting import Expiry, forget_expired
from dedup_middleware.store.prune import prune

if TYPE_CHECKING:
    from dedup_middleware.deduplicator import Deduplicator
    from dedup_middleware.settings import Settings

    from .place import Place

logger = logging.getLogger(__name__)

NOT_COMMITTED = (
    "The pages of this run don't count and pass again: its end could not be noted, or a feed could "
    "not be stored. If they are safe: scrapy dedup runs commit %s"
)


def close(dedup: Deduplicator, place: Place, *, well: bool, requests_saved: int) -> None:
    """Close the store, which waits for the disk."""
    if place.runs:  # before: what is in use stays, whatever the clock says
        prune(place.runs, dedup.settings.keep_runs)
    dedup.close(well=well, requests_saved=requests_saved)


def forget(place: Place, settings: Settings) -> None:
    """Forget what the settings say; the store must be closed."""
    expiry = Expiry(settings.forget_days, settings.forget_runs, settings.forget_size)
    if not place.is_shared or not expiry.is_set:
        return
    with open_reader(place.path, map_size=settings.map_size, write=True) as store:
        forgotten = forget_expired(store, expiry)
    if forgotten.pages:
        logger.info("Forgotten, because not seen for long: %d pages", forgotten.pages)
