"""How quick the report of a large journal is in a browser."""
