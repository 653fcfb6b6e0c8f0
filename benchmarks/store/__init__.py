"""What a store withstands and what it costs: kills, damage, many processes."""
