"""Hidden text: what a page's own styles and attributes keep from its visitors."""
