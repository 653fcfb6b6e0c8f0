"""Speed of the report of a large journal in a browser."""
