// The figures of the crawl.
const tile = (label, value, note) => make("div", { class: "tile" }, make("dt", {}, label), make("dd", {}, make("b", {}, value), note ? make("span", {}, note) : null));

const tiles = (rows, ends, dryRuns) => {
  const actions = { drop: 0, tag: 0, pass: 0 };
  let spared = 0;
  let copies = 0;
  let spent = 0;
  let lost = 0;
  let words = 0;
  let first = Infinity;
  let last = -Infinity;
  for (let row = 0; row < rows.count; row += 1) {
    const action = rows.actionOf(row);
    actions[action] = (actions[action] || 0) + 1;
    if (action === "drop" && !Number.isNaN(rows.bytes[row])) spared += rows.bytes[row];
    if (action === "tag" && REDUNDANT.has(rows.kindOf(row))) copies += 1;
    if (action === "drop" && rows.words[row]) {
      lost += rows.lost[row];
      words += rows.words[row];
    }
    spent += rows.ms[row];
    if (rows.time[row] < first) first = rows.time[row];
    if (rows.time[row] > last) last = rows.time[row];
  }
  const runs = rows.names.runs.length;
  const dry = rows.names.runs.filter((run) => dryRuns.includes(run)).length;
  const took = last > first ? ` in ${duration((last - first) / 1000)}` : "";
  const all = [
    tile("Pages judged", formatNumber(rows.count), runs > 1 ? `in ${quantity(runs, "run")}` : took.trim()),
    tile(dry && dry === runs ? "Would be dropped" : "Dropped", formatNumber(actions.drop), percent(actions.drop, rows.count)),
    tile("Passed", formatNumber(actions.pass + actions.tag), copies ? `${quantity(copies, "tagged copy", "tagged copies")} among them` : percent(actions.pass + actions.tag, rows.count)),
  ];
  if (words) all.push(tile("Words lost", formatNumber(lost), `of ${formatNumber(words)} in the pages dropped`));
  if (spared) all.push(tile("Not stored or processed", size(spared), "which were fetched"));
  const requests = sum(Object.values(ends).map(([, saved]) => saved));
  if (requests) all.push(tile("Requests not made", formatNumber(requests), "that bring nothing new"));
  all.push(tile("Time spent judging", duration(spent / 1000), rows.count ? `${(spent / rows.count).toFixed(1)} ms a page` : ""));
  $("tiles").replaceChildren(...all);
  const from = Number.isFinite(first) ? `${day(first)}, ${clock(first)}${last > first ? ` to ${day(last) === day(first) ? "" : `${day(last)}, `}${clock(last)}` : ""} UTC` : "";
  const hostNames = rows.names.hosts.filter(Boolean);
  const where = hostNames.length === 1 ? clean(hostNames[0]) : quantity(hostNames.length, "host");
  if (!rows.count) {
    $("when").textContent = "No page has been judged yet";
    return;
  }
  const kind = !dry ? "" : dry === runs ? "dry run" : `${quantity(dry, "dry run")} among them`;
  $("when").textContent = [runs === 1 ? `Run ${clean(rows.names.runs[0])}` : quantity(runs, "run"), kind, where, from].filter(Boolean).join(" · ");
};

/** Show the verdicts with their counts: a legend for the charts, and buttons that filter the list. */
const verdicts = (rows, meanings, chosen, toggle) => {
  const counts = new Array(KINDS.length).fill(0);
  for (let row = 0; row < rows.count; row += 1) counts[rows.kind[row]] += 1;
  $("verdicts").replaceChildren(...KINDS.map((kind, number) => {
    if (!counts[number]) return null;
    const button = make("button", { type: "button", class: `verdict k-${kind}`, "aria-pressed": String(chosen.has(kind)), "data-kind": kind },
      badge(kind), make("span", { class: "verdict-count" }, formatNumber(counts[number]), make("small", {}, ` ${percent(counts[number], rows.count)}`)),
      make("span", { class: "meaning" }, meanings[kind] ?? "a verdict of another version"));
    button.addEventListener("click", () => toggle(kind));
    return button;
  }).filter(Boolean));
};
