"""How well each test of sentences tells same from different, on pairs judged by people."""
