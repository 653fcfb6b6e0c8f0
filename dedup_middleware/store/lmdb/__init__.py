"""The embedded store, in LMDB."""
