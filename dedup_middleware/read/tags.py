"""What tags mean: tables for the tokenizer and for the nesting of elements.

The compiled core has them in `native/data/elements.txt`.
"""

from __future__ import annotations

from typing import Final

# what stands in these is text up to their end tag; in the first two, references are decoded
ESCAPABLE: Final = frozenset(("textarea", "title"))
RAW: Final = ESCAPABLE | {"iframe", "noembed", "noframes", "plaintext", "script", "style", "xmp"}
FOREIGN: Final = frozenset(("math", "svg"))
# these never stand in SVG or MathML, so where they begin it has ended
BREAKOUT: Final = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul "
    "var".split()
)
HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
VOID: Final = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source "
    "track wbr".split()
)
# a head ends with anything else
HEAD_CONTENT: Final = frozenset(
    "base basefont bgsound link meta noframes noscript script style template title".split()
)
# these begin once, while nothing else but these is open
FRAME: Final = {"html": (), "head": ("html",), "body": ("html", "head")}
BLOCKS: Final = frozenset(
    "address applet article aside blockquote body button caption center colgroup dd details dialog "
    "dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header "
    "hgroup html iframe li listing main marquee menu nav noembed noframes noscript object ol p "
    "plaintext pre script search section select style summary table tbody td template textarea "
    "tfoot th thead title tr ul xmp".split()
)
_CLOSED = frozenset("applet caption foreignobject marquee object table td template th".split())
# an end tag, or an implied end, does not reach out of the elements of its scope
SCOPES: Final = {
    "block": BLOCKS,
    "closed": _CLOSED,
    "button": _CLOSED | {"button"},
    "list": _CLOSED | {"ol", "ul"},
    "item": (BLOCKS | _CLOSED) - {"address", "div", "p"},
    "table": frozenset(("table", "template")),
    "foreign": frozenset(
        "annotation-xml desc foreignobject mi mn mo ms mtext table td th title".split()
    ),
}
_ROW = (("tr", "table"), ("td", "table"), ("th", "table"))
_GROUP = tuple((name, "table") for name in ("tbody", "thead", "tfoot"))
_TABLE_HEAD = (("caption", "table"), ("colgroup", "table"))
_RUBY = tuple((name, "block") for name in ("rb", "rp", "rt"))
_BEFORE_P = tuple(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure "
    "footer form header hgroup hr listing main menu nav ol p plaintext pre search section summary "
    "table ul xmp".split()
)
_P = ("p", "button")
_STARTS: dict[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(_BEFORE_P, (_P,)),
    **dict.fromkeys(HEADINGS, (_P, *((name, "block") for name in HEADINGS))),
    **dict.fromkeys(("dd", "dt"), (("dd", "item"), ("dt", "item"), _P)),
    "li": (("li", "item"), _P),
    "button": (("button", "closed"),),
    "optgroup": (("option", "block"), ("optgroup", "block")),
    "option": (("option", "block"),),
    "select": (("select", "closed"),),
    **dict.fromkeys(("rb", "rp", "rt"), _RUBY),
    "rtc": (*_RUBY, ("rtc", "block")),
    **dict.fromkeys(("caption", "colgroup"), _TABLE_HEAD),
    "col": _TABLE_HEAD[:1],
    **dict.fromkeys(("td", "th"), (*_ROW[1:], *_TABLE_HEAD)),
    "tr": (*_ROW, *_TABLE_HEAD),
    **dict.fromkeys(("tbody", "tfoot", "thead"), (*_GROUP, *_ROW, *_TABLE_HEAD)),
}
# start tag → which elements it ends, if they are open in that scope
IMPLIED_ENDS: Final = {
    name: (
        *(((foreign, "foreign") for foreign in sorted(FOREIGN)) if name in BREAKOUT else ()),
        *_STARTS.get(name, ()),
    )
    for name in sorted(BREAKOUT | _STARTS.keys())
}
# end tag → the scope in which it is looked for; others are inline
END_SCOPES: Final = {
    **dict.fromkeys(sorted(BLOCKS), "closed"),
    **dict.fromkeys(("table", "tbody", "td", "tfoot", "th", "thead", "tr"), "table"),
    "li": "list",
    "p": "button",
}
# a start tag of these is an end tag first: links do not nest
NOT_NESTED: Final = frozenset(("a", "nobr"))
# the reverse of SCOPES: element → scopes that it limits
SCOPES_OF = {
    name: tuple(scope for scope, names in SCOPES.items() if name in names)
    for name in sorted(frozenset().union(*SCOPES.values()))
}
