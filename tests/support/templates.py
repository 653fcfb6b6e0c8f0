"""Pages of one template each: shop, results, reference; and their stock text."""

from __future__ import annotations

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
