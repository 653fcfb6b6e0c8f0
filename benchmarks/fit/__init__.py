"""How the weights and thresholds of the judge were chosen, and how firm the choice is."""
