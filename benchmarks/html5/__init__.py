"""The public tokenizer tests of html5lib, for the tokenizer in Python and the compiled one."""
