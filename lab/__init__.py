"""What measures the quality of verdicts, and makes or labels pages to measure with."""
