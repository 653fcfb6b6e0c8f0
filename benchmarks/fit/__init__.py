"""How the weights and thresholds of the judge were chosen, and how stable the choice is."""
