// Whole sites: what need not be fetched, by which rules, and what these rest on.
const shapeBar = ({ name, about, examples, fetched, new: found, redundant, left }) => {
  const fresh = left ? 0 : found; // pages of a trap may differ in digits
  const bar = barOf([["part-new", fresh], ["part-redundant", redundant], ["part-other", Math.max(0, fetched - fresh - redundant)]]);
  const [example] = examples;
  return make("div", { class: "shape" },
    make("p", {}, make("bdi", { class: "site-name" }, clean(name)), make("span", {}, `${left ? "a trap, " : `${formatNumber(fresh)} new of `}${quantity(fetched, "page")}`)),
    make("div", { class: "track", "aria-hidden": "true" }, bar),
    make("p", { class: "small" }, clean(about), example ? ", e.g. " : null, example ? linkTo(example) : null));
};

const siteFinding = ({ what, name, about, sign, examples }) => {
  const urls = examples.slice(0, 2).map((url, at) => make("p", { class: "small" }, at ? `${clean(sign)} ` : null, linkTo(url)));
  return make("li", {}, make("p", {}, make("b", {}, clean(what)), " ", make("bdi", { class: "site-name" }, clean(name))), make("p", { class: "small" }, clean(about)), ...urls);
};

// what was found has an example, which is a sentence or begins with a number
const isExample = (text) => /^[^a-z]/.test(text);

const sites = (known, commands) => {
  const { lines, shapes, found, more } = known ?? { lines: [], shapes: [], found: [], more: [0, 0] };
  $("sites").hidden = !(lines.length || shapes.length || found.length);
  if ($("sites").hidden) return;
  $("sites-lines").replaceChildren(...lines.map(([name, figure, text]) => make("div", {}, make("dt", {}, clean(name)), make("dd", {}, make("b", {}, clean(figure)), `${isExample(text) ? figure === "1" ? ": " : ", such as: " : " "}${clean(text)}`))));
  const rest = (count, noun) => (count ? [make("p", { class: "small" }, `and ${quantity(count, noun)} more`)] : []);
  $("sites-shapes").hidden = !shapes.length;
  $("sites-shapes").querySelector(".bars").replaceChildren(...shapes.map(shapeBar), ...rest(more[0], "shape"));
  $("sites-found").hidden = !found.length;
  $("sites-found").querySelector("ul").replaceChildren(...found.map(siteFinding));
  $("sites-command").replaceChildren(...rest(more[1], "finding"), commandBox(commands.sites(), "List all that is known, withdraw a rule or pin one:"));
};
