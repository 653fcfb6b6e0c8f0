// The rule of the judge, on how much of a page is known from the other, and the reverse.
const related = (forward, backward, near, contained) => {
  if (Math.min(forward, backward) >= near) return "near";
  if (forward >= contained) return "contained";
  return backward >= contained ? "contains" : null;
};
