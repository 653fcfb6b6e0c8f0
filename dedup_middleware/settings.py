"""All settings: names, defaults and meanings."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from .errors import SettingError
from .setting_values import (
    actions_of,
    checked,
    forget_of,
    from_string,
    hosts_of,
    options_of,
    run_of,
    scope_of,
)
from .verdict import Action, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping


PREFIX = "DEDUP_"


class Level(NamedTuple):
    """What a strictness stands for."""

    near: float
    """The share of both pages that must be known from the other."""
    contained: float
    """The share of one page that must be known from the other."""
    max_loss: float
    """The share of a page that dropping it may lose."""


STRICTNESS = {
    "strict": Level(near=0.85, contained=0.9, max_loss=0.01),
    "balanced": Level(near=0.72, contained=0.8, max_loss=0.05),
    "eager": Level(near=0.62, contained=0.7, max_loss=0.15),
}
_THRESHOLDS = (
    "DEDUP_STRICTNESS chooses what counts as the same page, and DEDUP_MAX_LOSS how much of a page "
    "may be lost"
)
_JOURNAL = 'use DEDUP_JOURNAL_DETAIL: "full", "brief" or "matches"'
REMOVED = {
    "near": _THRESHOLDS,
    "contained": _THRESHOLDS,
    "sentences": 'use DEDUP_METHOD_OPTIONS = {"sentences": …}',
    "numbers": 'use DEDUP_METHOD_OPTIONS = {"numbers": …}',
    "model": 'use DEDUP_METHOD_OPTIONS = {"model": …}',
    "max_candidates": "a page is compared with up to 32 known pages",
    "max_postings": "up to 64 known pages are kept for one look-up key",
    "forget_days": 'use DEDUP_FORGET = {"days": …}',
    "forget_runs": 'use DEDUP_FORGET = {"runs": …}',
    "forget_size": 'use DEDUP_FORGET = {"size": …}',
    "journal_unique": _JOURNAL,
    "journal_near_misses": _JOURNAL,
}
"""Settings that there were, and what takes their place."""
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
DEFAULT_ACTIONS: Mapping[Kind, Action] = {
    Kind.UNIQUE: Action.PASS,
    Kind.EXACT: Action.DROP,
    Kind.NEAR: Action.DROP,
    Kind.CONTAINED: Action.DROP,
    Kind.CONTAINS: Action.PASS,
    Kind.UNCHANGED: Action.DROP,
    Kind.UPDATED: Action.PASS,
}
CROSS_HOST: Mapping[Kind, Action] = {
    Kind.EXACT: Action.DROP,
    Kind.NEAR: Action.TAG,  # a stranger's page makes none vanish unless it shows all of its text
    Kind.CONTAINED: Action.TAG,
}


def ranged(default: float, help_: str, low: float, high: float) -> Any:
    """Declare a setting that is a number of some range."""
    return field(default=default, metadata={"help": help_, "low": low, "high": high})


def flag(default: bool, help_: str) -> Any:
    """Declare a setting that is on or off."""
    return field(default=default, metadata={"help": help_})


def choice(default: str, help_: str, *choices: str) -> Any:
    """Declare a setting that is one of some words, or any text if none are given."""
    return field(default=default, metadata={"help": help_, "choices": choices})


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a deduplicator; in Scrapy each is upper case behind `DEDUP_`.

    >>> Settings.of(min_words=30).min_words
    30
    >>> Settings.of(strictness="strict").max_loss
    0.01
    >>> Settings.of(min_wrods=30)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ...
    SettingError: Unknown setting DEDUP_MIN_WRODS; did you mean DEDUP_MIN_WORDS?
    """

    actions: Mapping[Kind, Action] = field(
        default_factory=lambda: DEFAULT_ACTIONS,
        metadata={"help": "Action for each verdict: drop, tag or pass."},
    )
    cross_host: Mapping[Kind, Action] = field(
        default_factory=lambda: CROSS_HOST,
        metadata={
            "help": "Most that is done to a page because of one on another registrable domain, for "
            "exact, near and contained pages: drop, tag or pass."
        },
    )
    survivor: str = choice(
        "best",
        "Which of two URLs with the same page stands for it: the first, the best, or the one "
        "with the longest text.",
        "first",
        "best",
        "longest",
    )
    preferred_hosts: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "Hosts whose URLs stand for a page before those of others, the first before "
            "the second; with their sub-domains."
        },
    )
    contained_ratio: float = ranged(
        2.0,
        "A contained page is dropped if the page around it is at most this many times as long, "
        "else tagged.",
        1.0,
        1e9,
    )
    min_words: int = ranged(
        20,
        "Pages with fewer words of their own match only if they are equal, byte for byte.",
        1,
        200,
    )
    strictness: str = choice(
        "balanced",
        "How sure the judge must be: strict keeps more pages, eager drops more.",
        *STRICTNESS,
    )
    max_loss: float = ranged(
        STRICTNESS["balanced"].max_loss,
        "A near or contained page is dropped if at most this share of it would be lost, else "
        "tagged; by default as strictness says.",
        0.0,
        1.0,
    )
    method: str = choice(
        "cascade",
        "Method that finds similar pages: the cascade of this project, or a published one.",
    )
    method_options: Mapping[str, Any] = field(
        default_factory=dict,
        metadata={"help": "Options of the method, by name."},
    )
    max_html: int = ranged(8 << 20, "Most bytes of HTML that are read of a page.", 1 << 10, 1 << 30)
    max_text: int = ranged(
        2_000_000, "Most characters of text that are kept of a page.", 1 << 10, 1 << 28
    )
    map_size: int = ranged(
        1 << 40,
        "Address space reserved for the store, in bytes; disk is used as it fills.",
        1 << 20,
        1 << 46,
    )
    enabled: bool = flag(True, "Whether pages are judged at all.")
    dry_run: bool = flag(
        False, "Tag every item and drop none; the store is copied, and stays as it is."
    )
    scope: str = choice(
        "run",
        "Which store is used: a new one for each run, one shared by all runs of all spiders, "
        "a folder by its path, or a server by its URL.",
    )
    commit: str = choice(
        "auto",
        "When the pages of a crawl count for others: all when it has succeeded, or each page once "
        "it is delivered; auto is finish in a store that crawls share, else page.",
        "auto",
        "finish",
        "page",
    )
    run: str = field(
        default="",
        metadata={
            "help": "Name of the run; crawls of one name are one run. By default it has the time.",
            "choices": (),
            "optional": True,
        },
    )
    follow_redundant: bool = flag(
        True, "Whether links of redundant pages are followed; those of start pages always are."
    )
    http_errors: bool = flag(
        False, "Whether error pages are judged: responses with status 400 or more."
    )
    skip: str = choice(
        "suggest",
        "What is done with requests whose page is known under another URL: off sends them, suggest "
        "sends and counts them, on does not send them.",
        "off",
        "suggest",
        "on",
    )
    explore: float = ranged(
        0.05,
        "Share of the requests to be skipped that are sent nevertheless, to see whether it is "
        "right.",
        0.0,
        1.0,
    )
    shape_budget: int = ranged(
        0, "Most pages that are fetched of one shape of URLs; 0 is any number.", 0, 1_000_000_000
    )
    close_after_new: int = ranged(
        0, "New pages after which the crawl is closed; 0 is never.", 0, 1_000_000_000
    )
    keep_runs: int = ranged(
        10, "Stores of runs that are kept for each spider; older ones are removed.", 1, 1_000_000
    )
    forget: Mapping[str, Any] = field(
        default_factory=dict,
        metadata={
            "help": "When a shared store forgets pages: after so many days or runs that succeeded "
            "without seeing them, or when it has so many bytes (size) those not seen for longest."
        },
    )
    url_field: str = choice("url", "Item field with the URL of the page.")
    html_field: str = choice("html", "Item field with the HTML of the page.")
    text_field: str = choice("text", "Item field with the text of the page, if there is no HTML.")
    tag_field: str = choice("dedup", "Item field that gets the verdict, if the item has it.")
    dropped_feed: str = field(
        default="",
        metadata={
            "help": "Feed that gets every dropped item with its verdict: a file or a URI, as a key "
            "of Scrapy's FEEDS; none if empty.",
            "choices": (),
            "optional": True,
        },
    )
    drop_log_level: str = choice(
        "DEBUG",
        "Log level of dropped items.",
        *LEVELS,
    )
    patience: float = ranged(
        30.0,
        "Seconds that items of a copy wait for their original to leave the pipelines.",
        0.0,
        1e6,
    )
    on_store_error: str = choice(
        "continue",
        "What a crawl does when its store fails: it continues without dedup, or stops.",
        "continue",
        "stop",
    )
    journal_detail: str = choice(
        "full",
        "What is written down: full, all pages, with the closest known page of those that match "
        "none; brief, all pages without that; matches, only pages that are not unique.",
        "full",
        "brief",
        "matches",
    )
    summary: str = choice(
        "INFO",
        "Log level of the few lines at the end of a crawl that sum up what was dropped.",
        *LEVELS,
    )
    # options of the cascade
    sentences: str = "fuzzy"
    numbers: bool = True
    model: str = ""
    # constants
    max_candidates: int = 32
    max_postings: int = 64
    # fitted, and no settings: they follow from the strictness
    near: float = STRICTNESS["balanced"].near
    contained: float = STRICTNESS["balanced"].contained

    @property
    def level(self) -> Level:
        """What decides in number."""
        return Level(self.near, self.contained, self.max_loss)

    @classmethod
    def of(cls, **values: Any) -> Self:
        """Check the given values; what is not given keeps its default."""
        for name in values:
            if name in REMOVED:
                raise SettingError(
                    f"{PREFIX}{name.upper()} is no setting any more: {REMOVED[name]}"
                )
            if name not in SETTINGS:
                raise SettingError(_unknown(name, list(SETTINGS)))
        checked_values = {
            name: _value(name, value, SETTINGS[name].type, SETTINGS[name].metadata)
            for name, value in values.items()
        }
        level = STRICTNESS[checked_values.get("strictness", "balanced")]
        options = {}
        if checked_values.get("method", "cascade") == "cascade":
            options = _cascade_options(checked_values.get("method_options", {}))
        return cls(**{**level._asdict(), **options, **checked_values})

    @classmethod
    def from_scrapy(cls, settings: Mapping[Any, Any]) -> Self:
        """Take the `DEDUP_` settings of Scrapy; strings, as `-s` gives them, are read by type.

        >>> settings = Settings.from_scrapy({"BOT_NAME": "b", "DEDUP_HTTP_ERRORS": "true"})
        >>> settings.http_errors
        True
        """
        given = {
            key.removeprefix(PREFIX).lower(): value
            for key, value in settings.items()
            if isinstance(key, str) and key.startswith(PREFIX)
        }
        return cls.of(
            **{
                name: from_string(value, SETTINGS[name].type)
                if isinstance(value, str) and name in SETTINGS
                else value
                for name, value in given.items()
            }
        )


