"""What each stage costs, as a multiple of parsing the same page with `lxml.html`."""
