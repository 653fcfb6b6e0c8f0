"""Hidden text: what a page's own styles and attributes keep from its visitors is taken out.

Many pages are hidden as a whole until a script shows them, so the root and the body always count as
shown, and a page that hides more than it shows is not compared. What other files do (style sheets,
scripts, pictures on top) can't be known here.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

from lxml import etree

from . import conceal
from .css import MOST_CSS, declarations, matches, rules, sheet, with_variables
from .labels import ARTICLE, MAIN, NONE, level_of
from .marks import BLOCKS, HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .css import Rule

MOST_WORK = 100_000  # rules that are tried on elements
ALL = ("",)
MOST_COLOURS = 100  # of text, and as many of grounds, that are compared

_ASIDES = frozenset({"a", "script", "style", "template"})
_ASIDE = "x-aside"
_NEVER = ("html", "head", "body")
# Where to look for what hides, if the page has the letters: each costs a tenth of reading it.
_HIDING_ATTRIBUTES = (b" hidden", b"aria-hidden", b"popover")
_STYLE_ATTRIBUTES = (b"style", b"bgcolor", b"color")
_EXTERNAL = etree.XPath(
    "boolean(//link[contains(@rel, 'tylesheet')] | //style[contains(., '@import')])"
)
_WITH = {
    name: etree.XPath(f"//@{name.decode().strip()}/..")
    for name in (*_HIDING_ATTRIBUTES, *_STYLE_ATTRIBUTES)
}
_CLASSES = etree.XPath("//@class", smart_strings=False)
_IDS = etree.XPath("//@id", smart_strings=False)


class Hidden(NamedTuple):
    """How much was taken out of a page."""

    characters: int = 0
    whole: bool = True
    """All styles were read."""

    def note(self, shown: int) -> str:
        """Say why a page that shows so many characters can't be compared; empty if it can."""
        if not self.whole:
            return "its styles were not read to their end"
        return "its styles hide most of its text" if self.characters > shown else ""


def hide(root: etree._Element, source: bytes) -> Hidden:
    """Take hidden text out of a tree.

    Elements that are hidden as a whole get a name that no reader looks into; where an element in
    them may be shown again, as with `visibility`, text is removed.
    """
    lower = source.lower()
    attributed = [
        one for one in _with(_HIDING_ATTRIBUTES, root, lower) if _is_hidden_by_attribute(one)
    ]
    closed = []
    if b"<details" in lower or b"<dialog" in lower:
        closed = [one for one in root.iter("details", "dialog") if one.get("open") is None]
    styles = _Styles(root, lower)
    styled = [(one, names) for one in styles.suspects(root) if (names := styles.hides(one))]
    for element in attributed:
        _take_out(element)
    for element in closed:
        _close(element)
    removed = 0
    for element, names in styled:
        if names == ALL:
            _take_out(element)
        else:
            removed += _remove_text(element, names, styles)
    if attributed or closed or styled:
        removed += _hidden_size(root)
    return Hidden(removed, styles.whole)


def _is_hidden_by_attribute(element: etree._Element) -> bool:
    get = element.get
    if get("hidden") is not None:
        return "display" not in declarations(get("style", ""))[0]  # that is stronger
    silent = get("aria-hidden") == "true" and element.tag in BLOCKS
    return silent or get("popover") is not None


def _close(element: etree._Element) -> None:
    """Hide what a closed element holds, but for its summary."""
    summary = element.find("summary") if element.tag == "details" else None
    element.text = None
    for child in element:
        child.tail = None
        if child is not summary and isinstance(child.tag, str):
            _take_out(child)


def _take_out(element: etree._Element) -> None:
    if _is_aside(element):
        element.set(_ASIDE, "")
    element.tag = HIDDEN


def _is_aside(element: etree._Element) -> bool:
    """Return True if an element is no main text, hidden or not."""
    if element.tag in _ASIDES:
        return True
    get = element.get
    level, _ = level_of(str(element.tag), get("role", ""), get("class", ""), get("id", ""))
    return level not in (NONE, MAIN, ARTICLE)


def _remove_text(element: etree._Element, names: Iterable[str], styles: _Styles) -> int:
    """Remove the text in an element, but not in those inside that have a value of their own."""
    stack, removed = [element], 0
    while stack:
        one = stack.pop()
        removed += _length(one.text)
        one.text = None
        for child in one:
            removed += _length(child.tail)
            child.tail = None
            if isinstance(child.tag, str) and styles.of(child).keys().isdisjoint(names):
                stack.append(child)
    return removed


def _hidden_size(root: etree._Element) -> int:
    """Return how many characters are hidden that could be main text."""
    size = inside = 0
    events = etree.iterwalk(root, events=("start", "end"))
    for event, node in events:
        element = cast("etree._Element", node)  # noqa: SLF001 - lxml has no public name for it
        hidden = element.tag == HIDDEN
        if event == "end":
            inside -= hidden
            size += _length(element.tail) if inside else 0
            continue
        inside += hidden
        if inside:
            if element.get(_ASIDE) is not None or (not hidden and _is_aside(element)):
                events.skip_subtree()
            else:
                size += _length(element.text)
    return size


def _length(text: str | None) -> int:
    return len(text.strip()) if text else 0


