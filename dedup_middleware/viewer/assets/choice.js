// Which decisions are listed, and in which order. Long work is cut up, and dropped when it is old.
const SORTS = {
  order: { label: "order of the journal", key: null },
  calls: { label: "closest calls first", key: (rows, row) => (rows.ruled(row) ? margin(rows.forward[row], rows.backward[row], rows.thresholds.near, rows.thresholds.contained) : Infinity) },
  verdict: { label: "verdict", key: (rows, row) => rows.kind[row] },
  action: { label: "action", key: (rows, row) => rows.action[row] },
  share: { label: "share", key: (rows, row) => (Number.isNaN(rows.share(row)) ? 2 : rows.share(row)) },
  url: { label: "page", text: (rows, row) => rows.url[row] },
  other: { label: "other page", text: (rows, row) => rows.other(row) ?? "\uffff" },
  time: { label: "time", key: (rows, row) => rows.time[row] },
  ms: { label: "time spent", key: (rows, row) => rows.ms[row] },
  bytes: { label: "size", key: (rows, row) => rows.bytes[row] || 0 },
};
const SLICE = 8; // ms

class Choice {
  constructor(rows, listen) {
    this.rows = rows;
    this.listen = listen;
    this.wanted = { text: "", kinds: new Set(), action: "", host: "", low: null, high: null, texts: null, flips: null, range: null };
    this.sort = { name: "order", down: false };
    this.orders = new Map();
    this.turn = 0;
  }

  want(change) {
    Object.assign(this.wanted, change);
    return this.update();
  }

  sortBy(name, down) {
    this.sort = { name, down };
    return this.update();
  }

  /** Forget what was worked out for fewer rows. */
  grown() {
    this.orders.clear();
    return this.update();
  }

  /** Choose anew; tell of the first finds at once, and of all when they are there. */
  async update() {
    const turn = (this.turn += 1);
    const { rows } = this;
    const order = this.order();
    const tests = this.tests();
    const view = new Int32Array(rows.count);
    const last = rows.count - 1;
    let found = 0;
    let told = false;
    let until = performance.now() + SLICE;
    for (let at = 0; at <= last; at += 1) {
      const place = this.sort.down ? last - at : at;
      const row = order ? order[place] : place;
      if (tests.every((test) => test(row))) view[found++] = row;
      if (at % 256 === 255 && performance.now() > until) {
        if (!told && found > 60) {
          this.listen(view, found, false);
          told = true;
        }
        await breathe();
        if (turn !== this.turn) return;
        until = performance.now() + SLICE;
      }
    }
    this.listen(view, found, true);
  }

  tests() {
    const { rows } = this;
    const { text, kinds, action, host, low, high, texts, flips, range } = this.wanted;
    const tests = [];
    if (range) tests.push((row) => row >= range[0] && row < range[1]);
    if (kinds.size) tests.push((row) => kinds.has(KINDS[rows.kind[row]]));
    if (action) tests.push((row) => rows.actionOf(row) === action);
    if (host) {
      const good = rows.names.hosts.map((name) => name === host || name.endsWith(`.${host}`));
      tests.push((row) => good[rows.host[row]]);
    }
    if (low !== null) tests.push((row) => rows.share(row) >= low);
    if (high !== null) tests.push((row) => rows.share(row) <= high);
    if (texts) tests.push((row) => texts.has(row));
    if (flips) tests.push((row) => flips(row) !== 0);
    for (const word of text.split(/\s+/).filter(Boolean)) {
      const pattern = new RegExp(word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "i");
      const reasons = rows.names.reasons.map((reason) => pattern.test(reason));
      tests.push((row) => pattern.test(rows.url[row]) || reasons[rows.reason[row]] || pattern.test(rows.other(row) ?? ""));
    }
    return tests;
  }

  order() {
    const { name } = this.sort;
    const { key, text } = SORTS[name];
    if (!key && !text) return null;
    if (!this.orders.has(name)) {
      const { rows } = this;
      const order = Int32Array.from({ length: rows.count }, (_, row) => row);
      if (key) {
        const keys = Float64Array.from({ length: rows.count }, (_, row) => {
          const value = key(rows, row);
          return Number.isNaN(value) ? Infinity : value;
        });
        order.sort((one, other) => keys[one] - keys[other] || one - other || 0);
      } else {
        const texts = Array.from({ length: rows.count }, (_, row) => text(rows, row));
        order.sort((one, other) => (texts[one] < texts[other] ? -1 : texts[one] > texts[other] ? 1 : one - other));
      }
      this.orders.set(name, order);
    }
    return this.orders.get(name);
  }
}
