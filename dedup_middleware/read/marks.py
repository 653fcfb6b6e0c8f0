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

# Blocks whose attributes tell something often enough to be asked for; the others are asked only
# where something on the page is hidden, because asking costs half of the walk.
ASKED = frozenset(
    {
        *("article", "aside", "details", "dialog", "div", "dl", "fieldset", "footer", "form"),
        *("header", "main", "nav", "ol", "p", "section", "table", "td", "ul"),
    }
)
UNASKED = frozenset(
    {
        *("address", "blockquote", "button", "caption", "center", "dd", "dir", "dt", "figcaption"),
        *(
            "figure",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "hgroup",
            "label",
            "legend",
            "li",
            "listing",
        ),
        *("menu", "noscript", "option", "plaintext", "pre", "search", "select", "summary", "th"),
        "xmp",
    }
)
BLOCKS = ASKED | UNASKED
SKIPPED = frozenset(
    {
        *("annotation", "annotation-xml", "applet", "audio", "canvas", "datalist", "iframe"),
        *(
            "noembed",
            "noframes",
            "object",
            "rp",
            "script",
            "style",
            "svg",
            "template",
            "textarea",
            "title",
        ),
        "video",
    }
)
# no blocks, but words on both sides stay apart; the second have no content
SPACED = frozenset({"body", "head", "html", "optgroup", "tbody", "tfoot", "thead", "tr"})
VOID = frozenset({"br", "hr", "img", "input"})
