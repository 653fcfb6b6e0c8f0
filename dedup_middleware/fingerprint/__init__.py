"""Outline → Fingerprint: what a page is looked up by."""

from .scheme import SCHEME, Fingerprint, fingerprint

__all__ = ["SCHEME", "Fingerprint", "fingerprint"]
