"""Faults by the thousand: runs that go on where the last one ended, and a ledger that adds up."""
