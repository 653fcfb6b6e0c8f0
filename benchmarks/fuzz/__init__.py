"""Random and broken pages for the compiled core, its answers compared with those of its twins."""
