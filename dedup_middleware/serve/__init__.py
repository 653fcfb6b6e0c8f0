"""What was decided, live in a browser: a server on this machine, from store and journals."""
