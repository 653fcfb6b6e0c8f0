"""The end of a crawl: its store is closed, old ones are removed, old pages forgotten."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from dedup_middleware.store import open_reader
from dedup_middleware.store.forgetting import Expiry, forget_expired
from dedup_middleware.store.prune import prune

from .summary import command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dedup_middleware.deduplicator import Deduplicator
    from dedup_middleware.settings import Settings

    from .place import Place

logger = logging.getLogger(__name__)


def close(dedup: Deduplicator, place: Place, *, well: bool, requests_saved: int) -> None:
    """Close the store, which waits for the disk.

    What a crawl delivered is known to be lost if it did not end well, so that even pages which
    have counted at once must pass again.
    """
    if place.runs:  # before: what is in use stays, whatever the clock says
        prune(place.runs, dedup.settings.keep_runs)
    dedup.close(well=well, revoke=not well and place.is_shared, requests_saved=requests_saved)


def warn(dedup: Deduplicator, failures: Sequence[str], *, noted: bool) -> None:
    """Say that a run did not succeed, why, and whether its pages count; nothing if it did."""
    store, counts = dedup.store, False
    if not noted:
        counts = dedup.settings.commit != "finish"  # as they did before
        failures = [*failures, "its end could not be noted"] if failures or not counts else []
    if failures:
        logger.warning(
            "This run did not succeed: %s. %s: %s",
            "; ".join(failures),
            "Its pages still count; when the store works, have them pass again"
            if counts
            else "Its pages don't count and pass again; if they are safe",
            command("runs", store.name, "discard" if counts else "commit", store.run),
        )


def forget(place: Place, settings: Settings) -> None:
    """Forget what the settings say; the store must be closed."""
    expiry = Expiry(settings.forget_days, settings.forget_runs, settings.forget_size)
    if not place.is_shared or not expiry.is_set:
        return
    with open_reader(place.url or place.path, map_size=settings.map_size, write=True) as store:
        forgotten = forget_expired(store, expiry)
    if forgotten.pages:
        logger.info("Forgotten, because not seen for long: %d pages", forgotten.pages)
