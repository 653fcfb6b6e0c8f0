from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem


class OnlyComplete:
    """Drops what the archive can't use, and breaks on what nobody foresaw."""

    def process_item(self, item):
        url = ItemAdapter(item)["url"]
        if url.endswith("/p/0"):
            raise DropItem("incomplete")
        if url.endswith("/p/1"):
            raise KeyError("unforeseen")
        return item
