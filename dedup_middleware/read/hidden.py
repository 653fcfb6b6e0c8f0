from typing import NamedTuple
class Hidden(NamedTuple):
    """How much was taken out of a page."""

    characters: int = 0
    whole: bool = True
    """All styles were read."""

    def note(self, shown: int) -> str:
        """Say why a page that shows so many characters can't be compared; empty if it can."""
        if not self.whole:
            return "its styles were not read to their end"
        return "its styles hide most of its text" if self.characters > shown else ""
def hide(root, *, styles=True):
    for e in root.elements():
        if "hidden" in e.attributes: e.hidden = True
    return Hidden()
