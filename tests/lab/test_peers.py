"""Peers: the adapters of other libraries, installed or not."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

from dedup_middleware.methods import Document, Match
from dedup_middleware.verdict import Kind
from lab.accuracy.__main__ import main
from lab.peers import PEERS, MissingPeer, Peer, peer_class
from lab.peers.textprofile import TextProfile, count_tokens, profile
from tests.support.labelled import ANIMAL_PAGE, TOOL_PAGE


def test_profiles_of_texts() -> None:
    assert count_tokens("The tide, the TIDE; a b_c tides!") == {"the": 2, "tide": 2, "tides": 1}
    counts = count_tokens("boat " * 400 + "tide " * 9 + "moon " * 7 + "star " * 3)
    assert profile(counts, 0.01) == [("boat", 400), ("tide", 8), ("moon", 4)]
    assert profile(count_tokens(""), 0.01) == []


def test_documents_with_the_same_profile_are_the_same() -> None:
    peer = TextProfile()
    peer.add(Document.of_text("a", "The tide, the tide came in, and nobody saw it."))
    assert peer.candidates(Document.of_text("b", "The tide: the tide! Everybody slept.")) == [
        Match("a", 1.0, 1.0)
    ]
    assert peer.candidates(Document.of_text("c", "The boat: the boat!")) == []


def test_the_default_of_a_peer_is_tried_and_needs_no_library_to_be_known() -> None:
    for name in PEERS:
        module = importlib.import_module(f"lab.peers.{name}")
        (adapter,) = (
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, Peer) and value is not Peer
        )
        assert adapter().threshold in adapter.grid
        assert adapter.label
        assert adapter.about


@pytest.mark.parametrize("name", PEERS)
def test_peers_find_a_copy_and_nothing_in_another_text(name: str) -> None:
    try:
        adapter = peer_class(name)
    except MissingPeer as error:
        pytest.skip(f"peers are no dependency: {error}")
    for threshold in (None, adapter.grid[-1]):
        peer = adapter() if threshold is None else adapter(threshold=threshold)
        peer.add(Document.of_text("a", ANIMAL_PAGE))
        peer.add(Document.of_text("b", TOOL_PAGE))
        assert peer.candidates(Document.of_text("c", ANIMAL_PAGE)) == [Match("a", 1.0, 1.0)]
        assert peer.kind(Match("a", 1.0, 1.0)) is Kind.NEAR
        assert peer.candidates(Document.of_text("d", "Quite another thing. " * 9)) == []


def test_a_peer_that_is_not_installed_is_reported_and_the_rest_runs(
    small: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.setitem(sys.modules, "rensa", None)  # as if it were not there
    arguments = [small, "--peers", "rensa,textprofile,nonsense", "--work", tmp_path / "w"]
    assert main([*map(str, arguments), "--main-text", "--json"]) == 1
    output = capsys.readouterr()
    rows = json.loads(output.out)["results"]
    assert [(row["method"], row["shipped"]["finds"]) for row in rows] == [("peers/textprofile", 2)]
    reported = output.err.splitlines()
    assert reported[0] == (
        "there is no peer 'nonsense'; choose from datasketch, rensa, gaoya, simhash, textprofile, "
        "or all"
    )
    assert reported[1] == (
        "rensa: rensa is not installed: pip install rensa, or all peers with "
        "pip install '.[peers]'; skipped"
    )
