// Whose pages were dropped for whose: drops because of pages on other hosts.
const MOST_PAIRS = 20;
const CROSS_KINDS = ["exact", "near", "contained"];

/** Return the host of a URL as rows name hosts; empty if there is none. */
const hostOfUrl = (() => {
  const known = new Map();
  return (url) => {
    const [start] = /^[^/]*\/\/[^/?#]*/.exec(url) ?? [""];
    if (!known.has(start)) {
      let host = "";
      try {
        host = new URL(start).hostname.replace(/^\[|\]$/g, "");
      } catch { /* no URL */ }
      known.set(start, host);
    }
    return known.get(start);
  };
})();

const droppedForOthers = (rows) => {
  const pairs = new Map();
  for (let row = 0; row < rows.count; row += 1) {
    const kind = rows.kindOf(row);
    if (!rows.dropped(row) || !CROSS_KINDS.includes(kind) || !rows.original[row]) continue;
    const host = rows.hostOf(row);
    const other = hostOfUrl(rows.original[row]);
    if (host === other) continue;
    const key = `${host}\n${other}`;
    if (!pairs.has(key)) pairs.set(key, { host, other, all: 0, exact: 0, near: 0, contained: 0 });
    const pair = pairs.get(key);
    pair[kind] += 1;
    pair.all += 1;
  }
  return [...pairs.values()].sort((one, other) => other.all - one.all || (one.host < other.host ? -1 : 1));
};

const otherHosts = (rows, choose) => {
  const pairs = droppedForOthers(rows);
  const element = $("other-hosts");
  element.hidden = !pairs.length;
  if (!pairs.length) return;
  const kinds = CROSS_KINDS.filter((kind) => pairs.some((pair) => pair[kind]));
  const named = (host) => make("bdi", {}, clean(host || "no host"));
  const lines = pairs.slice(0, MOST_PAIRS).map((pair) => {
    const button = make("button", { type: "button", class: "link", title: "List its pages" }, named(pair.host));
    button.addEventListener("click", () => choose(pair.host));
    return make("tr", {}, make("th", { scope: "row" }, button), make("td", {}, named(pair.other)),
      ...kinds.map((kind) => make("td", {}, pair[kind] ? formatNumber(pair[kind]) : "")), make("td", {}, formatNumber(pair.all)));
  });
  const head = make("tr", {}, ...["Pages of", "were dropped for pages of"].map((text) => make("th", { scope: "col" }, text)),
    ...kinds.map((kind) => make("th", { scope: "col" }, badge(kind))), make("th", { scope: "col" }, "all"));
  const rest = pairs.slice(MOST_PAIRS);
  const more = rest.length ? make("p", { class: "small" }, `and ${quantity(rest.length, "more pair")} of hosts with ${quantity(sum(rest.map((pair) => pair.all)), "drop")}`) : null;
  element.querySelector(".hosts-table").replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines)), ...[more].filter(Boolean));
};
