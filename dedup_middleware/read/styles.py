"""Styles of elements: which declarations of the page's own sheets and attributes they have."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

from lxml import etree

from . import conceal
from .css import MOST_CSS, declarations, is_for_screens, rules, sheet, with_variables
from .selectors import Budget, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .css import Rule

MOST_WORK = 400_000  # elements that are looked at
MOST_COLOURS = 100  # of text, and as many of grounds, that are compared
ALL = ("",)
"""Properties that hide all that is inside an element."""

_NEVER = ("html", "head", "body")
_STYLE_ATTRIBUTES = ("style", "bgcolor", "color", "background", "text")
_PICTURE = re.compile(r"url\(|gradient|var\(|image")
_EXTERNAL = etree.XPath(
    "boolean(//link[contains(@rel, 'tylesheet')] | //style[contains(., '@import')])"
)
_CLASSES = etree.XPath("//@class", smart_strings=False)
_IDS = etree.XPath("//@id", smart_strings=False)


class Styles:
    """What the page's own style sheets and attributes say of its elements."""

    def __init__(self, root: etree._Element, source: bytes) -> None:
        self._root = root
        self._budget = Budget(MOST_WORK)
        styled = list(dict.fromkeys(with_attributes(_STYLE_ATTRIBUTES, root, source)))
        css = []
        if b"<style" in source:
            css = [one.text for one in root.iter("style") if one.text and _is_read(one)]
        size = sum(map(len, css)) + sum(len(one.get("style", "")) for one in styled)
        self._all_read = size <= MOST_CSS
        self._own = {
            one: declarations(one.get("style", "") if self._all_read else "") for one in styled
        }
        names = _names(root) if css else set()
        self._rules: dict[str, list[tuple[int, Rule]]] = defaultdict(list)
        declared: list[Mapping[str, str]] = [
            block for blocks in self._own.values() for block in blocks if block
        ]
        drafts = (one for text in css for one in sheet(text) if names.issuperset(one.names))
        for order, rule in enumerate(rule for draft in drafts for rule in rules(draft)):
            self._rules[rule.selector[-1].key].append((order, rule))
            declared.append(rule.declarations)
        self._variables = _variables(declared)
        self._colours = self._same_colours(declared)
        self._memo: dict[etree._Element, Mapping[str, str]] = {}
        self._inherited: dict[etree._Element, _Inherited] = {}
        self._around: dict[etree._Element, frozenset[str]] = {}

    @property
    def work(self) -> int:
        """How many elements were looked at so far."""
        return MOST_WORK - self._budget.left

    @property
    def whole(self) -> bool:
        """All styles were read, and tried on all elements."""
        return self._all_read and not self._budget.is_spent

    @cached_property
    def _external(self) -> bool:
        """Return True if other style sheets have a say."""
        return bool(_EXTERNAL(self._root))

    def suspects(self, root: etree._Element) -> list[etree._Element]:
        """Return the elements that have a declaration that may hide; never the root or body."""
        found = [
            one for one, own in self._own.items() if any(map(self._may_hide, own)) or _old(one)
        ]
        suspicious: dict[str, list[Rule]] = {}
        for key, pairs in self._rules.items():
            some = [rule for _, rule in pairs if self._is_suspect(rule)]
            if some:
                suspicious[key] = some
        if suspicious:
            found += [one for one in root.iter("*") if self._is_tried(one, suspicious)]
        return found

    def _is_tried(self, element: etree._Element, rules: Mapping[str, list[Rule]]) -> bool:
        return (
            self.whole
            and element.tag not in _NEVER
            and any(
                self._try(rule, element) for key in _keys(element) for rule in rules.get(key, ())
            )
        )

    def _try(self, rule: Rule, element: etree._Element) -> bool:
        self._budget.left -= 1
        if len(rule.selector) > 1 and not rule.needs.issubset(self._names_around(element)):
            return False
        return self.whole and matches(element, rule.selector, self._budget)

    def _names_around(self, element: etree._Element) -> frozenset[str]:
        """Return the classes and ids of an element and of those around it."""
        missing: list[etree._Element] = []
        at: etree._Element | None = element
        while at is not None and at not in self._around:
            missing.append(at)
            at = at.getparent()
        found = self._around[at] if at is not None else frozenset()
        for one in reversed(missing):
            names = [name for name in _keys(one) if name[0] in ".#"]
            found = found.union(names) if names else found
            self._around[one] = found
            self._budget.left -= 1 + len(found) // 8
        return found

    def _is_suspect(self, rule: Rule) -> bool:
        return rule.may_hide or not self._colours.isdisjoint(rule.declarations.items())

    def _may_hide(self, found: Mapping[str, str]) -> bool:
        return conceal.may_hide(found) or not self._colours.isdisjoint(found.items())

    def _same_colours(self, declared: list[Mapping[str, str]]) -> set[tuple[str, str]]:
        """Return the declarations of colours that could hide text, given all on the page."""
        pairs = {pair for one in declared for pair in one.items()}
        texts = sorted(pair for pair in pairs if pair[0] == "color")
        grounds = sorted(pair for pair in pairs if pair[0][:10] == "background")
        # no ground is white if there are pictures, or grounds that nobody knows
        pictures = next(self._root.iter("img", "picture", "video", "canvas"), None)
        self._is_white = pictures is None and not any(_PICTURE.search(one) for _, one in grounds)
        if (texts or grounds) and not self._external:
            texts.append(("color", "black"))
            if self._is_white:
                grounds.append(("background", "white"))
        return {
            one
            for text in texts[-MOST_COLOURS:]
            for ground in grounds[-MOST_COLOURS:]
            if conceal.can_not_be_told(text[1], ground[1])
            for one in (text, ground)
        }

    def of(self, element: etree._Element) -> Mapping[str, str]:
        """Return the declarations that hold for an element in the end."""
        if element in self._memo:
            return self._memo[element]
        ranked: list[tuple[tuple[int, ...], Mapping[str, str]]] = []
        for key in _keys(element) if self.whole else ():
            for order, rule in self._rules.get(key, ()):
                if self._try(rule, element):
                    # of important rules those in layers are the stronger ones
                    layer = rule.layer == rule.important
                    rank = (rule.important, False, layer, *rule.weight, order)
                    ranked.append((rank, rule.declarations))
        if element in self._own:
            ranked.append(((False, False, False, 0, 0, 0, -1), _old(element)))
            for important, own in enumerate(self._own[element]):
                ranked.append(((bool(important), True, True, 0, 0, 0, 0), own))
        ranked.sort(key=lambda pair: pair[0])
        found: dict[str, str] = {}
        for _, one in ranked:
            for name, value in one.items():
                for part in conceal.SHORTHANDS.get(name, ()):
                    found.pop(part, None)
                found[name] = value
        if any("var(" in value for value in found.values()):
            found = {k: with_variables(v, self._variables) for k, v in found.items()}
        self._memo[element] = found
        return found

    def hides(self, element: etree._Element) -> tuple[str, ...]:
        """Return the properties that hide the text of an element, ALL if nothing inside shows."""
        found = self.of(element)
        # most that is hidden needs no look around
        alone = self._external and not conceal.is_relative(found)
        inherited = _Inherited() if alone else self._of_all_around(element)
        if conceal.hides(found, str(element.tag)) or inherited.opacity < conceal.FAINT:
            return ALL
        names: tuple[str, ...] = ("visibility",) if conceal.is_invisible(found) else ()
        if inherited.is_sized and conceal.is_tiny(inherited.size):
            names += ("font-size", "font")
        if self._has_colour_of_ground(found, inherited):
            names += ("color", "background", "background-color")
        return names

    def _of_all_around(self, element: etree._Element) -> _Inherited:
        """Return what an element has of those around it, each looked at once."""
        missing: list[etree._Element] = []
        at: etree._Element | None = element
        while at is not None and at not in self._inherited:
            missing.append(at)
            at = at.getparent()
        found = self._inherited[at] if at is not None else _Inherited()
        self._budget.left -= len(missing)
        for one in reversed(missing):
            found = found.inside(self.of(one), is_page=one.tag in _NEVER)
            self._inherited[one] = found
        return found

    def _has_colour_of_ground(self, found: Mapping[str, str], inherited: _Inherited) -> bool:
        """Return True if text can't be told from its ground.

        Where other style sheets have a say, only if the element itself has both colours.
        """
        if conceal.is_transparent(found):
            return True
        text, ground = conceal.text_colour(found), conceal.ground(found)
        if not (text or ground) or (self._external and not (text and ground)):
            return False
        text, ground = text or inherited.text or "black", ground or inherited.ground
        return conceal.can_not_be_told(text, ground or ("white" if self._is_white else "var("))


