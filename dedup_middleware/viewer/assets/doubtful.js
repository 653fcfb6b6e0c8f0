// The drops that a person should look at first.
const DOUBTFUL = 0.25;
const MOST_DOUBTFUL = 8;

/** Return how many drops there are, how many of them and of other pages are doubtful, and the most doubtful drops. */
const doubtfulRows = (rows) => {
  let drops = 0;
  let others = 0;
  const found = [];
  let least = -1;
  for (let row = 0; row < rows.count; row += 1) {
    const doubtful = rows.doubt[row] >= DOUBTFUL;
    if (!rows.dropped(row)) {
      if (doubtful) others += 1;
      continue;
    }
    drops += 1;
    if (doubtful) found.push(row);
    if (least < 0 || rows.doubt[row] > rows.doubt[least]) least = row;
  }
  found.sort((one, other) => rows.doubt[other] - rows.doubt[one] || one - other);
  return { drops, others, least, found };
};

const doubtMeter = (value) => {
  const bar = make("i", { "aria-hidden": "true" });
  bar.style.setProperty("--share", value);
  return make("span", { class: "doubt" }, bar, make("span", {}, value.toFixed(2)));
};

/** Say in one sentence whether there is something to look at. */
const headline = (drops, doubtful, dry) => {
  const dropped = dry ? "would be dropped" : drops === 1 ? "was dropped" : "were dropped";
  const look = doubtful === drops ? (drops === 1 ? "it is doubtful: look at it" : "all are doubtful: look at them")
    : doubtful ? `look at the ${doubtful === 1 ? "one that is" : `${formatNumber(doubtful)} that are`} doubtful`
      : "nothing is doubtful, nothing needs a look";
  const what = drops ? `${quantity(drops, "page")} ${dropped}; ${look}.` : `No page ${dry ? "would be" : "was"} dropped: there is nothing to look at.`;
  return dry ? `A dry run, in which nothing was dropped: ${what[0].toLowerCase()}${what.slice(1)}` : what;
};

const doubtful = (rows, { open, list, dry }) => {
  const { drops, others, least, found } = doubtfulRows(rows);
  const about = found.length ? "These are close to a threshold, lose nearly as much as may be lost, differ in numbers or names, or are measured differently by different measures."
    : drops ? `No drop is doubtful: the least sure one has a doubt of ${rows.doubt[least].toFixed(2)} of 1.` : "No page was dropped.";
  const items = found.slice(0, MOST_DOUBTFUL).map((row) => {
    const bare = rows.names.hosts.length === 1;
    const other = rows.other(row) ?? "";
    const button = make("button", { type: "button", class: "doubtful-row" },
      doubtMeter(rows.doubt[row]), badge(rows.kindOf(row), rows.kindName(row)),
      make("span", { class: "pair-of-pages" }, make("bdi", { class: "address", title: clean(rows.url[row]) }, ...address(rows.url[row], { bare, folder: rows.folder })),
        make("span", { class: "for" }, make("span", { class: "for-word" }, "for "), make("bdi", { class: "address", title: clean(other) }, ...address(other, { bare: authority(other) === authority(rows.url[row]), folder: rows.folder })))));
    button.addEventListener("click", () => open(row));
    return make("li", {}, button);
  });
  const listing = (text, criteria) => {
    const button = make("button", { type: "button" }, text);
    button.addEventListener("click", () => list(criteria));
    return button;
  };
  $("headline").textContent = headline(drops, found.length, dry);
  $("doubtful").hidden = !found.length && !others;
  $("doubtful-title").textContent = found.length ? "Look at these drops first" : "Doubtful pages that passed";
  $("doubtful-about").textContent = about;
  $("doubtful-rows").replaceChildren(...items);
  $("doubtful-more").replaceChildren(...[
    drops ? listing(drops === 1 ? "List the drop" : `List all ${quantity(drops, "drop")}`, { action: "drop" }) : null,
    others ? listing(`List ${quantity(others, "doubtful page")} that passed`, { action: "kept", doubtful: true }) : null,
  ].filter(Boolean));
};
