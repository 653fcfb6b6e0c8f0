"""What values settings take: reading them from strings, and checks that name the setting."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from .errors import SettingError
from .urls import named_host
from .verdict import Action, Kind

SCOPES = ("run", "shared")
_RUN = re.compile(r"\w[\w.-]{0,99}", re.ASCII)


def from_string(value: str, kind: object) -> object:
    """Read a value from the command line; what can't be read stays, for the check to refuse."""
    if kind == "bool":
        return {"1": True, "true": True, "0": False, "false": False}.get(value.lower(), value)
    if kind in {"int", "float"}:
        with suppress(ValueError):
            return float(value)
    elif str(kind).startswith("tuple"):
        return [part.strip() for part in value.split(",") if part.strip()]
    elif str(kind).startswith("Mapping"):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def checked(setting: str, value: object, kind: object, limits: Mapping[str, Any]) -> object:
    """Check a value against what its setting declares; the error names the setting."""
    if kind == "str":
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        if not isinstance(value, str) or not (value or "optional" in limits):
            raise SettingError(f"{setting} must be text, not {value!r}")
        if limits["choices"] and value not in limits["choices"]:
            choices = ", ".join(limits["choices"])
            raise SettingError(f"{setting} must be one of {choices}, not {value!r}")
        return value
    if kind == "bool":
        if not isinstance(value, bool):
            raise SettingError(f"{setting} must be True or False, not {value!r}")
        return value
    wanted = "whole number" if kind == "int" else "number"
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or (kind == "int" and not float(value).is_integer())
    ):
        raise SettingError(f"{setting} must be a {wanted}, not {value!r}")
    if not limits["low"] <= value <= limits["high"]:
        raise SettingError(
            f"{setting} must be from {limits['low']:g} to {limits['high']:g}, not {value:g}"
        )
    return int(value) if kind == "int" else float(value)


def scope_of(value: object, setting: str) -> str:
    """Check a scope: a word, or something with a path in it."""
    path = os.fspath(value) if isinstance(value, str | os.PathLike) else ""
    if not isinstance(path, str) or (path not in SCOPES and os.sep not in path):
        raise SettingError(
            f"{setting} must be {' or '.join(SCOPES)}, or a path such as ./store, not {value!r}"
        )
    return path


def run_of(value: object, setting: str) -> str:
    """Check the name of a run, which is that of files too."""
    if not isinstance(value, str) or (value and not _RUN.fullmatch(value)):
        raise SettingError(
            f"{setting} must be a name of letters, digits, dots and hyphens, not {value!r}"
        )
    return value


def hosts_of(value: object, setting: str) -> tuple[str, ...]:
    """Check names of hosts; return them as URLs have them."""
    if not isinstance(value, list | tuple) or not all(
        isinstance(host, str) and named_host(host) for host in value
    ):
        raise SettingError(f"{setting} must be a list of hosts, not {value!r}")
    return tuple(map(named_host, value))


def options_of(value: object, setting: str) -> dict[str, Any]:
    """Check that options are given by name; what they may be is for the method to say."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise SettingError(f"{setting} must map names of options to values, not {value!r}")
    return dict(value)


def forget_of(value: object, setting: str) -> dict[str, Any]:
    """Check when pages are forgotten: after days, after runs, beyond a size in bytes."""
    kinds = {"days": ("float", 1e6), "runs": ("int", 1e6), "size": ("int", float(1 << 46))}
    if not isinstance(value, Mapping) or not value.keys() <= kinds.keys():
        raise SettingError(f"{setting} maps any of {', '.join(kinds)} to numbers, not {value!r}")
    return {
        name: checked(f"{setting}: {name}", one, kinds[name][0], {"low": 0, "high": kinds[name][1]})
        for name, one in value.items()
    }


def actions_of(value: object, setting: str) -> dict[Kind, Action]:
    """Check a mapping of kinds to actions."""
    if not isinstance(value, Mapping):
        raise SettingError(f"{setting} must map kinds to actions, not {value!r}")
    actions: dict[Kind, Action] = {}
    for kind, action in value.items():
        try:
            actions[Kind(kind)] = Action(action)
        except ValueError:
            raise SettingError(
                f"{setting}: {kind!r}: {action!r} is no verdict ({', '.join(map(str, Kind))}) with "
                f"an action ({', '.join(map(str, Action))})"
            ) from None
    return actions
