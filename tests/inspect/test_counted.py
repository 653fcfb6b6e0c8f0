"""As what the blocks of a page counted: its own, repeated, boilerplate, comments, hidden."""

from __future__ import annotations

from types import MappingProxyType

from dedup_middleware import Page
from dedup_middleware.inspect.texts import Counted, pieces_of, words_of
from dedup_middleware.read import read
from dedup_middleware.read.outline import BY_MEMORY, COMMENT, VOLATILE, HiddenText
from dedup_middleware.store.packing import pack, unpack

PROSE = "Tea is made of leaves that are dried, and of water that boils. " * 3
TABLE = "<table><tr><td>Price</td><td>12 €</td></tr><tr><td>Stock</td><td>none</td></tr></table>"
BODY = f"<nav><a href=/>Home</a></nav><main><h1>Tea</h1><p>{PROSE}</p>{TABLE}<p>Nice!</p></main>"


def counted(body: str, marks: dict[str, int] = MappingProxyType({})):
    """Return the texts of a page by what they count as, given other marks of some texts."""
    page = Page(url="https://a.example/", html=body)
    outline = read(page)
    pairs = zip(outline.texts, outline.boilerplate, strict=True)
    own = outline.marked(bytes([marks.get(text, mark) for text, mark in pairs]))
    pieces = pieces_of(outline, own)
    return [(str(piece.counted), piece.block.plain()) for piece in pieces], words_of(pieces)


def test_blocks_and_words():
    marks = {"Price": BY_MEMORY, "Stock": BY_MEMORY, "none": BY_MEMORY, "Home": BY_MEMORY}
    found, words = counted(BODY, {**marks, "Nice!": COMMENT})
    assert found == [
        ("boilerplate", "Home"),  # by structure, whatever its host repeats
        ("own", "Tea"),
        ("own", PROSE.strip()),
        ("own", "Price\t12 €"),  # a row is its own if any of it is
        ("repeated", "Stock\tnone"),
        ("comment", "Nice!"),
    ]
    own = len(PROSE.split()) + 4
    assert words == {
        Counted.OWN: own,
        Counted.REPEATED: 2,
        Counted.BOILERPLATE: 1,
        Counted.COMMENT: 1,
    }


def test_beginnings_of_hidden_text_are_kept_with_their_places():
    long = "cheap watches " * 99
    shown = PROSE * 9
    parts = f"<p hidden>{long}</p><p>{shown}<b style='display:none'>{long}</b></p><p>Two.</p>"
    page = Page(url="https://a.example/", html=f"{parts}<div hidden>{long}</div><p hidden>More.")
    outline = read(page)
    begin = long[:80].rstrip()
    assert outline.hidden == (
        HiddenText(0, f"{begin}…"),
        HiddenText(1, f"{begin}…"),
        HiddenText(2, f"{long[: 200 - 2 * len(begin)].rstrip()}…"),
    )
    assert unpack(pack(outline)).hidden == outline.hidden
    assert unpack(pack(outline.marked(bytes([1, 0])))).hidden == outline.hidden
    pieces = pieces_of(outline, outline)
    assert [one.block.plain()[:4] for one in pieces] == ["chea", "Tea ", "chea", "Two.", "chea"]
    assert [one.counted is Counted.HIDDEN for one in pieces] == [True, False, True, False, True]


def test_what_nobody_would_see_is_not_hidden_text():
    body = "<p hidden> <script>x</script><style>y</style><noscript>z</noscript> <br> </p><p>Tea."
    assert read(Page(url="https://a.example/", html=body)).hidden == ()


def test_what_changes_by_itself():
    found, words = counted(BODY, {"Nice!": VOLATILE})
    assert found[-1] == ("volatile", "Nice!")
    assert words[Counted.VOLATILE] == 1
