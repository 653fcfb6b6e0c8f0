from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dedup_middleware import Deduplicator, SettingError
from dedup_middleware.settings import REMOVED, SETTINGS, STRICTNESS, Settings
from dedup_middleware.verdict import Action, Kind


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"min_wrods": 3}, "DEDUP_MIN_WRODS; did you mean DEDUP_MIN_WORDS"),
        ({"whatever": 3}, "Unknown setting DEDUP_WHATEVER"),
        ({"min_words": "many"}, "DEDUP_MIN_WORDS must be a whole number, not 'many'"),
        ({"min_words": 2.5}, "DEDUP_MIN_WORDS must be a whole number, not 2.5"),
        ({"min_words": True}, "DEDUP_MIN_WORDS"),
        ({"min_words": -1}, "DEDUP_MIN_WORDS must be from 1"),
        ({"max_loss": 1.5}, "DEDUP_MAX_LOSS must be from 0 to 1, not 1.5"),
        ({"max_loss": float("nan")}, "DEDUP_MAX_LOSS"),
        ({"max_loss": None}, "DEDUP_MAX_LOSS must be a number, not None"),
        ({"near": 0.8}, "DEDUP_NEAR is no setting any more: DEDUP_STRICTNESS .* DEDUP_MAX_LOSS"),
        ({"contained": 0.8}, "DEDUP_CONTAINED is no setting any more: DEDUP_STRICTNESS"),
        ({"http_errors": "maybe"}, "DEDUP_HTTP_ERRORS must be True or False, not 'maybe'"),
        ({"summary": False}, "DEDUP_SUMMARY must be text, not False"),
        (
            {"method_options": {"sentences": "odd"}},
            "METHOD_OPTIONS: sentences must be one of fuzzy",
        ),
        (
            {"method_options": {"width": 3}},
            "of the cascade are sentences, numbers, model, not 'wid",
        ),
        ({"forget": {"weeks": 3}}, "DEDUP_FORGET maps any of days, runs, size to numbers"),
        ({"forget": {"runs": 1.5}}, "DEDUP_FORGET: runs must be a whole number, not 1.5"),
        ({"actions": ["near"]}, "DEDUP_ACTIONS"),
        ({"actions": {"near": "keep"}}, "DEDUP_ACTIONS: 'near': 'keep' is no verdict"),
        ({"actions": {"nearly": "drop"}}, "DEDUP_ACTIONS: 'nearly'"),
    ],
)
def test_bad_settings_are_named(tmp_path: Path, values: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Deduplicator(tmp_path / "s", **values)
    assert not (tmp_path / "s").exists()


def test_actions_not_given_keep_their_defaults() -> None:
    actions = Settings.of(actions={"near": "tag"}).actions
    assert {str(kind): str(action) for kind, action in actions.items()} == {
        "unique": "pass",
        "exact": "drop",
        "near": "tag",
        "contained": "drop",
        "contains": "pass",
        "unchanged": "drop",
        "updated": "pass",
    }


def test_every_setting_says_what_it_means() -> None:
    assert all(item.metadata["help"].endswith(".") for item in SETTINGS.values())


def test_a_bound_of_ones_own_goes_before_that_of_the_strictness() -> None:
    assert Settings.of(strictness="eager").level == STRICTNESS["eager"]
    own = Settings.of(strictness="eager", max_loss=0.5)
    assert own.level == STRICTNESS["eager"]._replace(max_loss=0.5)


def test_settings_of_scrapy_may_be_strings() -> None:
    settings = Settings.from_scrapy(
        {
            "BOT_NAME": "crawler",
            "DEDUP_MIN_WORDS": "30",
            "DEDUP_MAX_LOSS": "0.1",
            "DEDUP_CONTAINED_RATIO": 3,
            "DEDUP_HTTP_ERRORS": "True",
            "DEDUP_FORGET": '{"days": 90, "runs": 3}',
            "DEDUP_METHOD_OPTIONS": '{"sentences": "off"}',
            "DEDUP_ACTIONS": '{"near": "tag"}',
        }
    )
    assert (settings.min_words, settings.max_loss, settings.contained_ratio) == (30, 0.1, 3.0)
    assert settings.http_errors is True
    assert (settings.forget, settings.sentences) == ({"days": 90.0, "runs": 3}, "off")
    assert settings.actions[Kind.NEAR] is Action.TAG


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEDUP_MIN_WORDS", "many"),
        ("DEDUP_MIN_WORDS", "2.5"),
        ("DEDUP_MIN_WORDS", "inf"),
        ("DEDUP_MAX_LOSS", "nan"),
        ("DEDUP_NEAR", "0.9"),
        ("DEDUP_HTTP_ERRORS", "maybe"),
        ("DEDUP_ACTIONS", "{near"),
        ("DEDUP_ACTIONS", "[" * 100_000),
        ("DEDUP_ACTIONS", '{"near": "burn"}'),
        ("DEDUP_NO_SUCH_THING", "1"),
    ],
)
def test_bad_settings_of_scrapy_are_named(name: str, value: str) -> None:
    with pytest.raises(SettingError, match=name):
        Settings.from_scrapy({name: value})


def test_a_removed_setting_says_in_one_line_what_replaces_it() -> None:
    for name, instead in REMOVED.items():
        with pytest.raises(SettingError) as raised:
            Settings.from_scrapy({f"DEDUP_{name.upper()}": "1"})
        assert str(raised.value) == f"DEDUP_{name.upper()} is no setting any more: {instead}"
    assert not REMOVED.keys() & SETTINGS.keys()
