"""The HTML page of two compared pages, and the parts of it that reports show too."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from dedup_middleware.text import clean, percent, quantity

from .document import document, escaped, lang_attribute, link
from .dotplot import CAPTION, TITLE, Dotplot
from .side_by_side import State, around, headings_of_differences, lines_of
from .word_diff import Weight, diff, shorten, weightiest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dedup_middleware.read import Outline

    from .comparison import PageComparison
    from .side_by_side import Line, Shown
    from .word_diff import Change, Pieces

_STYLES, _SCRIPTS = ("base.css", "comparison.css"), ("pairs.js", "comparison.js")
_ORDINALS = ("first", "second")
_MOST_CHANGES, _MOST_AROUND, _DEEPEST = 12, 20, 5
# where the script shows the pair of sentences that is pointed at
_PAIR_PANEL = (
    '<aside id="pair" aria-live="polite" aria-label="Selected pair of sentences" hidden>'
    '<button type="button" aria-label="Close">×</button><p class="about"></p>'
    '<p class="one" dir="auto"></p><p class="two" dir="auto"></p></aside>'
)


def comparison_page(comparison: PageComparison) -> str:
    """Return a page about two compared pages that stands alone."""
    lines = lines_of(comparison)
    body = "\n".join(
        (
            _heading(comparison.names),
            f'<main><p class="summary">{escaped(comparison.summary)}</p>',
            identities(
                (comparison.first.outline, comparison.second.outline),
                ("First page", "Second page"),
            ),
            changes(lines),
            texts(comparison, lines),
            figures(comparison),
            "</main>",
            _PAIR_PANEL,
        )
    )
    first, second = map(clean, comparison.names)
    return document(
        f"{first} – {second}",
        body,
        None,
        styles=_STYLES,
        scripts=_SCRIPTS,
    )


def identities(pages: tuple[Outline, Outline], labels: tuple[str, str]) -> str:
    """Return what the pages call themselves, side by side, with the words that differ."""
    one, other = (page.identity for page in pages)
    names = {
        "Title": (one.title, other.title),
        "Main heading": (one.heading, other.heading),
        "Language": (one.language, other.language),
        "Own address": (one.address or "", other.address or ""),
    }
    rows = "".join(
        f'<tr{"" if first == second else " class=differs"}><th scope="row">{label}</th>'
        f"{_name(found.first)}{_name(found.second)}</tr>"
        for label, (first, second) in names.items()
        if first or second
        for found in [diff(shorten(first), shorten(second))]
    )
    heads = "".join(f'<th scope="col">{which}</th>' for which in labels)
    return (
        '<table class="identities"><caption class="unseen">What the pages call themselves'
        f"</caption><thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _name(pieces: Pieces) -> str:
    if not any(pieces):
        return '<td class="none">not known</td>'
    return f'<td><bdi dir="auto">{_marked(pieces)}</bdi></td>'


def changes(lines: Iterable[Line]) -> str:
    """Return the words in which the pages differ: numbers and names first."""
    found = weightiest((change for line in lines for change in line.changes), _MOST_CHANGES)
    if not found:
        return ""
    items = "".join(_change(change, times) for change, times in found)
    return (
        '<section class="changes" aria-labelledby="changes"><h2 id="changes">Words that differ</h2>'
        f"<ul>{items}</ul></section>"
    )


def _change(change: Change, times: int) -> str:
    first, second = (
        f"<bdi>{escaped(words)}</bdi>" if words else '<i class="none">nothing</i>'
        for words in (change.first, change.second)
    )
    often = f" <small>{times:,} times</small>" if times > 1 else ""
    return (
        f"<li{'' if change.weight is Weight.WORD else ' class=fact'}>{first} "
        f'<span class="arrow" aria-label="in the other page:">→</span> {second}{often}</li>'
    )


def figures(comparison: PageComparison) -> str:
    """Return the measures of two pages, and a picture of where they match."""
    rows = "".join(
        f'<tr><th scope="row">{escaped(label)}</th><td>{escaped(value)}</td></tr>'
        for label, value in comparison.measures.items()
    )
    return (
        '<section aria-labelledby="matched"><h2 id="matched">Where they match</h2>'
        f'<div class="found"><table class="measures"><tbody>{rows}</tbody></table>'
        '<figure><div class="picture" tabindex="0" role="region"'
        f' aria-label="{TITLE}">{Dotplot(comparison).svg()}</div>'
        f"<figcaption>{CAPTION}</figcaption></figure></div></section>"
    )


def texts(comparison: PageComparison, lines: Sequence[Line]) -> str:
    """Return both texts side by side, sentence by sentence.

    Where only differences are shown, so are the headings above them.
    """
    languages = comparison.first.outline.language, comparison.second.outline.language
    headings = headings_of_differences(lines)
    rows = "".join(_row(line, languages, at in headings) for at, line in enumerate(lines))
    heads = "".join(f"<div><bdi>{escaped(name)}</bdi></div>" for name in comparison.names)
    heads = f'<div class="heads" aria-hidden="true">{heads}</div>'
    return (
        '<section aria-labelledby="texts"><h2 id="texts">Both texts</h2>'
        '<ul class="legend"><li class="same">same</li>'
        '<li class="reworded">reworded</li><li class="only">only in this page</li>'
        '<li class="plain"><mark>words</mark> that differ from the other page</li></ul>'
        '<input type="checkbox" id="differing" checked><label for="differing">Show only differences'
        f'</label>{heads}<ol class="lines">{rows}</ol>'
        f"{_around(comparison) if all(line.is_equal for line in lines) else ''}</section>"
    )


def _around(comparison: PageComparison) -> str:
    """Return what differs around main texts that are the same."""
    found = around(comparison, _MOST_AROUND)
    if not found:
        return "<p>The main texts are the same, and so is what is around them.</p>"
    table = table_of_pairs("around", comparison.names, found)
    return f"<p>The main texts are the same. Around them:</p>{table}"


def table_of_pairs(kind: str, names: tuple[str, str], pairs: Iterable[tuple[str, str]]) -> str:
    """Return a table of texts of two pages."""
    heads = "".join(f'<th scope="col"><bdi>{escaped(name)}</bdi></th>' for name in names)
    rows = "".join(
        f'<tr><td dir="auto">{escaped(one)}</td><td dir="auto">{escaped(other)}</td></tr>'
        for one, other in (map(shorten, pair) for pair in pairs)
    )
    return f'<table class="{kind}"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def _heading(names: tuple[str, str]) -> str:
    rows = "".join(
        f'<li><span class="which">{ordinal} page</span> {link(name)}</li>'
        for ordinal, name in zip(_ORDINALS, names, strict=True)
    )
    return f'<header><h1>Two pages compared</h1><ul class="names">{rows}</ul></header>'


def _row(line: Line, languages: tuple[str, str], is_heading: bool) -> str:
    if not (line.first or line.second):
        one, other = line.left_out
        return (
            f'<li class="gap">… not shown here: {quantity(one, "sentence")} of the first page, '
            f"{quantity(other, 'sentence')} of the second</li>"
        )
    sides = line.first, line.second
    paired = bool(line.first and line.second) and line.state is not State.ONLY
    kinds = [line.state.value if paired else "apart"]
    if line.is_equal:
        kinds += ["twins", *(["above"] if is_heading else [])]
    cells = "".join(
        f'<div class="cell"{lang_attribute(code)}>'
        f"{''.join(_sentence(one, side, across) for one in shown)}</div>"
        for side, shown, across, code in zip(
            _ORDINALS,
            sides,
            ({one.index for one in side} for side in sides[::-1]),
            languages,
            strict=True,
        )
    )
    return f'<li class="line {" ".join(f"line-{kind}" for kind in kinds)}">{cells}</li>'


def _sentence(shown: Shown, side: str, across: set[int]) -> str:
    """Return a sentence with its number, which links to its partner; `across` may be that."""
    own, other = ("a", "b") if side == "first" else ("b", "a")
    number = f"{shown.index + 1:,}"
    text = f'<span class="sentence-text" dir="auto">{_marked(shown.pieces)}</span>'
    depth = f"depth{min(shown.depth, _DEEPEST)}{' heading' * shown.is_heading}"
    start = f'<p class="sentence {shown.state.value} {depth}" id="{own}{shown.index}"'
    if shown.match is None:
        return (
            f'{start}><span class="number">{number}</span>{text} '
            '<em class="note">only in this page</em></p>'
        )
    partner = shown.match.second if side == "first" else shown.match.first
    where = f"sentence {partner + 1:,} of the {_ORDINALS[side == 'first']} page"
    note = _note(shown, partner, across)
    return (
        f'{start} data-first="{shown.match.first}" data-second="{shown.match.second}">'
        f'<a class="number" href="#{other}{partner}"'
        f' aria-label="{number}, {shown.state.value}: go to {where}">{number}</a>{text}{note}</p>'
    )


def _note(shown: Shown, partner: int, across: set[int]) -> str:
    """Return what a sentence is to its partner: one across from it, or elsewhere."""
    similarity = shown.match.similarity if shown.match else 0.0
    change = "" if shown.state is State.SAME else f"reworded, {percent(similarity)} similar"
    where = f"at {partner + 1:,} in the other page"
    if partner in across:
        note = change
    else:  # where another is across, that one is read, not the partner
        other = f"like {partner + 1:,} of the other page"
        note = other if across else ", ".join(filter(None, (change, where)))
    return f' <em class="note">{note}</em>' if note else ""


def _marked(pieces: Pieces) -> str:
    return "".join(
        f"<mark>{escape(piece)}</mark>" if at % 2 else escape(piece)
        for at, piece in enumerate(pieces)
    )
