"""Outline → Fingerprint: the values by which a page is looked up."""

from .scheme import SCHEME, Fingerprint, fingerprint

__all__ = ["SCHEME", "Fingerprint", "fingerprint"]
