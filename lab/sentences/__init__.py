"""How well each sentence test distinguishes same from different, on pairs labelled by people."""
