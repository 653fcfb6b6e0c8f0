"""What the name, role, class and id of an element say: boilerplate, comments or main text."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

# Levels of a node. Of two elements around a node the greater counts; the lesser are undone first
# when too little main text is left.
NONE = 0
MAIN = 1  # the opposite of boilerplate
ARTICLE = 2
LINKS = 3  # a list of links
TEASERS = 4  # links with a few words each, below the text
OUTSIDE = 5  # beside the main element, above the main heading, or a copy of other text
PART = 6  # a class or id that names a part of the page, or a part of something on it
WORDS = 7  # a class or id that names boilerplate
HEADER = 8
FORM = 9
ASIDE = 10
TAG = 11  # nav, footer and the roles that mean the same
COMMENTS = 12  # a class or id that names what readers wrote

TAGS = {
    "nav": TAG,
    "footer": TAG,
    "aside": ASIDE,
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
    "main": MAIN,
    "article": ARTICLE,
}
ROLES = {
    "navigation": TAG,
    "contentinfo": TAG,
    "search": TAG,
    "complementary": ASIDE,
    "menu": TAG,
    "menubar": TAG,
    "dialog": TAG,
    "alertdialog": TAG,
    "banner": HEADER,
    "toolbar": FORM,
    "form": FORM,
    "main": MAIN,
    "article": ARTICLE,
}
UNLABELLED = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "pre", "address", "hgroup"})

_PIECE = re.compile(r"[A-Za-z0-9]+")
_CODE = re.compile(r"[0-9][A-Za-z]")  # css-1ad9nav
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
BOILERPLATE_WORDS = frozenset(
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
BOILERPLATE_BEGINS = ("newsletter", "related", "social")
BOILERPLATE_ENDS = ("footer", "footers", "menu", "menus", "nav")
COMMENT_WORDS = frozenset({"comment", "comments", "commentlist", "disqus", "review", "reviews"})
# `header` names a part of the page, `entry-header` and `margin-bottom` don't
PARTS = frozenset({"head", "header", "heading", "banner", "side", "top", "bottom", "topper"})
BESIDE_PARTS = PARTS | {
    *("page", "site", "global", "wrapper", "wrap", "container", "inner", "outer", "area", "bar"),
    *("left", "right", "region", "row", "fixed", "sticky", "mobile", "desktop", "block", "box"),
    "logo",
}
LARGE = frozenset({"div", "section", "table", "center", "ul", "ol", "dl"})
# what an element has or lacks, not what it is: has-sidebar, without-nav
STATES = frozenset({"has", "no", "with", "without", "is"})
# an aside of the text, not of the page
_NOTE = re.compile(r"\b(?:foot|end|side)?notes?\b|admonition|\bquote\b", re.ASCII)
_CHAPTER = re.compile(r"(?:ref)?sect|chapter|appendix|part\b", re.ASCII)
_LONGEST = 500  # characters of an attribute that are looked at


def level_of(name: str, role: str, classes: str, identifier: str) -> tuple[int, str]:
    """Return the level of an element, and the word of its class or id that says so, if one does."""
    if name == "aside" and _NOTE.search(f"{role} {classes[:_LONGEST]}"):
        return NONE, ""
    by_tag = max(TAGS.get(name, NONE), ROLES.get(role, NONE))
    if by_tag != NONE or name in UNLABELLED:
        return by_tag, ""
    labels = classes[:_LONGEST].split()
    # the id of a chapter is made from its heading, be that "Cookies" or "Search paths"
    if name != "section" and not any(map(_CHAPTER.match, labels)):
        labels += identifier[:_LONGEST].split()
    found = max(map(_level_of_label, labels), default=(NONE, ""))
    return found if name in LARGE or found[0] != PART else (NONE, "")


@lru_cache(maxsize=4_000)  # labels are short, but come from strangers
def _level_of_label(label: str) -> tuple[int, str]:
    words = _words(label)
    for word in (*words, *map("".join, pairwise(words))):
        if (
            word in BOILERPLATE_WORDS
            or word.startswith(BOILERPLATE_BEGINS)
            or word.endswith(BOILERPLATE_ENDS)
        ):
            return WORDS, word
    for word in words:
        if word in COMMENT_WORDS:
            return COMMENTS, word
    if not PARTS.isdisjoint(words) and BESIDE_PARTS.issuperset(words):
        return PART, "-".join(words)
    return NONE, ""


def _words(label: str) -> list[str]:
    words: list[str] = []
    skip = False
    for piece in _PIECE.findall(label):
        if _CODE.search(piece):
            continue
        for word in map(str.lower, _WORD.findall(piece)):
            if word in STATES:
                skip = True
                continue
            if not skip:
                words.append(word)
            skip = False
    if "search" in words and not {"result", "results"}.isdisjoint(words):
        words.remove("search")  # what was found, not the form
    return words
