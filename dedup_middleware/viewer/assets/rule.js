// The rule of the judge, on how much of a page is known from the other, and the reverse.
const related = (forward, backward, near, contained) => {
  if (Math.min(forward, backward) >= near) return "near";
  if (forward >= contained) return "contained";
  return backward >= contained ? "contains" : null;
};
/** Return the action on a page of which a share would be lost, at another bound than that of its crawl; facts that differ keep it. */
const boundedAction = (action, loss, facts, was, is) => {
  if (action === "drop") return loss > is ? "tag" : action;
  return action === "tag" && !facts && loss > was && loss <= is ? "drop" : action;
};
