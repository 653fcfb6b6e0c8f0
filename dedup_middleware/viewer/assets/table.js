// The list of decisions: only the rows in sight are in the page.
const CELLS = [
  { name: "verdict", label: "Verdict", sort: "verdict" },
  { name: "action", label: "Action", sort: "action" },
  { name: "share", label: "Share", sort: "share" },
  { name: "page", label: "Page", sort: "url" },
  { name: "other", label: "Original or closest", sort: "other" },
  { name: "when", label: "Time", sort: "time" },
  { name: "ms", label: "Spent", sort: "ms" },
];
const TALLEST = 8_000_000; // px; browsers stop drawing somewhere beyond
const SPARE = 6;
const TAIL = 14;

const PARTS = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/is;
const authority = (url) => (PARTS.exec(url) || ["", ""])[1];

/** Show a URL so that both its ends can be read, however narrow the place. */
const address = (url, { bare }) => {
  const parts = PARTS.exec(url);
  const rest = shown(parts ? parts[2] || "/" : url);
  const cut = rest.length > 2 * TAIL ? rest.length - TAIL : rest.length;
  return [parts && !bare ? make("span", { class: "address-host" }, shown(parts[1])) : null,
    make("span", { class: "address-head" }, rest.slice(0, cut)),
    cut < rest.length ? make("span", { class: "address-tail" }, rest.slice(cut)) : null];
};

