"""How surely an element is page furniture, judged by its name, role and class or id words."""

from __future__ import annotations

import re

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
_FURNITURE = re.compile(
    r"""
      nav(?:s|bar|i|igation|igate|header|footer|links?|menu|box|list|item)? | \w*nav
    | \w*menus? | menu(?:bar|item|list) | (?:side|top|tool|bottom|task|share|link|rel)bars?
    | (?:bread)?crumbs? | breadcrumbs? | foot | \w*footers? | masthead | branding | tagline
    | shar(?:e|es|ing|ethis|elinks?) | social\w* | addthis | addtoany | follow(?:us)?
    | related\w* | recommend(?:ed|ations?) | trending | mostread | mostpopular | blogroll
    | respond | commentform | replyform | cookies? | consent | gdpr | login | logout | signin
    | signup | search(?:box|form|bar)? | pag(?:er|ers|ination|inate|ing) | prevnext | postnavigation
    | tags | taglist | tagcloud | meta | postmeta | entrymeta | skip(?:link|links|nav|to)? | jump
    | jumpto | ads? | advert(?:s|isement|isements|ising)? | sponsor(?:ed|s)? | promo(?:s|tion)?
    | newsletter\w* | subscri(?:be|ption|ptions) | copyright | colophon | poweredby | sitesub
    | sitename | sitetitle | sitemap | printfooter | backtotop | widgets? | popups? | modal
    """,
    re.VERBOSE,
)
# These name the page's frame, or a part of an article: `header` against `entry-header`.
_AMBIGUOUS = frozenset({"head", "header", "heading", "banner", "side", "top", "bottom", "topper"})
_CONTENT = frozenset(
    """article body content contents entry main post posts section story text title titles table
    doc document sect chapter""".split()
)
_LONGEST = 500  # characters of an attribute that are looked at
_FRAMES = frozenset({"div", "section", "table", "center", "ul", "ol", "dl"})


def level_of(name: str, role: str, classes: str, identifier: str) -> int:
    """Return how surely an element is furniture."""
    by_tag = max(_TAGS.get(name, NONE), _ROLES.get(role, NONE))
    if by_tag != NONE or name in _HEADINGS:
        return by_tag
    # a whole class name such as `has-sidebar` or `no-nav` speaks of the page, not of the element
    for label in f"{identifier[:_LONGEST]} {classes[:_LONGEST]}".split():
        if _names_furniture(name, label):
            return WORDS
    return NONE


def _names_furniture(element: str, label: str) -> bool:
    words = [word.lower() for word in _WORD.findall(label)]
    if not words or words[0] in ("has", "no", "with", "without", "is"):
        return False
    pairs = (first + second for first, second in zip(words, words[1:], strict=False))
    if any(_FURNITURE.fullmatch(word) for word in (*words, *pairs)):
        return True
    return (
        element in _FRAMES
        and not _AMBIGUOUS.isdisjoint(words)
        and _CONTENT.isdisjoint(words)
    )
