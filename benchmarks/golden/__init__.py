"""Golden answers: what the core and the judge said of known pages, frozen as hashes."""
