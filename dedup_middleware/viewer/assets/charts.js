// Charts: a path for each verdict, and a tip beside the pointer.
const showTip = (event, lines) => {
  const element = $("tip");
  if (!lines) {
    element.hidden = true;
    return;
  }
  ($("detail").open ? $("detail") : document.body).append(element);
  element.replaceChildren(...lines.map(([text, kind]) => make("p", { class: kind ? `k-${kind}` : "tip-head" }, kind ? badge(kind) : null, text)));
  element.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = element;
  const left = Math.min(event.clientX + 14, innerWidth - width - 8);
  const top = event.clientY + 18 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 18;
  element.style.left = `${Math.max(8, left)}px`;
  element.style.top = `${Math.max(8, top)}px`;
};

/** Return the lines of a tip: what it is about, and how often there is each verdict. */
const tipOf = (about, bin) => [[about], ...bin.map((value, kind) => [formatNumber(value), KINDS[kind], value]).filter((line) => line[2])];

const badge = (kind, name = kind) => {
  const known = KINDS.includes(kind) ? kind : "other";
  return make("span", { class: `badge k-${known}` }, make("b", { "aria-hidden": "true" }, GLYPHS[known]), name ? clean(name) : null);
};

/** Return what a decision would be with another setting: another verdict, or another action. */
const flipped = (name, text) => (name in ACTIONS ? make("span", { class: "action-name" }, ACTIONS[name]) : badge(name, text));

/** Return the factor by which charts grow with the text around them. */
const textScale = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/** Return round numbers for an axis. */
const ticks = (most, about) => {
  const rough = most / Math.max(1, about) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].find((one) => one * power >= rough) * power);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
};

