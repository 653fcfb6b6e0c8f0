from dataclasses import dataclass


@dataclass
class Offer:
    url: str
    number: int
    name: str | None = None
