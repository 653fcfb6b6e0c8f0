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

const doubtful = (rows, { open, list }) => {
  const { drops, others, least, found } = doubtfulRows(rows);
  const verb = found.length === 1 ? "is" : "are";
  const about = !drops ? "No page was dropped."
    : found.length ? `${drops === 1 ? "The only drop" : `${formatNumber(found.length)} of ${quantity(drops, "drop")}`} ${verb} doubtful: close to a threshold or to what may be lost, measured differently by different measures, or with other numbers or names.`
      : `${drops === 1 ? "The only drop is not doubtful, with" : `None of ${quantity(drops, "drop")} is doubtful: the least sure one has`} a doubt of ${rows.doubt[least].toFixed(2)} of 1.`;
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
  $("doubtful-about").textContent = about;
  $("doubtful-rows").replaceChildren(...items);
  $("doubtful-more").replaceChildren(...[
    drops ? listing(`List all ${quantity(drops, "drop")}`, { action: "drop" }) : null,
    others ? listing(`List ${quantity(others, "doubtful page")} that passed`, { action: "kept", doubtful: true }) : null,
  ].filter(Boolean));
};
