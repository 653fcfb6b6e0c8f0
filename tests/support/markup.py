"""Markup: pages and their parts, whole and damaged."""

from __future__ import annotations

from hypothesis import strategies as st

from dedup_middleware.read.core_reading import EMPTY, END, START, Event

ARTICLE = """<!DOCTYPE html>\r
<html lang="en"><head><meta charset=utf-8><title>Tides &amp; the Moon</title>
<style>p > a { color: red }</style>
<script>if (a < b && c) { document.write("<p>no</p>"); }</script>
</head><body class='page "wide"'><!-- menu --><ul id=menu><li><a href="/?a=1&copy=2">Home</a>
<li><a href=/news>News</a></ul><main><h1>Tides &mdash; the Moon&rsquo;s pull</h1>
<p>Water rises <b>twice <i>a day</b>, nearly</i>.<p>It is &lt;50&nbsp;cm&gt;<br/>and 3&#160;m there
<table><caption>Heights<tr><th>Place<td>cm<tr><td>Kiel<td>20</table>
<dl><dt>Spring tide<dd>high<dt>Neap tide<dd>low</dl>
<svg viewBox="0 0 1 1"><title/><path d=M0/></svg>
<select><option selected>May<option>June</select><textarea>say <b>it</b></textarea></main>
<footer>© 2024 <a href=#top>up</footer></body></html>
"""
FORUM = """<TABLE BORDER=0><TR><TD><FONT size=2><A NAME=p1>anna</A>: <P>How do I <TT>ls | wc</TT>?
<TR><TD><FONT size=2>bert: <BLOCKQUOTE>How do I<P>that</BLOCKQUOTE></FONT>Like &quotthis&quot:
<PRE>\nfor (i=0; i<n; i++) a &= b;</PRE></TD></TR></TABLE>
</CENTER></P><HR><OL><LI>one<OL><LI>two</OL>
<LI>three<noscript><img src=x></noscript></OL><a href="x"><div>block <a href=y>link</a> tail</div>
<form><button>Go<button>Stop</form><?php echo "<p>"; ?><ruby>漢<rp>(<rt>kan<rp>)</ruby>\x00 end"""
PAGES = (ARTICLE, FORUM)

FRAGMENTS = [
    *"<a> </a> <b> </b> <p> </p> <div> </div> <table> </table> <tr> </tr> <td> </td> <th>".split(),
    *"<li> </li> <ul> </ul> <dl> <dt> <dd> </dd> <h1> </h2> <br> </br> <br/> <x-y> </x-y>".split(),
    *"<svg> </svg> <math> <path/> <foreignobject> <title> </title> <title/> <script>".split(),
    *"</script> <style> </style> <textarea> </textarea> <plaintext> <xmp> </XMP> <html>".split(),
    *"<head> </head> <body> </body> <select> <option> <optgroup> </select> <button>".split(),
    *"</button> <caption> <col> <colgroup> <tbody> <rt> <nobr> <template> </template>".split(),
    *"<!-- --> --!> <!--> <!---> <! <!doctype <? </ </> < > / = \" ' - ! <![CDATA[ ]]>".split(),
    *"& &amp &amp; &notit; &not &copy= &# &#x &#65 &#x41; &#0; &#128; &#xd800 &#1114112;".split(),
    *("&CounterClockwiseContourIntegral;", "&fjlig;", "&#99999999999999999999;", "&ampa"),
    *("<a href=", '<p class="x', " id='y'", " ID=z", " a", " hidden", "\x00", "\r", "\r\n", "\n"),
    *(" ", "\t", "\f", "a", "Z", "é", "ſ", "\u212a", "漢", "😀", "\ud83d", "\ude00", "\ufeff"),
]
MARKUP = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=60).map("".join)


@st.composite
def damaged_pages(draw: st.DrawFn) -> str:
    """A page of which parts are missing, repeated or replaced, and perhaps its end."""
    page = draw(st.sampled_from(PAGES))
    for _ in range(draw(st.integers(0, 6))):
        begin = draw(st.integers(0, len(page)))
        end = min(len(page), begin + draw(st.integers(0, 40)))
        page = page[:begin] + draw(MARKUP | st.just(page[begin:end] * 2)) + page[end:]
    return page[: draw(st.integers(0, len(page)))] if draw(st.booleans()) else page


def written(events: list[Event]) -> str:
    """Events as markup."""
    return "".join(map(_written, events))


def _written(event: Event) -> str:
    if event.kind in (START, EMPTY):
        attributes = "".join(f' {name}="{value}"' for name, value in event.attributes)
        return f"<{event.text}{attributes}{'/' * (event.kind == EMPTY)}>"
    return f"</{event.text}>" if event.kind == END else event.text