class _Inherited(NamedTuple):
    """What an element has of those around it."""

    opacity: float = 1.0
    size: float = 16.0
    is_sized: bool = False
    text: str = ""
    ground: str = ""

    def inside(self, found: Mapping[str, str], *, is_page: bool) -> _Inherited:
        """Return what an element with these declarations has, inside one that has this."""
        size = conceal.font_size(found, self.size)
        return _Inherited(
            1.0 if is_page else self.opacity * conceal.opacity(found),
            self.size if size is None else size,
            size is not None,
            conceal.text_colour(found) or self.text,
            conceal.ground(found) or self.ground,
        )


def _variables(declared: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return the variables of a page that have one value only."""
    values: dict[str, set[str]] = defaultdict(set)
    for one in declared:
        for name, value in one.items():
            if name.startswith("--"):
                values[name].add(value)
    return {name: next(iter(some)) for name, some in values.items() if len(some) == 1}


def _old(element: etree._Element) -> dict[str, str]:
    """Return what attributes of old say of colours."""
    found = {
        name: value if value in conceal.NAMED_COLOURS else f"#{value.lstrip('#')}"
        for name, attribute in (("color", "color"), ("color", "text"), ("background", "bgcolor"))
        if (value := element.get(attribute, "").lower()[:20])
    }
    return found | ({"background": "url()"} if element.get("background") else {})


def _names(root: etree._Element) -> set[str]:
    classes = {
        f".{name}" for value in set(cast("list[str]", _CLASSES(root))) for name in value.split()
    }
    return classes | {f"#{name}" for name in cast("list[str]", _IDS(root))}


def _keys(element: etree._Element) -> Iterator[str]:
    yield "*"
    yield str(element.tag)
    identifier, classes = element.get("id"), element.get("class")
    if identifier:
        yield f"#{identifier}"
    if classes:
        yield from {f".{name}" for name in classes.split()}


def _is_read(style: etree._Element) -> bool:
    outside = any(one.tag in ("noscript", "template") for one in style.iterancestors())
    is_css = style.get("type", "text/css").strip().lower() in ("", "text/css")
    return is_css and not outside and is_for_screens(style.get("media", ""))


# A search for elements costs a tenth of reading a page, one for letters next to nothing.
_FIND = {
    name: etree.XPath(f"//@{name}/..")
    for name in (*_STYLE_ATTRIBUTES, "hidden", "aria-hidden", "popover")
}
_COMMON_WORDS = frozenset({"color", "background", "text"})


def _may_have(name: str, lower: bytes) -> bool:
    letters = name.encode()
    if name in _COMMON_WORDS:
        return letters + b"=" in lower or letters + b" =" in lower
    return letters in lower


def with_attributes(
    names: Iterable[str], root: etree._Element, lower: bytes
) -> Iterator[etree._Element]:
    """Yield the elements that have one of some attributes, given the page in small letters."""
    for name in names:
        if _may_have(name, lower):
            # lxml has no public name for an element
            yield from cast("list[etree._Element]", _FIND[name](root))  # noqa: SLF001
