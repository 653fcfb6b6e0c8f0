"""The mark stream: a page as text with marks for its blocks and links, written by every walker.

    OPEN head END text … LINK text LINK_END … CLOSE text

A head is a tag name and its telling attributes. The marks are Unicode noncharacters: legal in XML,
never assigned to a character; a page that contains them can only mislabel itself.
"""

from __future__ import annotations

OPEN = "\ufdd0"
END = "\ufdd1"
CLOSE = "\ufdd2"
LINK = "\ufdd3"
LINK_END = "\ufdd4"
ATTRIBUTE = "\ufdd5"

INLINE = "~"  # begins the head of an inline element, marked only because it may be hidden

# one letter each in the stream
ATTRIBUTES = {
    "class": "c",
    "id": "i",
    "role": "r",
    "style": "s",
    "hidden": "h",
    "open": "o",
    "aria-level": "l",
}

BLOCKS = frozenset(
    """address article aside blockquote button caption center dd details dialog dir div dl dt
    fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup label legend li listing
    main menu nav noframes noscript ol option p plaintext pre search section select summary table
    td th ul xmp""".split()
)
SKIPPED = frozenset(
    """annotation annotation-xml applet audio canvas datalist iframe noembed object rp script style
    svg template textarea title video""".split()
)
# no blocks, but words on both sides stay apart
SPACED = frozenset("body br head hr html img input optgroup tbody tfoot thead tr".split())
