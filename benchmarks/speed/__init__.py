"""Cost of each stage, as a multiple of parsing the same page with `lxml.html`."""
