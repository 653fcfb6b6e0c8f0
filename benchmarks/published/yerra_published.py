"""What Yerra's thesis has in its Tables 3.5 to 3.8, 4.7 and 4.8, and says of its Figure 3.1a."""

from __future__ import annotations

from .counts import Counts

PAIRS = {"4-grams": (0.0, 0.22), "fuzzy set": (0.055, 0.055)}  # Table 3.5: FP, FN of all
GROWTH = {500: "below 2 %, below 2 %", 5_000: "16 %, 12 %"}  # 3.2.1: FP, FN
CASES: dict[str, tuple[str, str, dict[str, tuple[float, float]]]] = {
    # Tables 3.6 and 3.7: sentences, overlap of the first and of the second page
    "inside": (
        "the second is part of the first",
        "35 / 21",
        {"4-grams": (0.60, 1.00), "fuzzy set": (0.60, 1.00)},
    ),
    "inside and more": (
        "… with unrelated sentences added",
        "35 / 31",
        {"4-grams": (0.60, 0.67), "fuzzy set": (0.60, 0.67)},
    ),
    "different": (
        "the two differ",
        "149 / 133",
        {"4-grams": (0.03, 0.03), "fuzzy set": (0.03, 0.03)},
    ),
    "related": (
        "the two are related",
        "87 / 79",
        {"4-grams": (0.54, 0.60), "fuzzy set": (0.31, 0.34)},
    ),
    "size": (
        "one is much longer",
        "425 / 50",
        {"4-grams": (0.04, 0.30), "fuzzy set": (0.05, 0.40)},
    ),
}
VERSIONS = {  # Table 3.8: overlap of both pages
    "1–2": {"4-grams": (0.42, 0.51), "fuzzy set": (0.50, 0.59)},
    "2–3": {"4-grams": (0.43, 0.40), "fuzzy set": (0.45, 0.41)},
    "3–4": {"4-grams": (0.43, 0.39), "fuzzy set": (0.48, 0.43)},
    "4–5": {"4-grams": (0.76, 0.74), "fuzzy set": (0.76, 0.74)},
    "5–6": {"4-grams": (0.92, 0.95), "fuzzy set": (0.92, 0.95)},
    "1–6": {"4-grams": (0.42, 0.42), "fuzzy set": (0.47, 0.46)},
}
GROUPS = (  # Table 4.7 by its counts, Table 4.8 has precision, recall and F beside
    (Counts(found=87, alarms=28, missed=13, passed=912), (0.97, 0.88, 0.92)),
    (Counts(found=92, alarms=37, missed=9, passed=903), (0.96, 0.91, 0.93)),
)
