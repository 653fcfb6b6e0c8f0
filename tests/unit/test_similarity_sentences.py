from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Page
from dedup_middleware.read import Identity, Outline, read
from dedup_middleware.read.words import words
from dedup_middleware.similarity.sentences import cut, sentences_of, split_sentences

LONGEST = 60  # a sentence of more words is cut
ENGLISH = [
    "He left.|She stayed!|Why?|Nobody knows.",
    "Dr. Who met Mrs. Smith vs. Prof. Jones, e.g. at St. Mary's.|They talked.",
    "J. R. R. Tolkien wrote it.|George W. Bush did not.|P. De Niro played.",
    "It rose by 3.5 to 7.25.|Python 3.11.4 is out.|See v2.0.|Then 1.5.2.",
    "See www.a.org.|Then write to me@b.co.uk.|He opens notes.txt.|It works.",
    "Well... I see.|… and then he left.",
    "He waited…|Then he left.",
    "He waited . . . and left.",
    '"He left."|(She stayed.)|“Why?”|It is so.[1]|Or not.[citation needed]|End.',
    "“Why?” he asked.|'I left.' she said.|Really?!|Yes!!!|Good.",
    "The U.S. Army came to the U.S. in 1917.|It left.",
    "They live in the U.S.|He left at 5 p.m.|The end.",
    "Buy No. 5 of vol. 3, fig. 2.|He said no.|Then I left.|No.|I did not.",
    "It is by Smith et al. and Jones Inc. in Delaware.|It costs money, etc.|The rest is free.",
    "We met on Dec. 5.|It was Nov. 2019.|I came in Sept.|You did not.",
    "It happened in 1999.|Ten of 25.|Others left.",
    "1. The first point.|2.1. The second point.|b. The third.",
    "placeholders are where ? stands.|it matters.|really?|yes",
    "They moved to Fresno, CA.|The year was ca. 1999.|MR. SMITH left.|It took 5 ms.|So what?",
    "Add 1 tbsp. oil and 8 oz. flour.|Stir.",
]
OTHERS = [
    "Am 3. Oktober 1990, z. B. in Berlin.|Vgl. Nr. 5 bzw. Abb. 2.",
    "Das 19. Jahrhundert usw.|Es war so.",
    "»Er ging.«|»Was?«|„Nein.“|Sie blieb am 1. 2. 2010 dort.",
    "M. Dupont et Mme. Durand sont là.|« Bonjour. »|Il est parti.|Pourquoi ?|On ne sait pas.",
    "El Sr. López llegó.|¿Por qué?|¡No sé!|La Sra. García y Cía. también.",
    "Il dott. Rossi abita qui.|Ecco il libro, ecc.|Non lo so.",
    "Dhr. Jansen, d.w.z. hij.|Dat is het, enz.|Het einde.",
    "Det är bra, dvs. bättre.|Han gick.",
    "Он живёт в г. Москве, ул. Ленина.|В 2010 г. он уехал.|А. С. Пушкин писал и т. д.|Он умер.",
    "Przyszedł prof. Nowak, np. wczoraj.|Nie wiem.",
    "Prof. Yılmaz geldi.|Çok iyi!|Öyle mi?",
    "Ο Α. Παπαδόπουλος έφυγε.|Πού πήγε\u037e|Δεν ξέρω.",
    "यह एक वाक्य है।|डॉ. राम आए।|क्या हुआ?|कुछ नहीं॥|ठीक है।",
    "هل أنت بخير؟|نعم.|أنا بخير!|شكرا.",
    "یہ ایک جملہ ہے۔|وہ گیا۔|کیوں؟|پتہ نہیں۔",
    "Սա նախադասություն է։|Նա գնաց։|Լավ է։",
    "이것은 문장입니다.|그는 갔다.|왜?|몰라요.",
]
UNSPACED = [
    "今天天气很好。|我们去公园吧！|你呢？|好。",
    "他说：「你好。」|她笑了！？|（真的。）|价格是３．５元。",
    "これは文です。|「本当？」|はい、そうです。|終わり",
    "什么！，他说。|走吧.|好",
]


@pytest.mark.parametrize("marked", ENGLISH + OTHERS)
def test_sentences_end_where_a_reader_would_end_them(marked: str) -> None:
    assert split_sentences(marked.replace("|", " ")) == marked.split("|")


@pytest.mark.parametrize("marked", UNSPACED)
def test_sentences_of_scripts_without_spaces(marked: str) -> None:
    assert split_sentences(marked.replace("|", "")) == marked.split("|")


@given(st.lists(st.sampled_from([*"aIx5. .!?…\"')[]»。！।", "U.S", "no", "3.5", "\u00a0"])))
def test_splitting_loses_nothing_but_space(parts: list[str]) -> None:
    text = "".join(parts)
    sentences = split_sentences(text)
    assert _solid("".join(sentences)) == _solid(text)
    assert all(sentence == sentence.strip() != "" for sentence in sentences)


