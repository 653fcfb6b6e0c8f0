// The rule of the judge, on how much of a page is known from the other, and the reverse; facts that differ have taken a part from both.
const GROWN = 2;
const NOTHING_LOST = 0.03;
const related = (forward, backward, { near, contained, max_loss }, apart = 0, words = 1) => {
  if (Math.min(forward, backward) >= near) return Math.min(1 - forward - apart, words) > GROWN * max_loss && 1 - backward - apart <= NOTHING_LOST ? "contains" : "near";
  if (forward >= contained) return "contained";
  return backward >= contained ? "contains" : null;
};
/** Return the action on a page of which a share would be lost, at another bound than that of its crawl; facts that differ keep it. */
const boundedAction = (action, loss, facts, was, is) => {
  if (action === "drop") return loss > is ? "tag" : action;
  return action === "tag" && !facts && loss > was && loss <= is ? "drop" : action;
};
