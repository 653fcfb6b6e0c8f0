"""Elements as the builder sees them: kind, heading rank, and how likely they are boilerplate."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from .marks import AND, ATTRIBUTE, BARE_BLOCKS, SLASH
from .outline import KINDS

# Greater is more certain; the less certain are undone first when too little main text is left.
NONE = 0
ARTICLE = 1  # the opposite: holds main text
LINKS = 2  # mostly link text
WORDS = 3  # a class or id that names boilerplate
HEADER = 4
FORM = 5
TAG = 6  # nav, footer, aside and the roles that mean the same

_TAGS = {
    "nav": TAG,
    "footer": TAG,
    "aside": TAG,
    "search": TAG,
    "menu": TAG,
    "dialog": TAG,
    "header": HEADER,
    "form": FORM,
    "fieldset": FORM,
    "button": FORM,
    "select": FORM,
    "option": FORM,
    "label": FORM,
    "legend": FORM,
    "main": ARTICLE,
    "article": ARTICLE,
}
_ROLES = {
    "navigation": TAG,
    "contentinfo": TAG,
    "search": TAG,
    "complementary": TAG,
    "menu": TAG,
    "menubar": TAG,
    "dialog": TAG,
    "alertdialog": TAG,
    "banner": HEADER,
    "toolbar": FORM,
    "form": FORM,
    "main": ARTICLE,
    "article": ARTICLE,
}
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "pre", "address", "hgroup"})

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_BOILERPLATE = frozenset(
    {
        *("nav", "navs", "navi", "navbar", "navigation", "navheader", "navfooter", "navlink"),
        *("navlinks", "navmenu", "navbox", "navlist", "navitem", "menubar", "menuitem", "menulist"),
        *("sidebar", "sidebars", "topbar", "toolbar", "toolbars", "bottombar", "taskbar"),
        "sharebar",
        *("linkbar", "relbar", "breadcrumb", "breadcrumbs", "crumb", "crumbs", "foot", "masthead"),
        *("branding", "tagline", "share", "shares", "sharing", "sharethis", "sharelink"),
        "sharelinks",
        *("addthis", "addtoany", "follow", "followus", "recommended", "recommendation"),
        *("recommendations", "trending", "mostread", "mostpopular", "blogroll", "respond"),
        *("commentform", "replyform", "cookie", "cookies", "consent", "gdpr", "login", "logout"),
        *("signin", "signup", "search", "searchbox", "searchform", "searchbar", "pager", "pagers"),
        *("pagination", "paginate", "paging", "prevnext", "tags", "taglist", "tagcloud", "meta"),
        *("postmeta", "entrymeta", "skip", "skiplink", "skiplinks", "skipnav", "skipto", "jump"),
        *("jumpto", "ad", "ads", "advert", "adverts", "advertisement", "advertisements"),
        *("advertising", "sponsor", "sponsors", "sponsored", "promo", "promos", "promotion"),
        *("subscribe", "subscription", "subscriptions", "copyright", "colophon", "poweredby"),
        *("sitesub", "sitename", "sitetitle", "sitemap", "backtotop", "widget", "widgets", "popup"),
        *("popups", "modal"),
    }
)
_BOILERPLATE_BEGINS = ("newsletter", "related", "social")
_BOILERPLATE_ENDS = ("footer", "footers", "menu", "menus", "nav")
# These name the page's frame, or a part of an article: `header` against `entry-header`.
_AMBIGUOUS = frozenset({"head", "header", "heading", "banner", "side", "top", "bottom", "topper"})
_CONTENT = frozenset(
    {
        *("article", "body", "content", "contents", "entry", "main", "post", "posts", "section"),
        *("story", "text", "title", "titles", "table", "doc", "document", "sect", "chapter"),
    }
)
_NOTE = re.compile(r"\b(?:foot|end|side)?notes?\b|admonition")  # an aside of the text, not the page
_CHAPTER = re.compile(r"(?:ref)?sect|chapter|appendix|part\b")
_LONGEST = 500  # characters of an attribute that are looked at
_STATES = frozenset({"has", "no", "with", "without", "is"})  # has-sidebar, no-nav
_FRAMES = frozenset({"div", "section", "table", "center", "ul", "ol", "dl"})


def level_of(name: str, role: str, classes: str, identifier: str) -> int:
    """Return how likely an element is boilerplate, by its name, role and words of class and id."""
    if name == "aside" and _NOTE.search(f"{role} {classes[:_LONGEST]}"):
        return NONE
    by_tag = max(_TAGS.get(name, NONE), _ROLES.get(role, NONE))
    if by_tag != NONE or name in _HEADINGS:
        return by_tag
    labels = classes[:_LONGEST].split()
    # the id of a chapter is made from its heading, be that "Cookies" or "Search paths"
    if name != "section" and not any(map(_CHAPTER.match, labels)):
        labels += identifier[:_LONGEST].split()
    frame = name in _FRAMES
    return WORDS if any(_names_boilerplate(label, frame) for label in labels) else NONE


@lru_cache(maxsize=20_000)
def _names_boilerplate(label: str, frame: bool) -> bool:
    words = [word.lower() for word in _WORD.findall(label)]
    if not words or words[0] in _STATES:
        return False
    pairs = map("".join, pairwise(words))
    for word in (*words, *pairs):
        if (
            word in _BOILERPLATE
            or word.startswith(_BOILERPLATE_BEGINS)
            or word.endswith(_BOILERPLATE_ENDS)
        ):
            return True
    return frame and not _AMBIGUOUS.isdisjoint(words) and _CONTENT.isdisjoint(words)


# how the builder treats an element; numbers, because it looks a thousand times a page
PLAIN: Final = 0  # ends a line, that is all
HIDDEN: Final = 1
CONTAINER: Final = 2
SPECIAL: Final = 3


class Block(NamedTuple):
    """What the builder needs to know of an element."""

    way: int
    kind: int = -1
    """Index into KINDS; -1: that of the enclosing block."""
    scope: bool = False
    """Headings inside do not reach beyond it."""
    rank: int = 0
    """1…6 for a heading."""
    level: int = NONE
    """How likely it is boilerplate."""


TEXT: Final = KINDS.index("text")
ITEM: Final = KINDS.index("item")
HEADING: Final = KINDS.index("heading")
INHERITED: Final = -1

_KIND_OF_TAG = {
    tag: KINDS.index(kind)
    for kind, tags in {
        "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
        "item": ("li",),
        "cell": ("td", "th"),
        "term": ("dt",),
        "definition": ("dd",),
        "code": ("pre", "listing", "xmp", "plaintext"),
        "address": ("address",),
        "quote": ("blockquote",),
        "caption": ("caption", "figcaption"),
        "control": ("button", "label", "legend", "option", "select"),
        "list": ("ul", "ol", "dl", "dir", "menu"),
        "table": ("table",),
    }.items()
    for tag in tags
}
_CONTAINERS = {KINDS.index("list"), KINDS.index("table")}
_SCOPES = {
    *("article", "aside", "blockquote", "dd", "details", "dialog", "dir", "dl", "dt", "fieldset"),
    *("figure", "footer", "form", "header", "li", "main", "menu", "nav", "ol", "section", "table"),
    *("td", "th", "ul"),
}
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_RANK = re.compile(r"[1-6]")


@lru_cache(maxsize=20_000)
def block_of(head: str) -> Block:
    """Return the block that a head describes."""
    name, *pairs = head.split(ATTRIBUTE)
    attributes = {pair[:1]: pair[1:] for pair in pairs}
    hidden = "h" in attributes or bool(_HIDING.search(attributes.get("s", "")))
    # noscript is for browsers without scripts
    if hidden or name == "noscript" or (name == "dialog" and "o" not in attributes):
        return Block(HIDDEN)
    if name in BARE_BLOCKS:  # else the result would depend on whether they were read
        attributes = {}
    role = attributes.get("r", "").strip().lower()
    kind = _KIND_OF_TAG.get(name, INHERITED)
    rank = int(name[1]) if kind == HEADING else 0
    if role == "heading":
        found = _RANK.search(attributes.get("l", ""))
        kind, rank = HEADING, int(found[0]) if found else 2  # 2 is what ARIA says
    scope = name in _SCOPES
    level = level_of(name, role, attributes.get("c", ""), attributes.get("i", ""))
    if kind in _CONTAINERS:
        return Block(CONTAINER, kind, scope=True, level=level)
    if kind == INHERITED and not scope and level == NONE:
        return Block(PLAIN)
    return Block(SPECIAL, kind, scope, rank, level)


_MEMO_SIZE = 20_000  # class names come from strangers
_MEMO_RUN = 1_000
_MEMO_DEPTH = 100

SAME = 1
SAME_ITEM = 2


class Step(NamedTuple):
    """From one text to the next: elements end, others begin."""

    place: Place
    kind: int
    rank: int
    ends: tuple[None, ...]
    """One for each frame to leave: a tuple is the quickest to count down."""
    again: int
    """SAME if then one ends and one of its kind begins, SAME_ITEM if it is a list item."""
    begins: tuple[Block, ...]
    """Those that need a frame."""
    hidden: int
    """How many are open from the first hidden one on, 0 if none is."""


class Place:
    """A block inside others."""

    __slots__ = ("block", "depth", "inner", "kind", "rank", "steps", "up")

    def __init__(self, block: Block, up: Place | None) -> None:
        self.block = block
        self.up = up
        self.depth: int = up.depth + 1 if up else 0
        self.kind: int = block.kind
        self.rank = block.rank
        if block.way == CONTAINER:
            self.kind = TEXT
        elif block.kind == INHERITED and up:
            self.kind, self.rank = up.kind, up.rank
        self.steps: dict[str, Step] = {}
        self.inner: dict[Block, Place] = {}

    def step(self, run: str) -> Step:
        """Return where a run of heads leads, and remember it: look in `steps` first."""
        ends, begins, hidden = _parsed(run)
        place = self
        left: list[Block] = []
        while ends and place.up:
            ends -= 1
            left.append(place.block)
            place = place.up
        entered = list(begins)
        for block in begins:
            place = place.enter(block)
        again = 0
        if left and entered and left[-1] == entered[0] and _repeats(entered[0]):
            again = SAME_ITEM if entered[0].kind == ITEM else SAME
            del left[-1], entered[0]
        step = Step(
            place,
            place.kind,
            place.rank,
            tuple(None for block in left if _has_frame(block)),
            again,
            tuple(filter(_has_frame, entered)),
            hidden,
        )
        if len(run) <= _MEMO_RUN and self.depth < _MEMO_DEPTH:
            _memo.size += 1
            self.steps[run] = step
        return step

    def enter(self, block: Block) -> Place:
        """Return the place inside a block."""
        inner = self.inner.get(block)
        if inner is None:
            inner = Place(block, self)
            if self.depth < _MEMO_DEPTH:
                _memo.size += 1
                self.inner[block] = inner
        return inner


class _Memo:
    """The top of all remembered places, and how much is remembered."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.size = 0
        self.top = Place(Block(PLAIN, TEXT), None)


_memo = _Memo()


def top() -> Place:
    """Return the place outside of all elements."""
    if _memo.size > _MEMO_SIZE:
        _memo.forget()
    return _memo.top


def _parsed(run: str) -> tuple[int, list[Block], int]:
    """Return how many elements end, which begin, and how deep the run ends in a hidden one."""
    ends = hidden = 0
    begins: list[Block] = []
    for head in run.split(AND):
        if hidden:
            hidden += -1 if head == SLASH else 1
        elif head == SLASH:
            if begins:  # nothing in it, so it was never there
                begins.pop()
            else:
                ends += 1
        elif head:
            block = block_of(head)
            if block.way == HIDDEN:
                hidden = 1
            else:
                begins.append(block)
    return ends, begins, hidden


def _has_frame(block: Block) -> bool:
    return block.scope or block.level != NONE


def _repeats(block: Block) -> bool:
    """Return True if the end of such a block and the begin of another only change sections."""
    plain = block.level == NONE and block.way != CONTAINER
    return plain and block.scope and block.kind != INHERITED
