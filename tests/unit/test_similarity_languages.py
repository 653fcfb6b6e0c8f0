from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.read.words import words
from dedup_middleware.similarity import sentences as refining
from dedup_middleware.similarity.sentences import (
    NEGATIONS,
    STOP_WORDS,
    is_negated,
    language_of,
    numbers_of,
    refine,
    stemmer,
)

TEXTS = {
    "en": "All human beings are born free and equal in dignity and rights. They are endowed with "
    "reason and conscience and should act towards one another in a spirit of brotherhood.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft "
    "und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués "
    "de raison et de conscience et doivent agir les uns envers les autres dans un esprit de "
    "fraternité.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como "
    "están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
    "it": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati "
    "di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
    "pt": "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de "
    "razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.",
    "ca": "Tots els éssers humans neixen lliures i iguals en dignitat i en drets. Són dotats de "
    "raó i de consciència, i han de comportar-se fraternalment els uns amb els altres.",
    "ro": "Toate ființele umane se nasc libere și egale în demnitate și în drepturi. Ele sunt "
    "înzestrate cu rațiune și conștiință și trebuie să se comporte unele față de altele în "
    "spiritul fraternității.",
    "nl": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd "
    "met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te "
    "gedragen.",
    "sv": "Alla människor är födda fria och lika i värde och rättigheter. De har utrustats med "
    "förnuft och samvete och bör handla gentemot varandra i en anda av gemenskap.",
    "da": "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med "
    "fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd.",
    "no": "Alle mennesker er født frie og med samme menneskeverd og menneskerettigheter. De er "
    "utstyrt med fornuft og samvittighet og bør handle mot hverandre i brorskapets ånd. Hva skjer "
    "nå, og hvem blir her etter at noen har vært ute av huset?",
    "fi": "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on "
    "annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.",
    "hu": "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, "
    "ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy "
    "viseltessenek.",
    "ru": "Все люди рождаются свободными и равными в своём достоинстве и правах. Они наделены "
    "разумом и совестью и должны поступать в отношении друг друга в духе братства.",
    "uk": "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені "
    "розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства.",
    "pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni "
    "obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    "cs": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni "
    "rozumem a svědomím a mají spolu jednat v duchu bratrství.",
    "tr": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana "
    "sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. "
    "Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με "
    "πνεύμα αδελφοσύνης.",
    "ar": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن "
    "يعامل بعضهم بعضا بروح الإخاء.",
}
RELATED = {"da": "no", "no": "da"}  # most words are written alike


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_of_a_text_is_detected(language: str) -> None:
    assert set(TEXTS) == set(STOP_WORDS)
    found = language_of("", words(TEXTS[language]))
    assert found in {language, RELATED.get(language)}


@pytest.mark.parametrize("language", TEXTS)
def test_a_text_keeps_the_language_it_declares(language: str) -> None:
    assert language_of(f"{language}-XX", words(TEXTS[language])) == language


@pytest.mark.parametrize("language", sorted(set(TEXTS) - {"en", "ar"}))
def test_a_wrong_declaration_of_english_is_ignored(language: str) -> None:
    found = language_of("en", words(TEXTS[language]) * 3)
    assert found in {language, RELATED.get(language)}


@pytest.mark.parametrize(
    ("declared", "text", "language"),
    [
        ("en-GB", "Straße", "en"),
        ("EN_us", "", "en"),
        ("nb", "", "no"),
        ("zh-Hans", "今天天气很好。", "zh"),
        ("zh-Hans", TEXTS["en"], "en"),
        ("de", "der die das und nicht " + TEXTS["en"], "de"),
        ("ja", "Apache HTTP Server Version 2.4", "ja"),
        ("", "", ""),
        ("", "今天天气很好。", ""),
        ("", "Opening hours", "en"),
        ("", "Öffnungszeiten", ""),
        ("", "der Tag und die Nacht", "de"),
        ("", "lorem ipsum dolor sit amet " * 20, ""),
        ("{{ lang }}", "Opening hours", "en"),
        ("und", "Opening hours", "en"),
        ("xx" * 1000, "Opening hours", "en"),
    ],
)
def test_language_of(declared: str, text: str, language: str) -> None:
    assert language_of(declared, words(text)) == language


@given(st.text(), st.lists(st.sampled_from("the der la and und et x 7 中文".split())))
def test_a_language_is_known_declared_or_empty(declared: str, found: list[str]) -> None:
    language = language_of(declared, found)
    assert language in STOP_WORDS or language == "" or declared.strip().lower().startswith(language)


