"""How surely an element is page furniture, judged by its name, role and class or id words."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

# Greater is surer; what is less sure is undone first when too little main text is left.
NONE = 0
ARTICLE = 1  # the opposite: a home of main text
LINKS = 2  # mostly link text
WORDS = 3  # a class or id that names furniture
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
_FURNITURE = frozenset(
    {
        *("nav", "navs", "navi", "navbar", "navigation", "navheader", "navfooter", "navlink"),
        *("navlinks", "navmenu", "navbox", "navlist", "navitem", "menubar", "menuitem", "menulist"),
        *(
            "sidebar",
            "sidebars",
            "topbar",
            "toolbar",
            "toolbars",
            "bottombar",
            "taskbar",
            "sharebar",
        ),
        *("linkbar", "relbar", "breadcrumb", "breadcrumbs", "crumb", "crumbs", "foot", "masthead"),
        *(
            "branding",
            "tagline",
            "share",
            "shares",
            "sharing",
            "sharethis",
            "sharelink",
            "sharelinks",
        ),
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
_FURNITURE_BEGINS = ("newsletter", "related", "social")
_FURNITURE_ENDS = ("footer", "footers", "menu", "menus", "nav")
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
_OF_THE_PAGE = frozenset({"has", "no", "with", "without", "is"})  # has-sidebar, no-nav
_FRAMES = frozenset({"div", "section", "table", "center", "ul", "ol", "dl"})


def level_of(name: str, role: str, classes: str, identifier: str) -> int:
    """Return how surely an element is furniture."""
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
    return WORDS if any(_names_furniture(label, frame) for label in labels) else NONE


@lru_cache(maxsize=20_000)
def _names_furniture(label: str, frame: bool) -> bool:
    words = [word.lower() for word in _WORD.findall(label)]
    if not words or words[0] in _OF_THE_PAGE:
        return False
    pairs = map("".join, pairwise(words))
    for word in (*words, *pairs):
        if (
            word in _FURNITURE
            or word.startswith(_FURNITURE_BEGINS)
            or word.endswith(_FURNITURE_ENDS)
        ):
            return True
    return frame and not _AMBIGUOUS.isdisjoint(words) and _CONTENT.isdisjoint(words)