class Grid {
  constructor(rows, { open, sort, mark }) {
    this.rows = rows;
    this.open = open;
    this.mark = mark;
    this.view = new Int32Array(0);
    this.length = 0;
    this.at = -1;
    this.place = $("grid");
    this.body = $("rows");
    this.pool = [];
    this.from = 0;
    this.sort = sort;
    this.heads();
    this.place.addEventListener("scroll", () => this.soon());
    new ResizeObserver(() => this.render()).observe(this.place);
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (!row || String(getSelection())) return;
      this.go(Number(row.dataset.at), false);
      this.open();
    });
    this.place.addEventListener("keydown", (event) => {
      if (event.target !== this.place) return;
      const page = Math.max(1, Math.floor(this.sight / this.tall) - 1);
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
      if (event.key in steps) this.go(this.at + steps[event.key]);
      else if (event.key === "Home") this.go(0);
      else if (event.key === "End") this.go(this.length - 1);
      else return;
      event.preventDefault();
    });
  }

  heads() {
    $("head").replaceChildren(...CELLS.map((cell) => make("div", { role: "columnheader", class: `c-${cell.name}`, "data-sort": cell.sort },
      make("button", { type: "button" }, cell.label, make("i", { "aria-hidden": "true" })))));
    $("head").addEventListener("click", (event) => {
      const head = event.target.closest("[data-sort]");
      if (head) this.sort(head.dataset.sort);
    });
  }

  sorted(name, down) {
    for (const head of $("head").children) {
      if (head.dataset.sort === name) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  }

  get current() { return this.at >= 0 && this.at < this.length ? this.view[this.at] : -1; }

  /** Take other rows; the one that was current stays so, if it is still there. */
  show(view, length) {
    const row = this.current;
    const same = this.length && this.view[0] === view[0];
    this.view = view;
    this.length = length;
    this.at = row < 0 ? -1 : view.subarray(0, length).indexOf(row);
    this.place.setAttribute("aria-rowcount", String(length + 1));
    this.place.classList.toggle("empty", !length);
    if (!same && this.at < 0) this.place.scrollTop = 0;
    this.render();
  }

  get tall() { return this.height || (this.height = this.measure()); }

  get sight() { return this.place.clientHeight - $("head").offsetHeight; }

  measure() { return parseFloat(getComputedStyle(this.place).getPropertyValue("--row")) * parseFloat(getComputedStyle(document.documentElement).fontSize) || 40; }

  soon() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.render();
    });
  }

  /** Draw the rows in sight. A very long list is drawn on a shorter way, which is scrolled faster. */
  render() {
    this.height = this.measure();
    const { tall, length } = this;
    const full = length * tall;
    const way = Math.min(full, TALLEST);
    const most = Math.max(1, way - this.sight);
    const top = full > way ? (Math.min(this.place.scrollTop, most) / most) * (full - this.sight) : this.place.scrollTop;
    const first = Math.max(0, Math.floor(top / tall) - SPARE);
    const last = Math.min(length, Math.ceil((top + this.sight) / tall) + SPARE);
    this.body.style.height = `${way}px`;
    while (this.pool.length < last - first) this.pool.push(this.blank());
    this.pool.forEach((row, at) => {
      const place = first + at;
      row.hidden = place >= last;
      if (row.hidden) return;
      row.style.transform = `translateY(${place * tall - top + this.place.scrollTop}px)`;
      this.fill(row, place);
    });
    const current = this.pool.find((row) => !row.hidden && Number(row.dataset.at) === this.at);
    if (current) this.place.setAttribute("aria-activedescendant", current.id);
    else this.place.removeAttribute("aria-activedescendant");
  }

  blank() {
    const row = make("div", { class: "row", role: "row", id: `row-${this.pool.length}` },
      ...CELLS.map((cell) => make("div", { role: "gridcell", class: `c-${cell.name}` })));
    this.body.append(row);
    return row;
  }

  fill(element, place) {
    const { rows } = this;
    const row = this.view[place];
    element.dataset.at = place;
    element.dataset.row = row;
    element.setAttribute("aria-rowindex", String(place + 2));
    element.setAttribute("aria-selected", String(place === this.at));
    const [verdict, action, share_, page, other, when, ms] = element.children;
    const { flip, texts, restored } = this.mark(row);
    verdict.replaceChildren(badge(rows.kindOf(row), rows.kindName(row)), flip ? make("span", { class: "flip", "aria-label": "would be" }, "→ ") : "", flip ? badge(KINDS[flip - 1], "") : "");
    const done = rows.actionOf(row);
    action.textContent = restored ? "told apart" : DONE[done] ?? shown(done);
    action.className = `c-action a-${done in DONE ? done : "other"}${restored ? " a-restored" : ""}`;
    const known = rows.share(row);
    const bar = make("i", { "aria-hidden": "true" });
    bar.style.setProperty("--share", Number.isNaN(known) ? 0 : known);
    share_.replaceChildren(...(Number.isNaN(known) ? [] : [bar, make("span", {}, share(known))]));
    share_.classList.toggle("missed", rows.original[row] === null);
    const alone = rows.names.hosts.length === 1;
    page.title = shown(rows.url[row]);
    page.replaceChildren(make("bdi", { class: "address" }, ...address(rows.url[row], { bare: alone })), texts ? make("span", { class: "has-texts", title: "texts are here", "aria-label": "with texts" }, "¶") : "");
    const second = rows.other(row);
    other.title = second === null || second === undefined ? "" : shown(second);
    other.replaceChildren(second === null || second === undefined ? "" : second === rows.url[row] ? make("span", { class: "self" }, "its earlier self")
      : make("bdi", { class: `address${rows.original[row] === null ? " closest" : ""}` }, ...address(second, { bare: authority(second) === authority(rows.url[row]) })));
    when.textContent = Number.isNaN(rows.time[row]) ? "" : clock(rows.time[row]);
    ms.textContent = rows.ms[row] >= 100 ? `${Math.round(rows.ms[row])} ms` : `${rows.ms[row].toFixed(1)} ms`;
  }

  /** Make another row the current one, and bring it into sight. */
  go(at, scroll = true) {
    if (!this.length) return false;
    const place = Math.max(0, Math.min(this.length - 1, at));
    const moved = place !== this.at;
    this.at = place;
    if (scroll) {
      const full = this.length * this.tall;
      const squeeze = full > TALLEST ? (TALLEST - this.sight) / (full - this.sight) : 1;
      const top = place * this.tall;
      const now = this.place.scrollTop / squeeze;
      if (top < now) this.place.scrollTop = top * squeeze;
      else if (top + this.tall > now + this.sight) this.place.scrollTop = (top + this.tall - this.sight) * squeeze;
    }
    this.render();
    return moved;
  }
}
