"""The site that examples crawl. It comes from a downloader middleware: no server is needed."""

import json

from scrapy.http import HtmlResponse, TextResponse

TIDES = """\
The tide turns twice a day, and the boats that lie in the harbour turn with it, bow to the sea \
while the water falls and bow to the town while it rises. Nobody who lives here looks at a clock \
before the ferry has swung around.
In spring the difference is as high as a house. The lower steps of the quay are green and slippery \
then, and the fishermen climb a ladder to reach the market with their boxes of mackerel.
The oldest mark on the harbour wall was cut by a mason after a storm, and every child is shown it. \
Twelve more have been added since, each with a year, and there is room for as many above them.
A pilot told us that the current at the narrows can be heard before it is seen. On still nights it \
sounds like a train that never arrives, and the dogs of the lighthouse bark at it.""".splitlines()
EDITED = [*TIDES[:2], TIDES[2].replace("every child", "each child"), TIDES[3]]
GLASS = """\
Glass remembers every mistake of the person who blows it: a breath that comes too late leaves a \
ring, and a draught from the door leaves a crack that shows itself only after weeks.
The furnace is lit on the first Monday of the month and goes out on the last Friday, because to \
heat it once costs as much as to keep it warm for eleven days.
Apprentices start with paperweights. They are heavy and forgiving, and visitors buy the crooked \
ones first.""".splitlines()


def html(paragraphs, links=()):
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    nav = "".join(f'<a href="{link}">More</a> ' for link in links)
    return f"<!doctype html><title>A page</title><main>{body}</main><nav>{nav}</nav>"


SITE = {
    "https://example.org/": html([], ["/tides", "/tides?print=1", "/tides/edited", "/glass"]),
    "https://example.org/tides": html(TIDES),
    "https://example.org/tides?print=1": html(TIDES).replace("<nav>", '<nav><a href="/a.csv"></a>'),
    "https://example.org/tides/edited": html(EDITED),
    "https://example.org/glass": html(GLASS),
}
STORIES = [
    {"url": "https://example.org/stories/1", "text": " ".join(TIDES)},
    {"url": "https://example.org/stories/2", "text": " ".join(EDITED)},
    {"url": "https://example.org/stories/3", "text": " ".join(GLASS)},
]


class Web:
    def process_request(self, request):
        url = request.url
        if url in SITE:
            return HtmlResponse(url, body=SITE[url].encode(), request=request)
        data = json.dumps(STORIES).encode() if url.endswith("/stories.json") else b"1,2"
        return TextResponse(url, body=data, request=request)
