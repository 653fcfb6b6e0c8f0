"""What one page costs, counted: Python calls, files on the way, calls of the core, bytes."""
