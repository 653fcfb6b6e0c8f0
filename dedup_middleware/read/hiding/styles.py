"""Styles of elements: which declarations of the page's own sheets and attributes they have."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from . import colours, conceal
from .declarations import declarations, with_variables, without_comments
from .matching import MOST_WORK, Matcher
from .media import is_for_screens
from .names import Names
from .selectors import selector_of, weight_of
from .sheets import sheet
from .text import SPACE, lower

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dedup_middleware.read.tree import Element

    from .declarations import Declared
    from .selectors import Selector, Weight
    from .sheets import Draft
    from .survey import Survey

    Pair = tuple[str, str]

MOST_CSS = 1 << 20  # characters of a page's sheets and attributes that are read
MOST_COLOURS = 100  # of text, and as many of grounds, that are compared
ALL = ("",)
"""Properties that hide all that is inside an element."""

_NEVER = ("", "html", "head", "body")
_NO_SCRIPTS = frozenset({".no-js", ".nojs", ".no_js"})
_UNKNOWN = "var("


class Block(NamedTuple):
    """A selector with the declarations of its block."""

    selector: Selector
    weight: Weight
    declared: Declared


class Rule(NamedTuple):
    """Declarations, and the elements that have them."""

    selector: Selector
    declared: Mapping[str, str]
    bits: int
    """The names that an element or those around it must have."""
    rank: tuple[int, ...]
    may_hide: bool


@lru_cache(maxsize=5_000)
def _block(draft: Draft) -> Block | None:
    selector = selector_of(draft.selector)
    if not selector or any(not _NO_SCRIPTS.isdisjoint(one.names) for one in selector):
        return None
    return Block(selector, weight_of(selector), declarations(draft.text))


class Styles:
    """What the page's own style sheets and attributes say of its elements."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        texts = [_text(one) for one in survey.sheets if _is_read(one)]
        drafts, self._all_read = _drafts(texts, survey.styled)
        self._names = Names(survey.elements if drafts else ())
        self._matcher = Matcher(self._names, survey.missing)
        self._own = {
            one.place: declarations(without_comments(one.get("style")))
            for one in (survey.styled if self._all_read else ())
        }
        self._rules: dict[str, list[Rule]] = defaultdict(list)
        declared = list(self._own.values())
        for order, draft in enumerate(drafts):
            block = self._block(draft)
            if block is not None:
                declared.append(block.declared)
                for rule in self._rules_of(block, draft.layer, order):
                    self._rules[block.selector[-1].key].append(rule)
        self._is_linked = survey.has_links or any("@import" in _text(one) for one in survey.sheets)
        self._variables = _variables(declared)
        self._colours = self._same_colours(declared)
        self._known: dict[str, str] = {}  # values with variables, and what they become
        self._memo: dict[int, Mapping[str, str]] = {}
        self._inherited: dict[int, _Inherited] = {}

    @property
    def work(self) -> int:
        """How many elements were looked at so far."""
        return MOST_WORK - self._matcher.left

    @property
    def whole(self) -> bool:
        """All styles were read, and tried on all elements."""
        return self._all_read and self._matcher.left > 0

    def _block(self, draft: Draft) -> Block | None:
        """Return the block of a draft, if it can apply to anything on the page."""
        block = _block(draft) if self._names.has(draft.names) else None
        if block is None or not all(self._names.has(one.names) for one in block.selector):
            return None
        return block

    def _rules_of(self, block: Block, layer: bool, order: int) -> Iterable[Rule]:
        around = block.selector
        if any(one.combinator in ("+", "~") for one in around):
            around = around[-1:]
        bits = self._names.bits(name for one in around for name in one.names)
        for important, declared in enumerate(block.declared.lists):
            if declared:
                # of important rules those in layers are the stronger ones
                rank = (important, 0, layer == bool(important), *block.weight, order)
                yield Rule(block.selector, declared, bits, rank, conceal.may_hide(declared))

    def _same_colours(self, declared: list[Declared]) -> set[Pair]:
        """Return the declarations of colours that could hide text, given all on the page."""
        pairs = {pair for one in declared for some in one.lists for pair in some.items()}
        texts = sorted(pair for pair in pairs if pair[0] == "color")
        grounds = sorted(pair for pair in pairs if pair[0].startswith("background"))
        # no ground is white if there are pictures, or grounds that nobody knows
        pictured = self._survey.has_pictures or any(colours.is_picture(one) for _, one in grounds)
        self._is_white = not pictured
        if (texts or grounds) and not self._is_linked:
            texts.append(("color", "black"))
            if self._is_white:
                grounds.append(("background", "white"))
        behind = [(pair, colours.levels(pair[1])) for pair in grounds[-MOST_COLOURS:]]
        found = set()
        for text in texts[-MOST_COLOURS:]:
            levels = colours.levels(text[1])
            for ground, other in behind:
                if colours.are_alike(levels, other):
                    found |= {text, ground}
        return found

    def suspects(self) -> list[Element]:
        """Return the elements that have a declaration that may hide; never the root or body."""
        rules = {
            key: some
            for key, rules in self._rules.items()
            if (some := [one for one in rules if one.may_hide or self._has_colour(one.declared)])
        }
        return [
            one
            for one in (self._survey.elements if rules else self._survey.styled)
            if one.tag not in _NEVER
            and (self._may_hide_itself(one) or (rules and self._is_tried(one, rules)))
        ]

    def _may_hide_itself(self, element: Element) -> bool:
        own = self._own.get(element.place)
        if own is None:
            return False
        return any(conceal.may_hide(one) or self._has_colour(one) for one in own.lists) or bool(
            _old(element)
        )

    def _has_colour(self, declared: Mapping[str, str]) -> bool:
        return not self._colours.isdisjoint(declared.items())

    def _is_tried(self, element: Element, rules: Mapping[str, list[Rule]]) -> bool:
        keys = self._keys(element) if self.whole else ()
        return any(self._try(rule, element) for key in keys for rule in rules.get(key, ()))

    def _try(self, rule: Rule, element: Element) -> bool:
        if not self.whole:
            return False
        self._matcher.left -= 1
        return self._names.may_be_around(rule.bits, element) and self._matcher.matches(
            element, rule.selector
        )

    def _keys(self, element: Element) -> Iterable[str]:
        tags = (element.tag,) if element.tag else self._survey.missing
        return ("*", *tags, *self._names.of[element.place])

    def of(self, element: Element) -> Mapping[str, str]:
        """Return the declarations that hold for an element in the end."""
        if element.place in self._memo:
            return self._memo[element.place]
        ranked: list[tuple[tuple[int, ...], Mapping[str, str]]] = [
            (rule.rank, rule.declared)
            for key in (self._keys(element) if self._rules and self.whole else ())
            for rule in self._rules.get(key, ())
            if self._try(rule, element)
        ]
        if element.place in self._own:
            ranked.append(((0, 0, 0, 0, 0, 0, -1), _old(element)))
            for important, own in enumerate(self._own[element.place].lists):
                ranked.append(((important, 1), own))
        ranked.sort(key=lambda pair: pair[0])
        found: dict[str, str] = {}
        for _, one in ranked:
            for name, value in one.items():
                for part in conceal.SHORTHANDS.get(name, ()):
                    found.pop(part, None)
                found[name] = value
        lasts = self._matcher.left > 0
        found = {
            name: self._put_in(value, lasts) if "var(" in value else value
            for name, value in found.items()
        }
        self._memo[element.place] = found
        return found

    def _put_in(self, value: str, lasts: bool) -> str:
        """Return a value with its variables put in, if that is known or the budget lasts."""
        if lasts and value not in self._known:
            # each of them is as much work as an element
            self._known[value], count = with_variables(value, self._variables)
            self._matcher.left -= count
        return self._known.get(value, value)

    def hides(self, element: Element) -> tuple[str, ...]:
        """Return the properties that hide the text of an element, ALL if nothing inside shows."""
        found = self.of(element)
        # most that is hidden needs no look around
        alone = self._is_linked and not conceal.is_relative(found)
        inherited = _Inherited() if alone else self._of_all_around(element)
        if conceal.hides(found, element.tag) or inherited.opacity < colours.FAINT:
            return ALL
        names: tuple[str, ...] = ("visibility",) if conceal.is_invisible(found) else ()
        if inherited.is_sized and conceal.is_tiny(inherited.size):
            names += ("font-size", "font")
        if self._has_colour_of_ground(found, inherited):
            names += ("color", "background", "background-color")
        return names

    def _of_all_around(self, element: Element) -> _Inherited:
        """Return what an element has of those around it, each looked at once."""
        missing: list[Element] = []
        at: Element | None = element
        while at is not None and at.place not in self._inherited:
            missing.append(at)
            at = at.parent
        found = self._inherited[at.place] if at is not None else _Inherited()
        self._matcher.left -= len(missing)
        for one in reversed(missing):
            found = found.inside(self.of(one), is_page=one.tag in _NEVER)
            self._inherited[one.place] = found
        return found

    def _has_colour_of_ground(self, found: Mapping[str, str], inherited: _Inherited) -> bool:
        """Return True if text can't be told from its ground.

        Where other style sheets have a say, only if the element itself has both colours.
        """
        if conceal.is_transparent(found):
            return True
        text, ground = conceal.text_colour(found), conceal.ground(found)
        if not (text or ground) or (self._is_linked and not (text and ground)):
            return False
        text, ground = text or inherited.text or "black", ground or inherited.ground
        behind = ground or ("white" if self._is_white else _UNKNOWN)
        return colours.are_alike(colours.levels(text), colours.levels(behind))


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