const box = (x, y, width, height) => `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;

/** Draw stacked bars; `bins[bin][kind]` are counts, `scale` maps a count to a share of the height. */
const stacks = (plot, { bins, title, height, left, bottom, scale, tickValues, describe, choose, marks, axes }) => {
  const width = Math.max(220, plot.clientWidth / textScale());
  const inner = { width: width - left - 4, height: height - bottom - 10 };
  const step = inner.width / bins.length;
  const gap = step > 5 ? 1 : 0;
  const paths = KINDS.map(() => "");
  bins.forEach((bin, at) => {
    const total = sum(bin);
    if (!total) return;
    const barHeight = Math.max(1.5, scale(total) * inner.height);
    let y = 10 + inner.height;
    bin.forEach((value, kind) => {
      if (!value) return;
      const part = (barHeight * value) / total;
      y -= part;
      paths[kind] += box(left + at * step, y, Math.max(0.6, step - gap), Math.max(0.4, part - (part > 4 ? 0.8 : 0)));
    });
  });
  const lines = tickValues.map((value) => {
    const y = 10 + inner.height * (1 - scale(value));
    return draw("g", {}, draw("line", { x1: left, x2: width, y1: y, y2: y, class: "rule" }),
      draw("text", { x: left - 6, y: y + 4, class: "tick", "text-anchor": "end" }, formatNumber(value)));
  });
  const drawing = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title },
    ...lines, ...paths.map((d, kind) => (d ? draw("path", { d, class: `fill k-${KINDS[kind]}` }) : null)),
    ...(marks ? marks(inner, left, height - bottom) : []),
    draw("text", { x: 12, y: 10 + inner.height / 2, class: "tick", "text-anchor": "middle", transform: `rotate(-90 12 ${10 + inner.height / 2})` }, axes.vertical),
    draw("text", { x: left + inner.width / 2, y: height - 4, class: "tick", "text-anchor": "middle" }, axes.horizontal));
  const at = (event) => {
    const area = drawing.getBoundingClientRect();
    const bin = Math.floor(((event.clientX - area.left) * (width / area.width) - left) / step);
    return bin >= 0 && bin < bins.length ? bin : -1;
  };
  drawing.addEventListener("pointermove", (event) => {
    const bin = at(event);
    showTip(event, bin < 0 ? null : tipOf(describe(bin), bins[bin]));
  });
  drawing.addEventListener("pointerleave", (event) => showTip(event, null));
  if (choose) {
    drawing.classList.add("clickable");
    drawing.addEventListener("click", (event) => {
      const bin = at(event);
      if (bin >= 0) choose(bin);
    });
  }
  plot.replaceChildren(drawing);
};

const emptyBins = (count) => Array.from({ length: count }, () => new Array(KINDS.length).fill(0));

/** Draw the decisions of the crawl in their order, or over time. */
const timeline = (rows, by, choose) => {
  const element = $("timeline");
  const plot = element.querySelector(".plot");
  const width = Math.max(220, plot.clientWidth / textScale());
  const most = Math.max(1, Math.min(120, Math.floor((width - 50) / 7), Math.max(20, Math.ceil(rows.count / 6))));
  let first = 0;
  let length = Math.max(1, rows.count);
  if (by === "time") {
    let last = -Infinity;
    first = Infinity;
    for (let row = 0; row < rows.count; row += 1) {
      if (rows.time[row] < first) first = rows.time[row];
      if (rows.time[row] > last) last = rows.time[row];
    }
    if (!Number.isFinite(first)) { first = 0; last = 0; }
    length = Math.max(1, last - first + 1);
  }
  const wide = by === "time" ? length / most : Math.max(1, Math.ceil(length / most));
  const bins = emptyBins(by === "time" ? most : Math.ceil(length / wide));
  for (let row = 0; row < rows.count; row += 1) {
    const at = by === "time" ? Math.floor((rows.time[row] - first) / wide) : Math.floor(row / wide);
    if (bins[at]) bins[at][rows.kind[row]] += 1;
  }
  const highest = Math.max(1, ...bins.map(sum));
  const edge = (bin) => (by === "time"
    ? `${day(first + bin * wide)} ${clock(first + bin * wide)}`
    : formatNumber(bin * wide + 1));
  const describe = (bin) => (by === "time"
    ? `from ${edge(bin)} UTC, for ${duration(wide / 1000)}`
    : `decisions ${edge(bin)} to ${formatNumber(Math.min(rows.count, (bin + 1) * wide))}`);
  stacks(plot, {
    bins, height: width > 640 ? 300 : 230, left: 56, bottom: 42, describe,
    axes: { vertical: "pages", horizontal: by === "time" ? `time, UTC, from ${day(first)}` : "pages in the order in which they were judged" },
    title: `${quantity(rows.count, "decision")} ${by === "time" ? "over time" : "in their order"}, stacked by verdict; the table below has the figures`,
    scale: (value) => value / highest,
    tickValues: ticks(highest, 4),
    choose: by === "order" ? (bin) => choose([bin * wide, (bin + 1) * wide]) : null,
    marks: (inner, left, foot) => [
      draw("text", { x: left, y: foot + 18, class: "tick" }, by === "time" ? clock(first) : "1"),
      draw("text", { x: left + inner.width, y: foot + 18, class: "tick", "text-anchor": "end" }, by === "time" ? clock(first + length - 1) : formatNumber(rows.count)),
    ],
  });
  asTable(element.querySelector(".as-table"), "From", bins, edge);
};

/** Fill the table of a chart when it is opened, with at most twenty rows. */
const asTable = (details, head, bins, edge) => {
  const fill = () => {
    if (!details.open) return;
    const kinds = KINDS.map((_, kind) => kind).filter((kind) => bins.some((bin) => bin[kind]));
    const group = Math.max(1, Math.ceil(bins.length / 20));
    const lines = [];
    for (let at = 0; at < bins.length; at += group) {
      const sums = kinds.map((kind) => sum(bins.slice(at, at + group).map((bin) => bin[kind])));
      lines.push(make("tr", {}, make("th", { scope: "row" }, edge(at)), ...sums.map((one) => make("td", {}, formatNumber(one)))));
    }
    details.lastElementChild.replaceChildren(make("table", {},
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, head), ...kinds.map((kind) => make("th", { scope: "col" }, KINDS[kind])))),
      make("tbody", {}, ...lines)));
  };
  details.ontoggle = fill;
  fill();
};

const MOST_GROUPS = 8;

/** Group rows by host; if there is only one host, by the first part of the path. */
const grouped = (rows) => {
  if (rows.names.hosts.length !== 1) return { groups: rows.host, names: rows.names.hosts, sections: false };
  const numbers = new Map();
  const groups = Int32Array.from({ length: rows.count }, (_, row) => {
    const path = (PARTS.exec(rows.url[row]) || ["", "", "/"])[2].split(/[?#]/, 1)[0];
    const end = path.indexOf("/", 1);
    const name = end < 0 ? "/" : path.slice(0, end + 1);
    if (!numbers.has(name)) numbers.set(name, numbers.size);
    return numbers.get(name);
  });
  return { groups, names: [...numbers.keys()], sections: true };
};

/** Show the hosts with most pages; each is a button that lists its pages. */
const hosts = (rows, chosen, choose) => {
  const { groups, names, sections } = grouped(rows);
  const bins = emptyBins(names.length);
  const totals = new Array(names.length).fill(0);
  const drops = new Array(names.length).fill(0);
  for (let row = 0; row < rows.count; row += 1) {
    const group = groups[row];
    bins[group][rows.kind[row]] += 1;
    totals[group] += 1;
    if (rows.dropped(row)) drops[group] += 1;
  }
  const ranked = totals.map((_, group) => group).sort((one, other) => totals[other] - totals[one]);
  const most = totals[ranked[0]] || 1;
  const bars = ranked.slice(0, MOST_GROUPS).map((group) => {
    const name = names[group] || "no host";
    const dropped = `${percent(drops[group], totals[group])} dropped`;
    const bar = barOf(bins[group].map((value, kind) => [`fill k-${KINDS[kind]}`, value]));
    bar.style.width = `${Math.max(0.5, (100 * totals[group]) / most)}%`;
    const pressed = String(chosen === names[group] && chosen !== "");
    const button = make("button", { type: "button", class: "host", "aria-pressed": pressed },
      make("span", { class: "host-name" }, make("bdi", {}, clean(name))),
      make("span", { class: "host-count" }, formatNumber(totals[group]), make("span", { class: "unseen" }, " pages, "), make("small", {}, dropped)),
      make("span", { class: "track" }, bar));
    const lines = tipOf(clean(name), bins[group]);
    button.addEventListener("pointermove", (event) => showTip(event, lines));
    button.addEventListener("pointerleave", (event) => showTip(event, null));
    button.addEventListener("click", () => choose(names[group], sections));
    return button;
  });
  const rest = ranked.slice(MOST_GROUPS);
  if (rest.length) {
    const pages = sum(rest.map((group) => totals[group]));
    bars.push(make("p", { class: "small" }, `and ${quantity(rest.length, sections ? "more part" : "more host")} with ${quantity(pages, "page")}`));
  }
  const element = $("hosts");
  element.querySelector("h2").textContent = sections ? "By part of the site" : "By host";
  element.querySelector(".bars").replaceChildren(...bars);
};
