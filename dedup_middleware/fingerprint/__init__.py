"""Outline → Fingerprint: the values by which a page is looked up."""

from .scheme import SCHEME, Fingerprint, fingerprint, from_simhash

__all__ = ["SCHEME", "Fingerprint", "fingerprint", "from_simhash"]
