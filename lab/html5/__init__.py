"""The public tests of html5lib for encodings and tokenizers, in Python and compiled."""
