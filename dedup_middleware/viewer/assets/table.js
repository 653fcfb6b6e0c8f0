// The list of decisions; only visible rows are in the page.
const CELLS = [
  { name: "verdict", label: "Verdict", sort: "verdict" },
  { name: "action", label: "Action", sort: "action" },
  { name: "doubt", label: "Doubt", sort: "doubt", about: "how much the decision needs a second look, from 0 to 1" },
  { name: "share", label: "Share", sort: "share", about: "how much of the page is also in the other" },
  { name: "lost", label: "Lost", sort: "lost", about: "how many of its words the other does not have" },
  { name: "page", label: "Page", sort: "url" },
  { name: "other", label: "Original or closest", sort: "other" },
  { name: "when", label: "Time", sort: "time" },
];
const TALLEST = 8_000_000; // px; browsers don't draw taller elements
const SPARE = 6;
const TAIL = 14;

const PARTS = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/is;
const authority = (url) => (PARTS.exec(url) || ["", ""])[1];

/** Return the parts of a URL, so that both its ends can be read in a narrow cell; without the folder that all pages are in. */
const address = (url, { bare, folder = "" }) => {
  const parts = PARTS.exec(url);
  const within = folder.length > authority(folder).length + "https://".length + 1 && url.startsWith(folder) && url !== folder;
  const rest = within ? `…/${clean(url.slice(folder.length))}` : clean(parts ? parts[2] || "/" : url);
  const cut = rest.length > 2 * TAIL ? rest.length - TAIL : rest.length;
  return [parts && !bare && !within ? make("span", { class: "address-host" }, clean(parts[1])) : null,
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
    this.element = $("grid");
    this.body = $("rows");
    this.pool = [];
    this.from = 0;
    this.sort = sort;
    this.drawHead();
    this.element.addEventListener("scroll", () => this.renderSoon());
    new ResizeObserver(() => this.render()).observe(this.element);
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (!row || String(getSelection())) return;
      this.go(Number(row.dataset.at), false);
      this.open();
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.target !== this.element) return;
      const page = Math.max(1, Math.floor(this.visibleHeight / this.rowHeight) - 1);
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
      if (event.key in steps) this.go(this.at + steps[event.key]);
      else if (event.key === "Home") this.go(0);
      else if (event.key === "End") this.go(this.length - 1);
      else return;
      event.preventDefault();
    });
  }

  drawHead() {
    $("head").replaceChildren(...CELLS.map((cell) => make("div", { role: "columnheader", class: `c-${cell.name}`, "data-sort": cell.sort, title: cell.about },
      make("button", { type: "button" }, cell.label, make("i", { "aria-hidden": "true" })))));
    $("head").addEventListener("click", (event) => {
      const head = event.target.closest("[data-sort]");
      if (head) this.sort(head.dataset.sort);
    });
  }

  markSorted(name, down) {
    for (const head of $("head").children) {
      if (head.dataset.sort === name) head.setAttribute("aria-sort", down !== Boolean(SORTS[name].falling) ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  }

  get current() { return this.at >= 0 && this.at < this.length ? this.view[this.at] : -1; }

  /** Show other rows; the current row stays current if it is among them. */
  show(view, length) {
    const row = this.current;
    const same = this.length && this.view[0] === view[0];
    this.view = view;
    this.length = length;
    this.at = row < 0 ? -1 : view.subarray(0, length).indexOf(row);
    this.element.setAttribute("aria-rowcount", String(length + 1));
    this.element.classList.toggle("empty", !length);
    if (!same && this.at < 0) this.element.scrollTop = 0;
    this.render();
  }

  get rowHeight() { return this.height || (this.height = this.measure()); }

  get visibleHeight() { return this.element.clientHeight - $("head").offsetHeight; }

  measure() { return parseFloat(getComputedStyle(this.element).getPropertyValue("--row")) * parseFloat(getComputedStyle(document.documentElement).fontSize) || 40; }

  renderSoon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.render();
    });
  }

  /** Draw the visible rows. A very long list gets a shorter scroll range, which is scrolled faster. */
  render() {
    this.height = this.measure();
    const { rowHeight, length } = this;
    const full = length * rowHeight;
    const range = Math.min(full, TALLEST);
    const most = Math.max(1, range - this.visibleHeight);
    const top = full > range ? (Math.min(this.element.scrollTop, most) / most) * (full - this.visibleHeight) : this.element.scrollTop;
    const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
    const last = Math.min(length, Math.ceil((top + this.visibleHeight) / rowHeight) + SPARE);
    this.body.style.height = `${range}px`;
    while (this.pool.length < last - first) this.pool.push(this.blank());
    this.pool.forEach((row, at) => {
      const position = first + at;
      row.hidden = position >= last;
      if (row.hidden) return;
      row.style.transform = `translateY(${position * rowHeight - top + this.element.scrollTop}px)`;
      this.fill(row, position);
    });
    const current = this.pool.find((row) => !row.hidden && Number(row.dataset.at) === this.at);
    if (current) this.element.setAttribute("aria-activedescendant", current.id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  blank() {
    const row = make("div", { class: "row", role: "row", id: `row-${this.pool.length}` },
      ...CELLS.map((cell) => make("div", { role: "gridcell", class: `c-${cell.name}` })));
    this.body.append(row);
    return row;
  }

  fill(element, position) {
    const { rows } = this;
    const row = this.view[position];
    element.dataset.at = position;
    element.dataset.row = row;
    element.setAttribute("aria-rowindex", String(position + 2));
    element.setAttribute("aria-selected", String(position === this.at));
    const [verdict, action, doubt, share_, lost, page, other, when] = element.children;
    const { flip, texts, restored } = this.mark(row);
    verdict.replaceChildren(badge(rows.kindOf(row), rows.kindName(row)), flip ? make("span", { class: "flip", "aria-label": "would be" }, "→ ") : "", flip ? flipped(FLIPS[flip - 1], "") : "");
    const taken = rows.actionOf(row);
    action.textContent = restored ? "restored" : ACTIONS[taken] ?? clean(taken);
    action.className = `c-action a-${taken in ACTIONS ? taken : "other"}${restored ? " a-restored" : ""}`;
    doubt.replaceChildren(...(rows.doubt[row] > 0 ? [doubtMeter(rows.doubt[row])] : []));
    const known = rows.share(row);
    const bar = make("i", { "aria-hidden": "true" });
    bar.style.setProperty("--share", Number.isNaN(known) ? 0 : known);
    share_.replaceChildren(...(Number.isNaN(known) ? [] : [bar, make("span", {}, share(known))]));
    share_.classList.toggle("missed", rows.original[row] === null);
    lost.textContent = Number.isNaN(rows.lost[row]) ? "" : formatNumber(rows.lost[row]);
    const alone = rows.names.hosts.length === 1;
    page.title = clean(rows.url[row]);
    page.replaceChildren(make("bdi", { class: "address" }, ...address(rows.url[row], { bare: alone, folder: rows.folder })), texts ? make("span", { class: "has-texts", title: "its texts are in this file", "aria-label": "with texts" }, "¶") : "");
    const second = rows.other(row);
    other.title = second === null || second === undefined ? "" : clean(second);
    other.replaceChildren(second === null || second === undefined ? "" : second === rows.url[row] ? make("span", { class: "self" }, "its earlier version")
      : make("bdi", { class: `address${rows.original[row] === null ? " closest" : ""}` }, ...address(second, { bare: authority(second) === authority(rows.url[row]), folder: rows.folder })));
    when.textContent = Number.isNaN(rows.time[row]) ? "" : clock(rows.time[row]);
  }

  /** Give the list the focus, and scroll the page to it. */
  reveal() {
    this.element.focus({ preventScroll: true });
    const { top, bottom } = this.element.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) this.element.scrollIntoView({ block: "nearest" });
  }

  /** Make a row the current one, if it is listed; return whether it is. */
  goTo(row) {
    const at = this.view.subarray(0, this.length).indexOf(row);
    if (at >= 0) this.go(at);
    return at >= 0;
  }

  /** Move to where the rows are now; `place` returns that for a row. */
  moved(place) {
    const current = place(this.current);
    this.view = this.view.subarray(0, this.length).map(place).filter((row) => row >= 0);
    this.length = this.view.length;
    this.at = current < 0 ? -1 : this.view.indexOf(current);
  }

  /** Make another row the current one, and scroll to it; return true if it is another. */
  go(at, scroll = true) {
    if (!this.length) return false;
    const position = Math.max(0, Math.min(this.length - 1, at));
    const moved = position !== this.at;
    this.at = position;
    if (scroll) {
      const full = this.length * this.rowHeight;
      const squeeze = full > TALLEST ? (TALLEST - this.visibleHeight) / (full - this.visibleHeight) : 1;
      const top = position * this.rowHeight;
      const now = this.element.scrollTop / squeeze;
      if (top < now) this.element.scrollTop = top * squeeze;
      else if (top + this.rowHeight > now + this.visibleHeight) this.element.scrollTop = (top + this.rowHeight - this.visibleHeight) * squeeze;
    }
    this.render();
    return moved;
  }
}
