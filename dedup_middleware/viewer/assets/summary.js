// What the crawl came to, in a few figures.
const tile = (label, value, note) => make("div", { class: "tile" }, make("dt", {}, label), make("dd", {}, make("b", {}, value), note ? make("span", {}, note) : null));

const tiles = (rows) => {
  const done = { drop: 0, tag: 0, pass: 0 };
  let spared = 0;
  let spent = 0;
  let first = Infinity;
  let last = -Infinity;
  for (let row = 0; row < rows.count; row += 1) {
    const action = rows.actionOf(row);
    done[action] = (done[action] || 0) + 1;
    if (action === "drop" && !Number.isNaN(rows.bytes[row])) spared += rows.bytes[row];
    spent += rows.ms[row];
    if (rows.time[row] < first) first = rows.time[row];
    if (rows.time[row] > last) last = rows.time[row];
  }
  const runs = rows.names.runs.length;
  const took = last > first ? ` in ${span((last - first) / 1000)}` : "";
  const found = [
    tile("Pages judged", figure(rows.count), runs > 1 ? `in ${counted(runs, "run")}` : took.trim()),
    tile("Dropped", figure(done.drop), percent(done.drop, rows.count)),
    tile("Passed", figure(done.pass + done.tag), done.tag ? `${figure(done.tag)} of them tagged` : percent(done.pass, rows.count)),
  ];
  if (spared) found.push(tile("Spared", size(spared), "in dropped pages"));
  found.push(tile("Time spent judging", span(spent / 1000), rows.count ? `${(spent / rows.count).toFixed(1)} ms a page` : ""));
  $("tiles").replaceChildren(...found);
  const from = Number.isFinite(first) ? `${day(first)}, ${clock(first)}${last > first ? ` to ${day(last) === day(first) ? "" : `${day(last)}, `}${clock(last)}` : ""} UTC` : "";
  const hostNames = rows.names.hosts.filter(Boolean);
  const where = hostNames.length === 1 ? shown(hostNames[0]) : counted(hostNames.length, "host");
  if (!rows.count) {
    $("when").textContent = "Nothing has been judged yet";
    return;
  }
  $("when").textContent = [runs === 1 ? `Run ${shown(rows.names.runs[0])}` : counted(runs, "run"), where, from].filter(Boolean).join(" · ");
};

/** The verdicts with their counts: a legend for the charts, and buttons that choose what is listed. */
const verdicts = (rows, meanings, chosen, toggle) => {
  const counts = new Array(KINDS.length).fill(0);
  for (let row = 0; row < rows.count; row += 1) counts[rows.kind[row]] += 1;
  $("verdicts").replaceChildren(...KINDS.map((kind, number) => {
    if (!counts[number]) return null;
    const button = make("button", { type: "button", class: `verdict k-${kind}`, "aria-pressed": String(chosen.has(kind)), "data-kind": kind },
      badge(kind), make("span", { class: "verdict-count" }, figure(counts[number]), make("small", {}, ` ${percent(counts[number], rows.count)}`)),
      make("span", { class: "meaning" }, meanings[kind] ?? "a verdict of another version"));
    button.addEventListener("click", () => toggle(kind));
    return button;
  }).filter(Boolean));
};
