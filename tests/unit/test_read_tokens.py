"""The tokenizer by worked examples."""

from __future__ import annotations

import pytest

from dedup_middleware.read.core_reading import END, START, TEXT, Event, tokens
from tests.support.markup import written


def test_text_and_tags():
    assert tokens("a<P ID=1>b</P >c").events == [
        Event(TEXT, "a"),
        Event(START, "p", (("id", "1"),)),
        Event(TEXT, "b"),
        Event(END, "p"),
        Event(TEXT, "c"),
    ]
    assert tokens("").events == []


@pytest.mark.parametrize(
    ("tag", "attributes"),
    [
        ("<a b=1 B=2 c>", [("b", "1"), ("c", "")]),
        ("<a z=1 a=2>", [("z", "1"), ("a", "2")]),
        ('<a\n\tb = "x>y" c=\'"\'d=e/f>', [("b", "x>y"), ("c", '"'), ("d", "e/f")]),
        ("<a =b==c>", [("=b", "=c")]),
        ("<a <b <c=>", [("<b", ""), ("<c", "")]),
        ("<a b='&lt;&copy=1&copy;&ampx&amp'>", [("b", "<&copy=1©&ampx&")]),
        ("<a b\0='\0'>", [("b�", "�")]),
        ("<a É=1 ſ=2 \u212a=3>", [("É", "1"), ("ſ", "2"), ("\u212a", "3")]),
    ],
)
def test_attributes(tag, attributes):
    assert tokens(tag).events == [Event(START, "a", tuple(attributes))]


def test_repeated_attributes_of_a_long_tag():
    names = [f"n{number % 50}" for number in range(200)]
    tag = "<a " + " ".join(f"{name}={place}" for place, name in enumerate(names)) + ">"
    assert tokens(tag).events[0].attributes == tuple((f"n{n}", str(n)) for n in range(50))


@pytest.mark.parametrize(
    ("html", "result"),
    [
        ("<br/><br / ><a b=c/>", '<br/><br><a b="c/">'),
        ("a<!-- <p> -->b<!doctype html>c<?php <p> ?>d</ x>e</>f<!x>g", "abc ?>defg"),
        ("a<!-->b<!--->c<!--!>d--!>e<!---->f", "abcef"),
        ("a<!-- -- > - -->b<!-- never ends", "ab"),
        ("a < b <3 <", "a < b <3 <"),
        ("a</", "a</"),
        ("a<p", "a"),
        ("a<p b='>", "a"),
        ("a\r\nb\rc\n\rd&#13;", "a\nb\nc\n\nd\r"),
        ("a\0b<p\0></p>", "a\0b<p�></p>"),
        ("\ud83d\ude00 \ud83d \ude00", "😀 � �"),
    ],
)
def test_what_vanishes_and_what_stays(html, result):
    assert written(tokens(html).events) == result


@pytest.mark.parametrize(
    ("html", "result"),
    [
        ("&amp;&lt&GT;&AMP", "&<>&"),
        ("&notit;&notin;&noti", "¬it;∉¬i"),
        ("&nosuch; &; & &a; &fjlig;", "&nosuch; &; & &a; fj"),
        ("&#65;&#x42&#X43;&# &#x &#xg", "ABC&# &#x &#xg"),
        ("&#0;&#xD800;&#x110000;&#99999999999999999999;", "����"),
        ("&#128;&#x9f;&#129;", "€Ÿ\x81"),
        ("&#" + "0" * 5000 + "65;", "A"),
        ("&am<b>p;", "&am<b>p;"),
        ("&CounterClockwiseContourIntegral;", "∳"),
        ("&CounterClockwiseContourIntegrals;", "&CounterClockwiseContourIntegrals;"),
    ],
)
def test_character_references(html, result):
    assert written(tokens(html).events) == result


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<title>a&amp;<b></title >c", ["a&<b>", "c"]),
        ("<textarea></textareas></TEXTAREA>c", ["</textareas>", "c"]),
        ("<style>&amp;<b>\0</style/>c", ["&amp;<b>�", "c"]),
        ("<xmp></xmp", ["</xmp"]),
        ("<title>a</title b", ["a"]),
        ("<plaintext>&lt;</plaintext>", ["&lt;</plaintext>"]),
        ("<noscript><iframe>a</noscript>b<iframe></noscript>", ["a", "b", "</noscript>"]),
        (
            "<NOSCRIPT/><title>a&amp;</iframe></noscripts></Noscript >b",
            ["a&</iframe></noscripts>", "b"],
        ),
        ("<noscript><style>a</style>b</noscript>c", ["a", "b", "c"]),
        ("<script>a</script>b", ["a", "b"]),
        ("<script><!-- <script></script> --></script>b", ["<!-- <script></script> -->", "b"]),
        ("<script><!--> <script></script>b", ["<!--> <script>", "b"]),
        ("<script><!-- </script>b", ["<!-- ", "b"]),
        ("<script>'<!--<script>'</script>b", ["'<!--<script>'</script>b"]),
        ("<script><!-- <scripts></script>b", ["<!-- <scripts>", "b"]),
    ],
)
def test_text_without_tags(html, texts):
    assert [event.text for event in tokens(html).events if event.kind == TEXT] == texts


@pytest.mark.parametrize(
    ("html", "result"),
    [
        # what stands for itself elsewhere is an element with an end tag of its own here
        ("<svg><title/><style/></svg>b<i>", "<svg><title/><style/></svg>b<i>"),
        ("<svg><![CDATA[a>&lt;]]>b</svg><![CDATA[c>d", "<svg>a>&lt;b</svg>d"),
        ("<svg/><title><i></title>", "<svg/><title><i></title>"),
        ("<math><p><title><i></title>", "<math><p><title><i></title>"),
        ("<svg><foreignObject><xmp><i></xmp>", "<svg><foreignobject><xmp><i></xmp>"),
    ],
)
def test_svg_and_mathml(html, result):
    assert written(tokens(html).events) == result
