from scrapy.utils.request import RequestFingerprinter


class OwnFingerprinter(RequestFingerprinter):
    pass
