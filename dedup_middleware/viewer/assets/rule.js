// The rule of the judge, on how much of a page is known from the other, and the reverse.
const related = (forward, backward, near, contained) => {
  if (Math.min(forward, backward) >= near) return "near";
  if (forward >= contained) return "contained";
  return backward >= contained ? "contains" : null;
};

/** Return how far a pair is from another verdict. */
const margin = (forward, backward, near, contained) => {
  const kind = related(forward, backward, near, contained);
  const toNear = Math.abs(Math.min(forward, backward) - near);
  if (kind === "near") return toNear;
  const toContained = kind === "contains" ? Infinity : Math.abs(forward - contained);
  const toContains = kind === "contained" ? Infinity : Math.abs(backward - contained);
  return Math.min(toNear, toContained, toContains);
};
