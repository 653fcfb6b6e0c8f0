"""The mark stream: a page as text with marks for its blocks and links, written by every walker.

    text OPEN head END text … LINK text LINK … OPEN / END text

A head is a tag name and the attributes that matter, or a slash for the end of an element. The marks
are Unicode noncharacters: legal in XML, never assigned to a character; a page that contains them
can only mislabel itself.
"""

from __future__ import annotations

OPEN = "\ufdd0"
END = "\ufdd1"
LINK = "\ufdd3"  # before and after
ATTRIBUTE = "\ufdd5"
AND = "\ufdd2"  # between heads without text in between, written by the builder

SLASH = "/"
CLOSE = OPEN + SLASH + END
# around blocks: the space leaves the builder only one way in which marks can follow each other
OPEN_BLOCK = " " + OPEN
CLOSE_BLOCK = " " + CLOSE

# one letter each in the stream
ATTRIBUTES = {
    "class": "c",
    "id": "i",
    "role": "r",
    "aria-level": "l",
}

# Blocks whose attributes are read; reading those of the others would cost half of the walk.
ATTRIBUTED_BLOCKS = frozenset(
    {
        *("article", "aside", "details", "dialog", "div", "dl", "fieldset", "footer", "form"),
        *("header", "main", "nav", "ol", "p", "section", "table", "td", "ul"),
    }
)
BARE_BLOCKS = frozenset(
    {
        *("address", "blockquote", "button", "caption", "center", "dd", "dir", "dt", "figcaption"),
        *("figure", "h1", "h2", "h3", "h4", "h5", "h6", "hgroup", "label", "legend", "li"),
        "listing",
        *("menu", "noscript", "option", "plaintext", "pre", "search", "select", "summary", "th"),
        "xmp",
    }
)
BLOCKS = ATTRIBUTED_BLOCKS | BARE_BLOCKS
HIDDEN = "x-hidden"  # what an element becomes that visitors can't see
SKIPPED = frozenset(
    {
        *("annotation", "annotation-xml", "applet", "audio", "canvas", "datalist", "iframe"),
        *("meter", "noembed", "noframes", "object", "progress", "rp", "script", "style", "svg"),
        *("template", "textarea", "title", "video", HIDDEN),
    }
)
# no blocks, but words on both sides stay apart; the second have no content
SPACED = frozenset({"body", "head", "html", "optgroup", "tbody", "tfoot", "thead", "tr"})
VOID = frozenset({"br", "hr", "img", "input"})