SETTINGS = {item.name: item for item in fields(Settings) if item.metadata}
"""The fields that are settings, by name."""


CASCADE_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "sentences": {"kind": "str", "choices": ("fuzzy", "thesis", "fourgrams", "overlap", "off")},
    "numbers": {"kind": "bool"},
    "model": {"kind": "str", "choices": (), "optional": True},
}
"""How the cascade compares sentences for the evidence; the published methods have their own."""


def _cascade_options(options: Mapping[str, Any]) -> dict[str, Any]:
    setting = f"{PREFIX}METHOD_OPTIONS"
    if unknown := [name for name in options if name not in CASCADE_OPTIONS]:
        known = ", ".join(CASCADE_OPTIONS)
        raise SettingError(f"{setting} of the cascade are {known}, not {unknown[0]!r}")
    return {
        name: checked(
            f"{setting}: {name}", value, CASCADE_OPTIONS[name]["kind"], CASCADE_OPTIONS[name]
        )
        for name, value in options.items()
    }


def _unknown(name: str, known: list[str]) -> str:
    import difflib  # only needed to say what may have been meant

    close = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {PREFIX}{close[0].upper()}?" if close else ""
    return f"Unknown setting {PREFIX}{name.upper()}{hint}"


def _value(name: str, value: object, kind: object, limits: Mapping[str, Any]) -> Any:
    setting = f"{PREFIX}{name.upper()}"
    if name == "actions":
        return {**DEFAULT_ACTIONS, **actions_of(value, setting)}
    if name == "cross_host":
        return {**CROSS_HOST, **_cross_host(value, setting)}
    check = {
        "forget": forget_of,
        "method_options": options_of,
        "preferred_hosts": hosts_of,
        "run": run_of,
        "scope": scope_of,
    }.get(name)
    return check(value, setting) if check else checked(setting, value, kind, limits)


def _cross_host(value: object, setting: str) -> dict[Kind, Action]:
    actions = actions_of(value, setting)
    if not actions.keys() <= CROSS_HOST.keys():
        raise SettingError(f"{setting} is for {', '.join(map(str, CROSS_HOST))}, not {value!r}")
    return actions
