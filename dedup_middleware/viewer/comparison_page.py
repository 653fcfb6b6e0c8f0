"""The HTML page of two compared pages, and the parts of it that reports show too."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from dedup_middleware.text import clean, percent, quantity

from .document import document, escaped, lang_attribute, link
from .dotplot import dotplot
from .drawing import to_svg
from .side_by_side import State, lines_of, shorten
from .trees import trees

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .comparison import PageComparison
    from .drawing import Drawing
    from .side_by_side import Line, Pieces, Shown

_STYLES, _SCRIPTS = ("base.css", "comparison.css"), ("pairs.js", "comparison.js")
_ORDINALS = ("first", "second")
# where the script shows the pair of sentences that is pointed at
_PAIR_PANEL = (
    '<aside id="pair" aria-live="polite" aria-label="Selected pair of sentences" hidden>'
    '<button type="button" aria-label="Close">×</button><p class="about"></p>'
    '<p class="one" dir="auto"></p><p class="two" dir="auto"></p></aside>'
)


def comparison_page(comparison: PageComparison) -> str:
    """Return a page about two compared pages that stands alone."""
    lines = lines_of(comparison)
    plot, outlines = dotplot(comparison), trees(comparison)
    body = "\n".join(
        (
            _heading(comparison.names),
            '<main><section class="found">',
            f'<div><p class="summary">{escaped(comparison.summary)}</p>',
            measures_table(comparison.measures),
            "</div>",
            figure(plot),
            "</section>",
            texts(comparison, lines),
            '<section aria-labelledby="outlines"><h2 id="outlines">Outlines</h2>',
            figure(outlines),
            "</section></main>",
            _PAIR_PANEL,
        )
    )
    first, second = map(clean, comparison.names)
    return document(
        f"{first} – {second}",
        body,
        _sentence_data(comparison, lines, (plot, outlines)),
        styles=_STYLES,
        scripts=_SCRIPTS,
    )


def measures_table(measures: Mapping[str, str]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escaped(label)}</th><td>{escaped(value)}</td></tr>'
        for label, value in measures.items()
    )
    return f'<table class="measures"><tbody>{rows}</tbody></table>'


def figure(drawing: Drawing) -> str:
    return (
        f'<figure><div class="picture" tabindex="0" role="region"'
        f' aria-label="{escaped(drawing.title)}">{to_svg(drawing)}</div>'
        f"<figcaption>{escaped(drawing.caption)}</figcaption></figure>"
    )


def texts(comparison: PageComparison, lines: Iterable[Line]) -> str:
    """Return both texts side by side, sentence by sentence."""
    languages = comparison.first.outline.language, comparison.second.outline.language
    rows = "".join(_row(line, languages) for line in lines)
    heads = "".join(f"<div><bdi>{escaped(name)}</bdi></div>" for name in comparison.names)
    heads = f'<div class="heads" aria-hidden="true">{heads}</div>'
    return (
        '<section aria-labelledby="texts"><h2 id="texts">Both texts</h2>'
        '<ul class="legend"><li class="same">same, except for small words and endings</li>'
        '<li class="reworded">reworded, with <mark>the words</mark> that differ</li>'
        '<li class="only">only in this page</li></ul>'
        '<input type="checkbox" id="differing"><label for="differing">Show only differences'
        f'</label>{heads}<ol class="lines">{rows}</ol></section>'
    )


def _heading(names: tuple[str, str]) -> str:
    rows = "".join(
        f'<li><span class="which">{ordinal} page</span> {link(name)}</li>'
        for ordinal, name in zip(_ORDINALS, names, strict=True)
    )
    return f'<header><h1>Two pages compared</h1><ul class="names">{rows}</ul></header>'


def _sentence_data(
    comparison: PageComparison, lines: Sequence[Line], drawings: Iterable[Drawing]
) -> dict[str, dict[int, Pieces]]:
    """Return the sentences that can be pointed at, for the script."""
    pages = {"first": comparison.first.sentences, "second": comparison.second.sentences}
    found: dict[str, dict[int, Pieces]] = {
        "first": {one.index: one.pieces for line in lines for one in line.first},
        "second": {one.index: one.pieces for line in lines for one in line.second},
    }
    for shape in (shape for drawing in drawings for shape in drawing.shapes if shape.data):
        for side in _ORDINALS:
            index = int(shape.data[side])
            found[side].setdefault(index, (shorten(pages[side][index].text),))
    return found


def _row(line: Line, languages: tuple[str, str]) -> str:
    if not (line.first or line.second):
        one, other = line.left_out
        return (
            f'<li class="gap">… not shown here: {quantity(one, "sentence")} of the first page, '
            f"{quantity(other, 'sentence')} of the second</li>"
        )
    twins = [shown.pieces for shown in line.first] == [shown.pieces for shown in line.second]
    paired = bool(line.first and line.second) and line.state is not State.ONLY
    kinds = [line.state.value if paired else "apart", *(["twins"] if twins else [])]
    cells = "".join(
        f'<div class="cell"{lang_attribute(code)}>'
        f"{''.join(_sentence(one, side, paired) for one in shown)}</div>"
        for side, shown, code in zip(_ORDINALS, (line.first, line.second), languages, strict=True)
    )
    return f'<li class="line {" ".join(f"line-{kind}" for kind in kinds)}">{cells}</li>'


def _sentence(shown: Shown, side: str, paired: bool) -> str:
    """Return a sentence with its number, which links to its partner."""
    own, other = ("a", "b") if side == "first" else ("b", "a")
    number = f"{shown.index + 1:,}"
    text = f'<span class="sentence-text" dir="auto">{_marked(shown)}</span>'
    start = f'<p class="sentence {shown.state.value}" id="{own}{shown.index}"'
    if shown.match is None:
        return (
            f'{start}><span class="number">{number}</span>{text} '
            '<em class="note">only here</em></p>'
        )
    partner = shown.match.second if side == "first" else shown.match.first
    where = f"sentence {partner + 1:,} of the {_ORDINALS[side == 'first']} page"
    note = _note(shown, "" if paired else f"at {partner + 1:,} there")
    return (
        f'{start} data-first="{shown.match.first}" data-second="{shown.match.second}">'
        f'<a class="number" href="#{other}{partner}"'
        f' aria-label="{number}, {shown.state.value}: go to {where}">{number}</a>{text}{note}</p>'
    )


def _note(shown: Shown, where: str) -> str:
    similarity = shown.match.similarity if shown.match else 0.0
    change = "" if shown.state is State.SAME else f"reworded, {percent(similarity)} similar"
    note = ", ".join(filter(None, (change, where)))
    return f' <em class="note">{note}</em>' if note else ""


def _marked(shown: Shown) -> str:
    return "".join(
        f"<mark>{escape(piece)}</mark>" if at % 2 else escape(piece)
        for at, piece in enumerate(shown.pieces)
    )
