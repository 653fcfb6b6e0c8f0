"""Policy: what comparisons add up to, why, and what is done about it."""
