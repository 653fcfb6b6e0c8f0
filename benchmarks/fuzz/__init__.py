"""Random and broken pages for the compiled core: no failure, and answers that can be true."""