class _Styles:
    """What the page's own style sheets and attributes say of its elements."""

    def __init__(self, root: etree._Element, source: bytes) -> None:
        self._root = root
        self._own = {
            one: declarations(one.get("style", ""))
            for one in _with(_STYLE_ATTRIBUTES, root, source)
            if one.tag not in _NEVER
        }
        css = []
        if b"<style" in source:
            css = [one.text for one in root.iter("style") if one.text and _is_read(one)]
        self.whole = sum(map(len, css)) <= MOST_CSS
        """All of them were read."""
        names = _names(root) if css else set()
        self._rules: dict[str, list[tuple[int, Rule]]] = defaultdict(list)
        declared: list[Mapping[str, str]] = [
            block for blocks in self._own.values() for block in blocks if block
        ]
        drafts = (one for text in css for one in sheet(text) if names.issuperset(one.names))
        for order, rule in enumerate(rule for draft in drafts for rule in rules(draft)):
            self._rules[rule.selector[-1].key].append((order, rule))
            declared.append(rule.declarations)
        self._variables = {k: v for one in declared for k, v in one.items() if k[:2] == "--"}
        self._colours = self._same_colours(declared)
        self._memo: dict[etree._Element, Mapping[str, str]] = {}
        self._work = MOST_WORK

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
        return element.tag not in _NEVER and any(
            self._try(rule, element) for key in _keys(element) for rule in rules.get(key, ())
        )

    def _try(self, rule: Rule, element: etree._Element) -> bool:
        self._work -= 1
        self.whole = self.whole and self._work > 0
        return self.whole and matches(element, rule.selector)

    def _is_suspect(self, rule: Rule) -> bool:
        return rule.may_hide or not self._colours.isdisjoint(rule.declarations.items())

    def _may_hide(self, found: Mapping[str, str]) -> bool:
        return conceal.may_hide(found) or not self._colours.isdisjoint(found.items())

    def _same_colours(self, declared: list[Mapping[str, str]]) -> set[tuple[str, str]]:
        """Return the declarations of colours that could hide text, given all on the page."""
        pairs = {pair for one in declared for pair in one.items()}
        texts = sorted(pair for pair in pairs if pair[0] == "color")
        grounds = sorted(pair for pair in pairs if pair[0][:10] == "background")
        if (texts or grounds) and not self._external:
            texts.append(("color", "black"))
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
        ranked: list[tuple[tuple[bool, bool, tuple[int, int, int], int], Mapping[str, str]]] = []
        for key in _keys(element) if self.whole else ():
            for order, rule in self._rules.get(key, ()):
                if self._try(rule, element):
                    rank = (rule.important, False, rule.weight, order)
                    ranked.append((rank, rule.declarations))
        if element in self._own:
            ranked.append(((False, False, (0, 0, 0), -1), _old(element)))
            for important, own in enumerate(self._own[element]):
                ranked.append(((bool(important), True, (0, 0, 0), 0), own))
        ranked.sort(key=lambda pair: pair[0])
        found = {k: v for _, one in ranked for k, v in one.items()}
        if any("var(" in value for value in found.values()):
            found = {k: with_variables(v, self._variables) for k, v in found.items()}
        self._memo[element] = found
        return found

    def hides(self, element: etree._Element) -> tuple[str, ...]:
        """Return the properties that hide the text of an element, ALL if nothing inside shows."""
        found = self.of(element)
        if conceal.hides(found) or self._opacity(element) < conceal.FAINT:
            return ALL
        names: tuple[str, ...] = ("visibility",) if conceal.is_invisible(found) else ()
        if self._is_tiny(element):
            names += ("font-size", "font")
        if self._has_colour_of_ground(element):
            names += ("color", "background", "background-color")
        return names

    def _opacity(self, element: etree._Element) -> float:
        """Return how much is seen of an element, given those around it."""
        seen = conceal.opacity(self.of(element))
        if seen < 1:
            for around in element.iterancestors():
                seen *= conceal.opacity(self.of(around)) if around.tag != "body" else 1
        return seen

    def _is_tiny(self, element: etree._Element) -> bool:
        """Return True if letters are too small to be read."""
        if conceal.font_size(self.of(element), 1) is None:
            return False
        size = 16.0
        for one in reversed((element, *element.iterancestors())):
            size = conceal.font_size(self.of(one), size) or 0.0 if _sized(self.of(one)) else size
        return conceal.is_tiny(size)

    def _has_colour_of_ground(self, element: etree._Element) -> bool:
        """Return True if text can't be told from its ground.

        Where other style sheets have a say, only if the element itself has both colours.
        """
        found = self.of(element)
        if conceal.is_transparent(found):
            return True
        text, ground = conceal.text_colour(found), conceal.ground(found)
        if not (text and ground) and (self._external or not (text or ground)):
            return False
        around = [self.of(one) for one in element.iterancestors()]
        text = text or next(filter(None, map(conceal.text_colour, around)), "black")
        ground = ground or next(filter(None, map(conceal.ground, around)), "white")
        return conceal.can_not_be_told(text, ground)


def _sized(found: Mapping[str, str]) -> bool:
    return conceal.font_size(found, 1) is not None


def _old(element: etree._Element) -> dict[str, str]:
    """Return what attributes of old say of colours."""
    return {
        name: value if value in conceal.NAMED_COLOURS else f"#{value.lstrip('#')}"
        for name, attribute in (("color", "color"), ("background", "bgcolor"))
        if (value := element.get(attribute, "").lower())
    }


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
    media = style.get("media", "all").lower()
    outside = any(one.tag in ("noscript", "template") for one in style.iterancestors())
    shown = "all" in media or "screen" in media
    return shown and not outside and "less" not in style.get("type", "")


def _with(names: Iterable[bytes], root: etree._Element, source: bytes) -> Iterator[etree._Element]:
    """Yield the elements that have one of some attributes."""
    for name in names:
        if name in source:
            yield from cast("list[etree._Element]", _WITH[name](root))  # noqa: SLF001 - as above
