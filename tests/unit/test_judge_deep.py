"""Verdicts on near matches: copies that differ in little, and entries of one template."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dedup_middleware import DedupError, Deduplicator, Page, Scores, Verdict
from dedup_middleware.lab.training import train
from dedup_middleware.similarity.model import save
from tests.support.texts import article, html

Judge = Callable[..., list[Verdict]]
TESTS = ("fuzzy", "thesis", "fourgrams", "overlap", "off")
A, B = "https://a.example/", "https://b.example/"

ORDERS = """\
Every order is packed by hand in our warehouse and leaves the house on the day after it was \
placed, except on holidays. Parcels within the country arrive in two or three days; abroad it may \
take a week longer. If something is broken when it arrives, send a picture of it and of the box \
to our service desk, and a new one will be on its way without further questions. You may return \
whatever you bought within thirty days, in the box in which it came, and get back what you paid \
for it. We do not sell addresses to anybody, and we keep what you tell us no longer than the law \
wants us to. Gift cards can be used for everything in the shop, and what is left on them does not \
run out. Spare parts are kept in stock for ten years after the last piece was sold, and a \
craftsman in the next town repairs what can be repaired."""
RESULTS = """\
Results are entered by volunteers as soon as the whistle has gone, and are checked by a second \
person on the following day. If you were there and saw it otherwise, write to the desk, which will \
ask the referee and correct the page where needed. The table counts three points for a win and one \
for a draw; teams with equal points are sorted by the difference of goals, then by the goals \
themselves. Matches that were stopped are counted only when the board has said how. Pictures on \
this page may be used in newspapers if the name of the person who took them stands next to them."""
LIBRARY = """\
All functions of this library may be called from several threads at once; those that wait for the \
network let others run meanwhile. Arguments are checked when a function is called and not earlier, \
so that a call with a wrong one fails at once and changes nothing. Names that begin with an \
underscore are not part of what we promise and may change from one version to the next. What is \
marked as old will stay for two more versions and then go away; a warning tells where it is still \
called. Text is always text and never bytes, except where the table says otherwise."""


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """Judge pages one after the other: the first at a.example, the second at b.example, …"""

    def run(*pages: str, kind: str = "html", store: str = "store", **settings) -> list[Verdict]:
        with Deduplicator(tmp_path / store, **settings) as dedup:
            return [
                dedup.process(Page(url=f"https://{chr(97 + at)}.example/", **{kind: page}))
                for at, page in enumerate(pages)
            ]

    return run


def dressed(parts: list[str], *, top: str = "", end: str = "") -> str:
    return html(parts).replace("</h1>", f"</h1>{top}").replace("</body>", f"{end}</body>")


def related(seed: int) -> str:
    names = (" ".join(text.split()[:6]) for text in article(seed, 300)[:5])
    items = "".join(f'<li><a href="/{seed}/{at}">{name}</a></li>' for at, name in enumerate(names))
    return f"<h2>Read also</h2><ul>{items}</ul>"


CHANGES = {
    "date": {"top": ("<p>Published on 4 May 2021</p>", "<p>Published on 12 June 2023</p>")},
    "counter": {"end": ("<p>It was read 1834 times.</p>", "<p>It was read 99120 times.</p>")},
    "session": {"end": ("<p>Session 8f3a77c0d1e2</p>", "<p>Session 11bc09aa7733</p>")},
    "links": {"end": (related(21), related(25))},
    "author": {"top": ("<p>By Ada Holm</p>", "<p>By Per Strand</p>")},
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("words", [100, 400])
def test_what_changes_from_visit_to_visit_makes_no_other_page(judge, change, words):
    parts = article(11, words)
    pages = (
        dressed(parts, **{place: texts[at] for place, texts in CHANGES[change].items()})
        for at in (0, 1)
    )
    _, verdict = judge(*pages)
    assert (verdict.kind, verdict.original) == ("near", A)
    assert verdict.score > 0.9
    assert verdict.evidence.scores.swapped == (change != "links")


def test_all_of_it_at_once_makes_no_other_page(judge):
    parts = article(11, 400)
    pages = (
        dressed(
            parts,
            top="".join(CHANGES[name]["top"][at] for name in ("date", "author")),
            end="".join(CHANGES[name]["end"][at] for name in ("counter", "session", "links")),
        )
        for at in (0, 1)
    )
    _, verdict = judge(*pages)
    assert (verdict.kind, verdict.original) == ("near", A)
    assert "numbers or names differ in" in verdict.reason


def product(name: str, maker: str, town: str, price: int, sku: str, *details: str) -> str:
    names = ("Article", "Weight", "Size", "Colour", "Rating")
    rows = "".join(
        f"<tr><th>{key}</th><td>{value}</td></tr>"
        for key, value in zip(names, (sku, *details), strict=True)
    )
    return (
        f"<html lang=en><head><title>{name} – the shop</title></head><body><main><h1>{name}</h1>"
        f"<p>The {name} by {maker} is sold at {price} crowns, with the tax, and is made in {town}."
        f"</p><table>{rows}</table><p>People who bought the {name} also looked at other things by "
        f"{maker}, and some of them wrote what they think of it.</p>"
        f"<h2>Orders</h2><p>{ORDERS}</p></main></body></html>"
    )


def result(home: str, guest: str, goals: tuple[int, int], day: str, place: str, *who: str) -> str:
    return (
        f"<html lang=en><body><main><h1>{home} – {guest} {goals[0]}:{goals[1]}</h1>"
        f"<p>{home} met {guest} on {day} at {place}; the referee was {who[0]}. The goals were "
        f"scored by {who[1]}.</p><table><tr><th>Team</th><th>Shots</th></tr>"
        f"<tr><td>{home}</td><td>{goals[0] * 4 + 3}</td></tr>"
        f"<tr><td>{guest}</td><td>{goals[1] * 5 + 2}</td></tr></table>"
        f"<h2>About these pages</h2><p>{RESULTS}</p></main></body></html>"
    )


def entry(name: str, module: str, version: str, gives: str, *rows: tuple[str, str, str]) -> str:
    table = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f"<html lang=en><body><main><h1>{module}.{name}</h1><p>The class {name} stands in the "
        f"module {module} since version {version}. Calling {name} gives {gives}, and what can't be "
        f"done by {name} raises {name}Error.</p><table>{table}</table><p>A {name} is closed when "
        f"nobody holds it any more.</p><h2>Notes</h2><p>{LIBRARY}</p></main></body></html>"
    )


TEMPLATES = {
    "products": (
        product(
            *("Tern kettle", "Bergstrom", "Bergen", 349, "TK-20441"),
            *("870 g", "22 cm", "copper", "4.5 of 5"),
        ),
        product(
            *("Gull lantern", "Halvorsen", "Riga", 1290, "GL-77120"),
            *("2300 g", "41 cm", "black", "3.9 of 5"),
        ),
    ),
    "results": (
        result("Brann", "Viking", (3, 1), "4 May 2021", "Nord Park", "Ada Holm", "Lie and Moe"),
        result("Molde", "Start", (0, 2), "11 June 2021", "Lerkendal", "Per Strand", "Haug"),
    ),
    "entries": (
        entry(
            *("Socket", "netkit.sockets", "2.1", "an open Socket"),
            *(("host", "str", "localhost"), ("port", "int", "8080"), ("wait", "float", "30")),
        ),
        entry(
            *("Ledger", "netkit.ledgers", "3.4", "an empty Ledger"),
            *(("comma", "str", "none"), ("header", "bool", "true"), ("limit", "int", "5000")),
        ),
    ),
}


@pytest.mark.parametrize("template", TEMPLATES)
def test_entries_of_one_template_are_pages_of_their_own(judge, template):
    one, other = TEMPLATES[template]
    _, verdict = judge(one, other)
    assert (verdict.kind, verdict.original) == ("unique", None)
    assert verdict.evidence.closest == A
    scores = verdict.evidence.scores
    assert scores.containment is not None
    assert scores.containment > 0.5, "words alone come close"
    assert f"The closest page, {A}, has " in verdict.reason
    told = re.search(r"but numbers or names differ in (\d+) places", verdict.reason)
    assert told
    assert int(told[1]) == scores.swapped
    if scores.replaced:
        assert f"{scores.replaced} of its words replace something else" in verdict.reason


@pytest.mark.parametrize("template", TEMPLATES)
def test_an_entry_is_near_itself_with_another_price(judge, template):
    one = TEMPLATES[template][0]
    other = re.sub(r"349|4 May|since version 2", "11", one)
    assert other != one
    _, verdict = judge(one, other)
    assert (verdict.kind, verdict.original) == ("near", A)


OTHER_WORDS = "entity routine quantity produce obtain employ permit demand ordinary further".split()


def reworded(parts: list[str], every: int = 12) -> list[str]:
    """Put another word in the place of one in so many."""
    since, texts = 0, []
    for part in parts:
        words = part.split()
        for at, word in enumerate(words):
            since += 1
            if since >= every and word.isalpha() and word.islower() and len(word) > 3:
                words[at] = OTHER_WORDS[at % len(OTHER_WORDS)]
                since = 0
        texts.append(" ".join(words))
    return texts


PATTERN = re.compile(
    r"(?P<same>\d+) of (?P<total>\d+) sentences(?: \((?P<share>\d+)%\))? also appears? in "
    r"(?P<url>\S+?)"
    r"(?P<order>| in the same order|, mostly in the same order|, in another order)"
    r"(?:; (?P<reworded>\d+) (?:was|were) reworded)?(?:; (?P<new>\d+) (?:is|are) new)?"
    r"(?:; numbers or names differ in (?P<places>\d+) places?)?\."
    r"(?: That page is .*)?"
)


@pytest.mark.parametrize("seed", [1, 5, 11, 20])
def test_an_article_that_was_lightly_reworded_all_over_is_near(judge, seed):
    parts = article(seed, 400)
    _, verdict = judge(html(parts), html(reworded(parts)))
    assert (verdict.kind, verdict.original) == ("near", A)
    told = PATTERN.fullmatch(verdict.reason)
    assert told
    assert int(told["reworded"]) > int(told["same"])
    assert told["order"] == " in the same order"


def test_the_reason_counts_sentences(judge):
    sentences = [
        "The harbour froze over in the first week of January.",
        "Men with poles and saws cut a channel that closed again every night.",
        "Bread came over the ice on sledges.",
        "The daughter of the baker counted all the loaves by lamplight.",
        "Nobody could say how long the flour would have to last.",
        "When the thaw arrived it came from below.",
        "The whole sheet moved out to sea with a sledge and two buoys.",
        "Two fishermen found a straw hat on the beach in spring.",
    ]
    other = list(sentences)
    other[3] = "The daughter of the baker counted all the loaves by candlelight."
    other[5:6] = [sentences[5], "Gulls were heard again."]
    _, verdict = judge(*("".join(f"<p>{text}</p>" for text in page) for page in (sentences, other)))
    assert verdict.kind == "near"
    assert verdict.reason == (
        f"7 of 9 sentences (78%) also appear in {A} in the same order; 1 was reworded; 1 is new."
    )
    assert verdict.evidence.scores.rs == (0.8889, 1.0)


@pytest.mark.parametrize("seed", [1, 5, 11])
def test_the_reason_fits_the_scores(judge, seed):
    parts = article(seed, 500)
    pages = html(parts), html([*reworded(parts, 40), *article(seed + 40, 30)])
    verdict = judge(*pages)[1]
    told = PATTERN.fullmatch(verdict.reason)
    assert told
    same, total, changed, new = (
        int(told[name] or 0) for name in ("same", "total", "reworded", "new")
    )
    assert same + changed + new == total
    assert int(told["share"]) == round(100 * same / total)
    assert told["url"] == A
    assert verdict.evidence.scores.rs is not None
    assert verdict.evidence.scores.rs[0] == pytest.approx((same + changed) / total, abs=1e-4)


def sections(seed: int, count: int) -> list[str]:
    return [
        f"<section><h2>{' '.join(text.split()[:3])}</h2><p>{text}</p></section>"
        for text in (part.replace("<", "&lt;") for part in article(seed, 60 * count))
    ][:count]


@pytest.mark.parametrize("seed", [1, 11])
def test_a_section_that_was_moved_leaves_a_near_copy(judge, seed):
    parts = sections(seed, 8)
    _, verdict = judge("".join(parts), "".join([*parts[1:], parts[0]]))
    assert (verdict.kind, verdict.original) == ("near", A)
    assert "order" in verdict.reason
    assert verdict.evidence.scores.rs == (1.0, 1.0)
    scores = verdict.evidence.scores
    assert scores.tree is not None
    assert scores.tree[0] < 1


def test_an_excerpt_is_contained_and_the_length_is_told(judge):
    parts = article(11, 600)
    excerpt = parts[: len(parts) * 6 // 10]
    _, verdict = judge(html(parts), html(excerpt))
    assert (verdict.kind, verdict.original, str(verdict.action)) == ("contained", A, "drop")
    told = re.search(r" That page is (\d\.\d) times as long\.$", verdict.reason)
    assert told
    longer = sum(len(text.split()) for text in parts) / sum(len(text.split()) for text in excerpt)
    assert float(told[1]) == pytest.approx(longer, abs=0.11)
    little = judge(html(parts), html(parts[: len(parts) // 4]), store="other")[1]
    assert (little.kind, str(little.action)) == ("contained", "tag")


def test_a_collection_names_all_that_it_holds(judge):
    one, two, three = article(1), article(2), article(3)
    verdict = judge(
        html(one), html(two), html(three), html([*one, *two, *three, *article(60, 600)])
    )[3]
    assert verdict.kind == "contains"
    assert set(verdict.evidence.swallowed) == {A, B, "https://c.example/"}
    assert verdict.original in verdict.evidence.swallowed
    assert re.fullmatch(
        r"It contains (\d+) of the \1 sentences \(100%\) of \S+ and of 2 more known pages, "
        r"and much that is new\.",
        verdict.reason,
    )


def journal(store: Path) -> list[dict]:
    (path,) = (store / "journal").glob("*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_journal_has_all_scores(judge, tmp_path):
    parts = article(11, 400)
    verdict = judge(html(parts), html(reworded(parts)))[1]
    line = journal(tmp_path / "store")[1]
    assert line["stage"] == verdict.evidence.stage == "sentences"
    assert line["scores"].keys() == set(Scores.__slots__)
    for name in ("rs", "tree", "covered", "aligned", "sentence_share", "known"):
        assert line["scores"][name] == list(getattr(verdict.evidence.scores, name))
        assert all(0 <= share <= 1 for share in line["scores"][name])
    assert line["scores"]["known"][0] == pytest.approx(verdict.score, abs=1e-4)
    assert line["reason"] == verdict.reason


@pytest.mark.parametrize("name", TESTS)
def test_each_way_to_compare_sentences_gives_a_verdict(judge, name):
    parts = article(11, 500)
    pages = {
        "unique": html(parts),
        "near": html([text.replace(" the ", " that ", 1) for text in parts[:4]] + parts[4:]),
        "contained": html(parts[: len(parts) * 6 // 10]),
        "contains": html([*parts, *article(50, 500)]),
        "other": html(article(80)),
    }
    for kind, page in pages.items():
        found = judge(pages["unique"], page, store=kind, sentences=name)[1]
        expected = {"unique": "exact", "other": "unique"}.get(kind, kind)
        assert found.kind == expected, kind
        deep = kind in {"near", "contained", "contains"} and name != "off"
        assert (found.evidence.scores.rs is not None) is deep


def test_a_model_is_named_in_evidence_and_journal(judge, tmp_path):
    model = train([[text.lower().split()] for text in article(30, 3000)], number=7)
    save(model, tmp_path / "words.model")
    parts = article(11, 400)
    pages = html(parts), html(reworded(parts))
    plain = judge(*pages, store="plain")[1]
    learned = judge(*pages, model=tmp_path / "words.model")[1]
    assert (learned.kind, learned.evidence.model) == ("near", 7)
    assert (plain.kind, plain.evidence.model) == ("near", 0)
    assert journal(tmp_path / "store")[1]["model"] == 7
    assert journal(tmp_path / "plain")[1]["model"] == 0


def test_a_model_that_is_not_there_is_told(tmp_path):
    with pytest.raises(DedupError, match=r"Can't read the model .*absent.*scrapy dedup train"):
        Deduplicator(tmp_path / "store", model=tmp_path / "absent")
    (tmp_path / "junk").write_bytes(b"junk")
    with pytest.raises(DedupError, match="junk is not a model"):
        Deduplicator(tmp_path / "store", model=str(tmp_path / "junk"))
    assert not (tmp_path / "store").exists()


def test_the_same_pages_in_the_same_order_give_the_same_verdicts(judge):
    one, two = article(1, 400), article(2, 400)
    pages = [
        *(html(one), html(two), html(reworded(one)), html(reworded(two, 5)), html(one[:-3])),
        *(html([*one, *two]), *TEMPLATES["products"], *TEMPLATES["results"]),
    ]
    assert judge(*pages, store="once") == judge(*pages, store="twice")


def test_other_thresholds_give_other_verdicts(judge):
    parts = article(11, 400)
    pages = html(parts), html(parts[:-3])
    assert judge(*pages, store="a", near=0.5)[1].kind == "near"
    assert judge(*pages, store="b", near=0.98, contained=0.98)[1].kind == "contained"


ABOUT = " ".join(article(40, 190))
MECHANIC = """\
Truck mechanic wanted in our workshop. You repair engines, brakes and gearboxes of heavy vehicles, \
diagnose faults with modern test equipment and keep the service records up to date. You have \
finished an apprenticeship as a vehicle mechanic and hold a licence for lorries."""
ACCOUNTANT = """\
Payroll accountant wanted in our office. You prepare the monthly wages of all employees, answer \
questions about taxes and social insurance and support the annual audit. You have finished a \
commercial apprenticeship and know the usual accounting software well."""


def test_another_passage_in_the_same_place_makes_another_page(judge):
    _, verdict = judge(html([MECHANIC, ABOUT]), html([ACCOUNTANT, ABOUT]))
    assert verdict.kind == "unique"
    assert (verdict.evidence.scores.replaced or 0) > 30
    assert "of its words replace something else" in verdict.reason


def test_a_passage_that_is_only_missing_does_not(judge):
    text = article(11, 400)
    _, verdict = judge(html([MECHANIC, *text]), html(text))
    assert verdict.kind == "near"


def test_only_so_many_near_matches_are_compared(judge):
    """Pages of one template that are not alike enough: a site of them must stay cheap."""
    shared = article(20, 150)
    *_, verdict = judge(*(html([*shared, *article(100 + n, 110)]) for n in range(14)))
    assert verdict.kind == "unique"
    (note,) = verdict.evidence.notes
    assert re.fullmatch(r"\d+ more near matches were not compared word by word", note)


# what nobody writes, and what is on the web anyway


def letters(rng: random.Random) -> str:
    return "".join(rng.choice("abcdefghijklmnoprstuvwy") for _ in range(rng.randint(3, 9)))


def vocabulary(seed: int, size: int) -> list[str]:
    rng = random.Random(seed)
    return [letters(rng) for _ in range(size)]


def made_up(words: list[str], count: int, length: int = 8, seed: int = 0) -> list[str]:
    rng = random.Random(seed)
    return [f"{' '.join(rng.choices(words, k=length)).capitalize()}." for _ in range(count)]


def test_very_many_sentences_are_compared_as_far_as_is_allowed(judge):
    words = vocabulary(1, 150)
    sentences = made_up(words, 20_000)
    rng = random.Random(5)
    other = [
        text if rng.random() < 0.7 else f"{text[:-1]} {rng.choice(words)} {rng.choice(words)}."
        for text in sentences
    ]
    _, verdict = judge(" ".join(sentences), " ".join(other), kind="text")
    assert (verdict.kind, verdict.original) == ("near", A)
    assert len(verdict.evidence.notes) == 1
    told = re.fullmatch(
        r"(\d+) sentences of the two pages were too many to be compared", verdict.evidence.notes[0]
    )
    assert told
    assert 8_000 < int(told[1]) < 13_000
    scores = verdict.evidence.scores
    assert scores.rs is not None
    assert 0.65 < scores.rs[0] < 0.75


def test_text_without_marks(judge):
    rng = random.Random(4)
    words = rng.choices(vocabulary(2, 3000), k=5000)
    other = list(words)
    for at in rng.sample(range(5000), 100):
        other[at] = "another"
    _, verdict = judge(" ".join(words), " ".join(other), kind="text")
    assert (verdict.kind, verdict.original) == ("near", A)
    assert verdict.evidence.scores.rs is not None
    assert verdict.evidence.scores.rs[0] > 0.9
    shifted = judge(" ".join(words), " ".join(words[7:]), kind="text", store="shifted")[1]
    assert shifted.kind == "near"
    assert shifted.evidence.scores.rs is not None
    assert shifted.evidence.scores.rs[0] > 0.95, "pieces end at the same words"


GERMAN = """\
Der Hafen fror in der ersten Woche des Januars zu, und die Fähre blieb am Kai liegen. Brot kam auf \
Schlitten über das Eis. Die Tochter des Bäckers zählte die Laibe bei Lampenlicht und schrieb jeden \
Namen auf, weil niemand sagen konnte, wie lange das Mehl noch reichen würde."""
CHINESE = (
    "月球绕着地球转动，海水因此每天两次涨落。沿海的人们自古就知道这个规律，"
    "并且据此安排捕鱼和航行的时间。"
)


def cells(seed: int, count: int) -> str:
    rng = random.Random(seed)
    rows = (
        "".join(f"<td>{rng.randint(0, 99_999)}</td>" for _ in range(6)) for _ in range(count // 6)
    )
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def menu(seed: int, count: int) -> str:
    names = (" ".join(text.split()[:4]) for text in article(seed, 60 * count)[:count])
    return "".join(
        f'<li><a href="/{at}">{name.replace("<", "")}</a></li>' for at, name in enumerate(names)
    )


@pytest.mark.parametrize(
    ("one", "other", "kinds"),
    [
        (f"<p>{ORDERS.partition('.')[0]}.</p>", f"<p>{RESULTS.partition('.')[0]}.</p>", "unique"),
        (
            f"<p>{ORDERS.partition('.')[0]}.</p>",
            f"<p>Yes: {ORDERS.partition('.')[0]}.</p>",
            "near unique",
        ),
        (f"<p>{GERMAN}</p><p>{ORDERS}</p>", f"<p>{ORDERS}</p><p>{GERMAN}</p>", "near contained"),
        (f"<p>{GERMAN}</p><p>{CHINESE}</p>", f"<p>{GERMAN}</p><p>{CHINESE}</p>x", "near exact"),
        (f"<p>{ORDERS.upper()}</p>", f"<p>{ORDERS}</p>", "near exact"),
        (f"<p>{ORDERS.upper()}</p>", f"<p>{RESULTS.upper()}</p>", "unique"),
        (cells(1, 600), cells(1, 600).replace("<td>7", "<td>8"), "near unique"),
        (cells(1, 600), cells(2, 600), "unique"),
        (f"<ul>{menu(1, 40)}</ul>", f"<ul>{menu(1, 38)}</ul>", "near contained unique"),
        (f"<ul>{menu(1, 40)}</ul>", f"<ul>{menu(60, 40)}</ul>", "unique"),
        ("", "", "unique"),
        ("<p>.</p>" * 50, "<p>!</p>" * 50, "unique"),
        ("<p>the of and to in</p>" * 20, "<p>to in the of and</p>" * 20, "near unique"),
        (f"<p>{'y' * 5000} " * 30, f"<p>{'y' * 5000} a " * 30, "unique near contained contains"),
    ],
)
@pytest.mark.parametrize("name", ["fuzzy", "thesis", "fourgrams"])
def test_odd_pages_get_a_verdict(judge, one, other, kinds, name):
    first, second = judge(one, other, sentences=name)
    assert first.kind == "unique"
    assert second.kind in kinds.split()
    assert second.reason.endswith(".")
    assert 0 <= second.score <= 1
