"""The add-on: one line in the settings enables everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from dedup_middleware.errors import SettingError
from dedup_middleware.settings import Settings

from .report import DedupLogStats, fail

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

PIPELINE_ORDER = 50  # early: what is dropped here costs the pipelines behind nothing
MIDDLEWARE_ORDER = 60  # next to the engine, but behind what turns error pages away
DOWNLOADER_ORDER = 60  # behind what turns other sites away, before what asks for robots.txt
LOG_ORDER = 1  # its line stands behind that of Scrapy's LogStats


class Addon:
    """Enable with `ADDONS = {"dedup_middleware.Addon": 500}`."""

    def update_settings(self, settings: BaseSettings) -> None:
        try:
            own = Settings.from_scrapy(settings)
        except SettingError as error:
            fail(error)
        if not own.enabled:
            raise NotConfigured("DEDUP_ENABLED is False")
        from .middleware import DedupDownloaderMiddleware, DedupSpiderMiddleware
        from .pipeline import DedupPipeline

        components: list[tuple[str, type, int]] = [
            ("ITEM_PIPELINES", DedupPipeline, PIPELINE_ORDER),
            ("SPIDER_MIDDLEWARES", DedupSpiderMiddleware, MIDDLEWARE_ORDER),
            ("DOWNLOADER_MIDDLEWARES", DedupDownloaderMiddleware, DOWNLOADER_ORDER),
            ("EXTENSIONS", DedupLogStats, LOG_ORDER),
        ]
        if own.dropped_feed:
            from .output import DroppedFeed

            components.append(("EXTENSIONS", DroppedFeed, LOG_ORDER))
        for name, component, order in components:
            settings.setdefault_in_component_priority_dict(name, component, order)