def _drafts(texts: list[str], styled: list[Element]) -> tuple[list[Draft], bool]:
    """Return the rules of some sheets; none, and False, if there is too much CSS to read."""
    size = sum(map(len, texts)) + sum(len(one.get("style")) for one in styled)
    sheets = [sheet(text) for text in texts] if size <= MOST_CSS else []
    if size > MOST_CSS or not all(one.whole for one in sheets):
        return [], False
    return [draft for one in sheets for draft in one.drafts], True


def _variables(declared: Iterable[Declared]) -> dict[str, str]:
    """Return the variables of a page that have one value only."""
    values: dict[str, set[str]] = defaultdict(set)
    for one in declared:
        for name, value in one.variables:
            values[name].add(value)
    return {name: next(iter(some)) for name, some in values.items() if len(some) == 1}


def _old(element: Element) -> dict[str, str]:
    """Return what attributes of old say of colours."""
    found = {
        name: value if value in colours.NAMED else f"#{value.lstrip('#')}"
        for name, attribute in (("color", "color"), ("color", "text"), ("background", "bgcolor"))
        if (value := lower(element.get(attribute))[:20])
    }
    return found | ({"background": "url()"} if element.get("background") else {})


def _text(style: Element) -> str:
    return "".join(one for one in style.children if isinstance(one, str))


def _is_read(style: Element) -> bool:
    outside = any(one.tag in ("noscript", "template") for one in style.around())
    is_css = lower(style.get("type").strip(SPACE)) in ("", "text/css")
    return is_css and not outside and is_for_screens(style.get("media"))
