"""The form of a URL that the rules of its host give it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .parsed import PORT, SCHEME, TOGGLES, WWW, normal_path, parse, without_session

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .evidence import Evidence
    from .parsed import Parsed


class Rules:
    """The rules of a host that hold, by what they are about."""

    def __init__(self, evidence: Iterable[Evidence] = ()) -> None:
        self.toggles: dict[int, Evidence] = {}
        self.sessions: dict[str, Evidence] = {}
        self.parameters: dict[str, Evidence] = {}
        self.values: dict[tuple[str, str], Evidence] = {}
        self.actions: dict[str, Evidence] = {}
        for one in evidence:
            if not one.holds:
                continue
            if one.kind in TOGGLES:
                self.toggles[TOGGLES[one.kind]] = one
            elif one.kind == "session":
                self.sessions[one.name] = one
            elif one.kind == "parameter":
                self.parameters[one.name] = one
            elif one.kind == "value":
                self.values[one.name, one.value] = one
            elif one.kind == "action":
                self.actions[one.name] = one
        self.mask = sum(self.toggles)
        """The toggles that make no difference."""
        self._is_any = bool(self.mask or self.sessions or self.parameters or self.values)

    def __bool__(self) -> bool:
        """Return True if some rule may change a URL."""
        return self._is_any

    def apply(self, url: Parsed) -> tuple[Parsed, list[Evidence]]:
        """Return the canonical form of a URL, and the rules that have made it."""
        used: list[Evidence] = []
        if not self:
            return url, used
        path = url.path
        for name, rule in self.sessions.items():
            shorter = without_session(path, name)
            if shorter != path:
                path = shorter
                used.append(rule)
        path, had = normal_path(path, self.mask)
        had |= url.variant.flags & self.mask & (SCHEME | WWW | PORT)
        used += (rule for bit, rule in self.toggles.items() if had & bit)
        parameters = []
        for name, value in url.parameters:
            found = self.parameters.get(name) or self.values.get((name, value))
            if found is None:
                parameters.append((name, value))
                continue
            used.append(found)
            if found.kind == "parameter" and not found.has_absent:
                parameters.append((name, ""))  # it has to be there, whatever its value is
        if not used:
            return url, used
        query = "&".join(f"{name}={value}" for name, value in parameters)
        form = parse(f"{self._origin(url)}{path}{'?' * bool(query)}{query}")
        return (form, used) if form else (url, [])

    def _origin(self, url: Parsed) -> str:
        if not self.mask & (SCHEME | WWW | PORT):
            return url.origin
        flags = url.variant.flags & ~self.mask
        port = f":{url.variant.port}" if flags & PORT else ""
        scheme = "http" if flags & SCHEME else "https"
        return f"{scheme}://{'www.' if flags & WWW else ''}{url.host}{port}"
