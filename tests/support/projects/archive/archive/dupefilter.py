from scrapy.dupefilters import RFPDupeFilter


class OwnDupeFilter(RFPDupeFilter):
    """Never fetches what the archive has marked as withdrawn."""

    def request_seen(self, request):
        return "withdrawn" in request.url or super().request_seen(request)
