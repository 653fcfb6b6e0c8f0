// Pages with their copies.
const MOST_CLUSTERS = 8;
const MOST_COPIES = 10;

/** Return the pages that have copies among the drops, those with most copies first. */
const clustersOf = (rows) => {
  const found = new Map();
  for (let row = 0; row < rows.count; row += 1) {
    const original = rows.originalOf(row);
    if (original === null) continue;
    if (!found.has(original)) found.set(original, new Map());
    const copies = found.get(original);
    if (!copies.has(rows.url[row])) copies.set(rows.url[row], row); // a URL counts once, with its first decision
  }
  return [...found].map(([original, copies]) => ({ original, copies: [...copies.values()] }))
    .sort((one, other) => other.copies.length - one.copies.length);
};

const clusters = (rows, { open, list }, most = MOST_CLUSTERS) => {
  const all = clustersOf(rows);
  const opened = new Set([...document.querySelectorAll("#clusters-list details[open]")].map((one) => one.dataset.original));
  const bare = rows.names.hosts.length === 1;
  const fill = (details, { original, copies }) => {
    const items = copies.slice(0, MOST_COPIES).map((row) => {
      const button = make("button", { type: "button", class: "link" }, badge(rows.kindOf(row), ""), make("bdi", { class: "address", title: clean(rows.url[row]) }, ...address(rows.url[row], { bare, folder: rows.folder })));
      button.addEventListener("click", () => open(row));
      return make("li", {}, button);
    });
    const listAll = make("button", { type: "button" }, copies.length === 1 ? "List it" : `List all ${formatNumber(copies.length)}`);
    listAll.addEventListener("click", () => list(original));
    details.lastElementChild.replaceChildren(make("p", { class: "small" }, linkTo(original)), make("ul", {}, ...items), make("p", { class: "actions" }, listAll));
  };
  $("clusters-list").replaceChildren(...all.slice(0, most).map((cluster) => {
    const details = make("details", { "data-original": cluster.original }, make("summary", {},
      make("span", { class: "copies" }, quantity(cluster.copies.length, "copy", "copies")),
      make("bdi", { class: "address" }, ...address(cluster.original, { bare, folder: rows.folder }))), make("div"));
    details.addEventListener("toggle", () => { if (details.open) fill(details, cluster); });
    details.open = opened.has(cluster.original);
    return details;
  }));
  const copies = sum(all.map((cluster) => cluster.copies.length));
  $("clusters").hidden = !all.length;
  $("clusters-about").textContent = `${quantity(copies, "page")} ${copies === 1 ? "was" : "were"} dropped as ${copies === 1 ? "a copy" : "copies"} of ${quantity(all.length, "page")}.`;
  const more = make("button", { type: "button" }, "Show more");
  more.addEventListener("click", () => clusters(rows, { open, list }, 4 * most));
  $("clusters-more").replaceChildren(...(all.length > most ? [more] : []));
};
