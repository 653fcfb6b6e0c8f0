"""Pages with styles, whole and damaged."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ("a", "b", "c", "é", "no-js", "sm:d")
IDS = ("x", "y")
TAGS = ("div", "p", "span", "b", "section", "td", "x-y", "details", "summary", "a", "h3", "nav")
COLOURS = (
    *("#fff", "white", "#000", "black", "rgb(0,0,0)", "rgb(100%, 100% 100% / 1)", "#ffff"),
    *("transparent", "rgba(0, 0, 0, 0)", "rgb(0 0 0 / 5%)", "hsl(0, 0%, 100%)", "hsl(9deg 9% 9%)"),
    *("#fefefe", "#12345678", "#1234567", "inherit", "currentColor", "url(a.png) #fff", "none"),
    *("linear-gradient(red, blue)", "var(--c)", "var(--c, #FFF)", "initial", "0", "-white", "rgb("),
)
LENGTHS = (
    *("0", "1px", "-9999px", "-999em", "calc(-1 * 9999px)", ".1em", "5%", "-50%", "2rem", "0 0"),
    *("0 0 0 -9999px", "999999999999999999999px", "1e5px", "-1e5px", "12px2", "--5px", "auto"),
    *("+.5ex", "3vw", "-3e", "1..5px", "var(--l)", "", "0.0", "inherit", "-99999%"),
)
VALUES: dict[str, tuple[str, ...]] = {
    "display": ("none", "block", "NONE", "bloc", "table-column", "flex", "var(--d)", "none none"),
    "visibility": ("hidden", "visible", "collapse"),
    "opacity": ("0", ".3", "1", "30%", "-1", "1.", ".", "0.05", "5%", "x"),
    "filter": ("opacity(0)", "blur(40px) opacity(.5)", "opacity(blur(9px))", "opacity(50%", "none"),
    "clip": ("rect(0,0,0,0)", "rect(0 9px 9px 0)", "auto"),
    "clip-path": (
        *("inset(50%)", "inset(10px 50% 60%)", "circle(0 at 50% 50%)", "polygon(0 0, 1px 1px)"),
        *("ellipse(at 9px)", "inset()", "polygon()"),
    ),
    "mask-image": ("linear-gradient(transparent, transparent)", "linear-gradient(to left, red)"),
    "mask": ("gradient(90deg,transparent 5%)", "x gradient(transparent)", "gradient(transparent"),
    "transform": (
        *("scale(0)", "scale3d(.05, 1, 1)", "scalex( 0.5 )", "rotateY( -90deg)", "rotate(90deg)"),
        *("translatex(-9999px)", "translate3d(1px,2px,0)", "translate(9px", "scale(0", "none"),
    ),
    "scale": ("0", "1", "0 1"),
    "translate": ("-9999px", "5%"),
    "position": ("absolute", "fixed", "relative", "static"),
    "overflow": ("hidden", "visible", "clip"),
    "overflow-y": ("hidden", "auto"),
    "font": ("0/0 a", "16px/1.5 serif", "bold 2px a1"),
    "text-shadow": ("none",),
    "animation": ("x 1s", "none"),
    "background-clip": ("text",),
    "content-visibility": ("hidden",),
    "min-height": ("1px",),
    "--d": ("none", "block", "var(--d)"),
    "--c": ("#fff", "#000"),
    "--l": ("-9999px",),
    **dict.fromkeys(("color", "background", "background-color", "background-image"), COLOURS),
    "-webkit-text-fill-color": COLOURS,
    **dict.fromkeys(("height", "max-width", "line-height", "left", "inset", "margin"), LENGTHS),
    **dict.fromkeys(("margin-left", "text-indent", "letter-spacing", "font-size"), LENGTHS),
    "padding-top": LENGTHS,
}
DAMAGE = (
    *("/*", "*/", "<!--", "-->", "{", "}", ";", ":", "(", ")", "[", "]", ",", '"', "'", "\\", "!"),
    *(
        "\\69 ",
        "\\9",
        "\\d800",
        "\\110000 ",
        "\\:",
        "&",
        "@",
        "%",
        "\n",
        "\t",
        "\f",
        "\xa0",
        "\x01",
    ),
    *("é", "ſ", "K", "漢", "\ue02e", "😀", " ", "#", ".", "*", ">", "+", "~", "important", "var("),
)

declarations = st.sampled_from(sorted(VALUES)).flatmap(
    lambda name: st.tuples(
        st.sampled_from((name, name.upper(), f" {name} ")),
        st.sampled_from(VALUES[name]),
        st.sampled_from(("", "", "", "!important", " ! IMPORTANT", "\\9")),
    ).map(lambda parts: f"{parts[0]}:{parts[1]}{parts[2]}")
)
blocks = st.lists(declarations, max_size=4).map("; ".join)
simple = (
    st.sampled_from(TAGS)
    | st.sampled_from([f".{name}" for name in NAMES] + [f"#{name}" for name in IDS])
    | st.sampled_from(
        (
            *("*", "html", "body", ":root", ":first-child", ":last-child", ":first-of-type"),
            *(":last-of-type", ":nth-child(2n+1)", ":nth-child( odd )", ":nth-of-type(-n+2)"),
            *(":nth-child(3)", ":nth-child(n of a)", ":not(.a)", ":is(.b, p > .c)", ":where(#x)"),
            *(":not(:checked)", ":checked", ":hover", "::before", ".sm\\:d", "[class]", "[id=x]"),
            *("[class~='a']", '[class^="b" i]', "[class*=c]", "[class|=a]", "[id$='y']", "[x=']"),
        )
    )
)
selectors = st.lists(
    st.tuples(st.sampled_from(("", "", " ", " > ", ">", "+", " ~ ", ", ", "&", " &")), simple).map(
        "".join
    ),
    min_size=1,
    max_size=4,
).map("".join)
rules = st.builds("{}{{{}}}".format, selectors, blocks)
sheets = st.recursive(
    st.lists(rules, max_size=4).map("".join),
    lambda inner: st.builds(
        "{}{{{}}}".format,
        st.sampled_from(
            (
                *("@media screen", "@media print", "@media(min-width:40em)", "@media (width>=1px)"),
                *("@layer a", "@supports (display:grid)", "@supports not (x:y)", "@keyframes a"),
                *(".a", "div, .b", "& .c", "@MEDIA only screen and (min-width: 1281px)"),
            )
        ),
        st.builds("{};{}".format, blocks, inner),
    ),
    max_leaves=4,
)


@st.composite
def damaged(draw: st.DrawFn, whole: st.SearchStrategy[str]) -> str:
    """CSS of which parts are missing, repeated or replaced."""
    text = draw(whole)
    for _ in range(draw(st.integers(0, 4))):
        begin = draw(st.integers(0, len(text)))
        end = min(len(text), begin + draw(st.integers(0, 8)))
        text = text[:begin] + draw(st.sampled_from(DAMAGE)) * draw(st.integers(0, 2)) + text[end:]
    return text


@st.composite
def elements(draw: st.DrawFn) -> str:
    """A start tag with attributes that matter, text, or an end tag."""
    tag = draw(st.sampled_from(TAGS))
    if draw(st.integers(0, 3)) == 0:
        return draw(
            st.sampled_from((f"</{tag}>", "text ", " \xa0 ", "<img>", "<link rel=stylesheet>"))
        )
    classes = " ".join(draw(st.lists(st.sampled_from(NAMES), max_size=3)))
    attributes = [f" class='{classes}'" if classes else ""]
    if draw(st.booleans()):
        style = draw(damaged(blocks)).replace("'", "&#39;")
        attributes.append(f" style='{style}'")
    extra = (" hidden", " aria-hidden=true", " popover", " id=x", " id=y", " open", " color=WHITE")
    extra += (" bgcolor='#FFFFFF'", " background=x", " checked", " text=000", " role=menu")
    attributes += draw(st.lists(st.sampled_from(extra), max_size=2, unique=True))
    return f"<{tag}{''.join(attributes)}>word "


@st.composite
def styled_pages(draw: st.DrawFn) -> str:
    """A page with sheets and elements that they may hide."""
    frame = draw(
        st.sampled_from(("", "<html class=a><body id=y>", "<html><head></head>", "<body>"))
    )
    style = draw(
        st.sampled_from(("<style>", "<style>", "<style media='screen, x'>", "<style type=a>"))
    )
    css = draw(damaged(sheets))
    return f"{frame}{style}{css}</style>{''.join(draw(st.lists(elements(), max_size=12)))}"