@given(st.text())
def test_any_text_is_split_and_cut_without_loss(text: str) -> None:
    pieces = [piece for sentence in split_sentences(text) for piece in cut(sentence)]
    assert _solid("".join(pieces)) == _solid(text)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("." * 100_000, 1),
        (". " * 100_000, 1),
        ("a. " * 100_000, 1),
        ("?! " * 100_000, 100_000),
        (".[" * 100_000, 1),
        (".\u00a0»" * 100_000, 1),
        ("." + "[" * 100_000, 1),
        ("。" * 100_000, 1),
        ("好。" * 100_000, 100_000),
        ("x" * 1_000_000, 1),
        (" " * 1_000_000, 0),
        ("a b, " * 200_000, 1),
    ],
    ids=lambda value: repr(value[:6]) if isinstance(value, str) else str(value),
)
def test_hostile_text_is_split_without_loss(text: str, sentences: int) -> None:
    found = split_sentences(text)
    assert len(found) == sentences
    assert _solid("".join(piece for one in found for piece in cut(one))) == _solid(text)


def test_each_node_of_the_main_text_has_sentences_of_its_own() -> None:
    page = Page(
        url="",
        html="<nav><a href=/>Home</a></nav><h1>A heading</h1><p>One sentence. Another one"
        "<ul><li>An item<li>More. Yes.</ul><table><tr><td>A cell<td>4.5</table>",
    )
    outline = read(page)
    found = sentences_of(outline)
    assert [sentence for _, sentence in found] == [
        "A heading",
        "One sentence.",
        "Another one",
        "An item",
        "More.",
        "Yes.",
        "A cell",
        "4.5",
    ]
    assert all(sentence in outline.texts[node] for node, sentence in found)
    assert [node for node, _ in found] == sorted(node for node, _ in found)


def test_boilerplate_has_no_sentences() -> None:
    outline = Outline.of_nodes(
        Identity(),
        kinds=bytes(3),
        parents=(-1, -1, -1),
        boilerplate=bytes([1, 0, 0]),
        texts=("Menu", "", "Text."),
    )
    assert sentences_of(outline) == [(2, "Text.")]


@pytest.mark.parametrize("script", ["latin", "commas", "cyrillic", "chinese", "thai"])
def test_alike_passages_are_cut_alike_wherever_they_stand(script: str) -> None:
    passage = _unmarked(script, 1_500, seed=1)
    joint = "" if script in {"chinese", "thai"} else " "
    plain = cut(passage)
    for seed, length in enumerate((1, 7, 70, 333)):
        start, end = _unmarked(script, length, seed=seed + 2), _unmarked(script, 90, seed=9)
        shifted = cut(joint.join((start, passage, end)))
        # the first cuts of the passage may differ, then they fall into step
        assert set(plain[10:-1]) <= set(shifted)


@pytest.mark.parametrize("script", ["latin", "commas", "cyrillic", "chinese", "thai"])
def test_pieces_are_slices_of_bounded_length(script: str) -> None:
    text = _unmarked(script, 2_000, seed=3)
    pieces = cut(text)
    assert all(piece in text for piece in pieces)
    assert all(len(words(piece)) >= 7 for piece in pieces[:-1])
    assert all(len(words(piece)) <= LONGEST for piece in pieces if script != "thai")
    assert all(len(piece) < 2 * LONGEST for piece in pieces if script == "thai")  # with signs
    assert len(pieces) > 2_000 / LONGEST


def test_words_that_never_end_a_piece_are_cut_at_the_limit() -> None:
    assert [len(piece.split()) for piece in cut("same " * 150)] == [60, 60, 30]
    assert cut("same " * 59 + "same") == ["same " * 59 + "same"]
    assert [len(piece) for piece in cut("字" * 150)] == [60, 60, 30]
    assert max(map(len, cut("ก" + "ี" * 100_000))) <= 5 * LONGEST


def test_soft_hyphens_and_case_do_not_move_cuts() -> None:
    text = _unmarked("latin", 500, seed=4)
    hyphened = text.replace("ba", "b\u00ada").upper()
    assert [piece.lower().replace("\u00ad", "") for piece in cut(hyphened)] == cut(text)


def _solid(text: str) -> str:
    return "".join(text.split())


def _unmarked(script: str, count: int, seed: int) -> str:
    """Make a text without sentence marks, of so many words or characters."""
    choose = random.Random(seed).choice
    if script == "chinese":
        return "".join(chr(choose(range(0x4E00, 0x5000))) for _ in range(count))
    if script == "thai":
        return "".join(
            choose("กขคงจชซญดตถทนบปผพฟมยรลวสหอ") + choose(["", "ี", "่"]) for _ in range(count)
        )
    syllables = ["ба", "ко", "ле", "ми"] if script == "cyrillic" else ["ba", "ko", "le", "mi"]
    joint = "," if script == "commas" else " "
    return joint.join("".join(choose(syllables) for _ in range(5)) for _ in range(count))