@pytest.mark.parametrize("language", STOP_WORDS)
def test_lists_are_in_the_form_of_words(language: str) -> None:
    listed = STOP_WORDS[language]
    assert 60 <= len(listed) <= 200
    assert all(words(word) == [word] for word in listed)
    assert NEGATIONS[language] <= listed


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "The prices of 3 houses were rising", "price 3 hous rise"),
        ("en", "I don't know; we couldn't have known", "know known"),
        ("de", "Die Häuser der Städte wurden nicht größer", "haus stadt gross"),
        ("fr", "L'eau des rivières n'est pas potable", "eau rivi potabl"),
        ("es", "Los gatos corrían por las calles", "gat corr call"),
        ("it", "Le case dell'isola sono bianche", "cas isol bianc"),
        ("ru", "Книги были на столах", "книг стол"),
        ("pl", "Domy są na wzgórzu", "domy wzgórzu"),
        ("el", "Τα σπίτια της πόλης", "σπίτια πόλησ"),
        ("zh", "天气很好", "天气 气很 很好"),
        ("", "the houses", "the houses"),
    ],
)
def test_refined_sentences(language: str, text: str, expected: str) -> None:
    assert refine(words(text), language) == tuple(expected.split())


def test_a_sentence_of_stop_words_keeps_them_unless_only_content_counts() -> None:
    assert refine(["to", "be"], "en") == ("to", "be")
    assert refine(["to", "be"], "en", numbers=False) == ()
    assert refine(["3", "50"], "en") == ("3", "50")
    assert refine(["3", "50", "♥"], "", numbers=False) == ()
    assert refine(["b2b", "4"], "", numbers=False) == ("b2b",)
    assert refine([], "en") == ()


@given(
    st.lists(st.text(max_size=9).map(words).map(lambda found: found[0] if found else "a")),
    st.sampled_from(["", "zh", *STOP_WORDS]),
)
def test_refining_drops_words_and_endings_only(found: list[str], language: str) -> None:
    refined = refine(found, language)
    assert bool(refined) == bool(found)
    assert len(refined) <= len(found)
    assert all(refined)
    unnumbered = refine(found, language, numbers=False)
    assert len(unnumbered) <= len(refined)
    assert all(any(character.isalpha() for character in word) for word in unnumbered)
    assert refine(found, language) == refined


def test_refining_twice_gives_the_same_in_any_order() -> None:
    found = words("كتب الطلاب المدرسة والمعلمون يكتبون كتابهم فاستقبلوه")
    first = [refine([word], "ar") for word in found]
    assert [refine([word], "ar") for word in reversed(found)] == first[::-1]
    refining._stem_of.cache_clear()
    assert [refine([word], "ar") for word in reversed(found)] == first[::-1]


def test_hostile_words_are_neither_stemmed_nor_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(refining, "stemmer", lambda _: lambda word: made.append(word) or word)
    monkeypatch.setattr(refining, "_CACHED_STEMS", 100)
    refining._stem_of.cache_clear()
    long = "y" * 100_000
    assert refine([long], "en") == (long,)
    assert made == []
    every = [f"word{number}" for number in range(200)]
    for word in [*every, *every[-100:], every[0]]:
        refine([word], "en")
    assert made == [*every, every[0]]
    refining._stem_of.cache_clear()


@pytest.mark.parametrize(
    ("language", "text", "negated"),
    [
        ("en", "He did not come", True),
        ("en", "He didn’t come", True),
        ("en", "We can't", True),
        ("en", "You won't", True),
        ("en", "You won a T", False),
        ("en", "a T shirt", False),
        ("en", "Never without", True),
        ("en", "He came", False),
        ("de", "Er kam nicht", True),
        ("de", "Er kam", False),
        ("fr", "Il n'est jamais venu", True),
        ("ru", "Он не пришёл", True),
        ("el", "Δεν ξέρω", True),
        ("ar", "لم يأت", True),
        ("de", "don't", False),
        ("", "not", False),
    ],
)
def test_negations(language: str, text: str, negated: bool) -> None:
    assert is_negated(words(text), language) is negated


def test_numbers_of() -> None:
    assert numbers_of(words("From 3.50 to the 4th of x, ١٢ or ²")) == {"3", "50", "4th", "١٢"}


@pytest.mark.parametrize("language", ["", "zh", "pl", "xx"])
def test_languages_without_a_stemmer(language: str) -> None:
    assert stemmer(language) is None
