"""How right the verdicts are, on sets of pages with known answers."""
