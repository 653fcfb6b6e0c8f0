// Which decisions are listed, and in which order. Long work is done in slices, and dropped when outdated.
const SORTS = {
  doubt: { label: "doubtful drops first", falling: true, key: (rows, row) => (rows.dropped(row) ? 0 : 2) - rows.doubt[row] },
  order: { label: "order of the journal", key: null },
  verdict: { label: "verdict", key: (rows, row) => rows.kind[row] },
  action: { label: "action", key: (rows, row) => rows.action[row] },
  share: { label: "share", key: (rows, row) => (Number.isNaN(rows.share(row)) ? 2 : rows.share(row)) },
  lost: { label: "lost words", falling: true, key: (rows, row) => -rows.lost[row] },
  url: { label: "page", text: (rows, row) => rows.url[row] },
  other: { label: "other page", text: (rows, row) => rows.other(row) ?? "\uffff" },
  time: { label: "time", key: (rows, row) => rows.time[row] },
  ms: { label: "time spent", key: (rows, row) => rows.ms[row] },
  bytes: { label: "size", key: (rows, row) => rows.bytes[row] || 0 },
};
const SLICE = 8; // ms
const NO_CRITERIA = { text: "", kinds: new Set(), action: "", host: "", low: null, high: null, texts: null, flips: null, range: null, cluster: null, doubtful: false };

class Filter {
  constructor(rows, onUpdate) {
    this.rows = rows;
    this.onUpdate = onUpdate;
    this.criteria = { ...NO_CRITERIA };
    this.sort = { name: "doubt", down: false };
    this.orders = new Map();
    this.generation = 0;
  }

  set(change) {
    Object.assign(this.criteria, change);
    return this.update();
  }

  sortBy(name, down) {
    this.sort = { name, down };
    return this.update();
  }

  /** Forget orders of fewer rows. */
  grown() {
    this.orders.clear();
    return this.update();
  }

  /** Apply the criteria; report the first matches at once, and all when they are complete. */
  update() {
    this.settled = this.select();
    return this.settled;
  }

  async select() {
    const generation = (this.generation += 1);
    const { rows } = this;
    const order = this.order();
    const tests = this.tests();
    const view = new Int32Array(rows.count);
    const last = rows.count - 1;
    let found = 0;
    let reported = false;
    let until = performance.now() + SLICE;
    for (let at = 0; at <= last; at += 1) {
      const position = this.sort.down ? last - at : at;
      const row = order ? order[position] : position;
      if (tests.every((test) => test(row))) view[found++] = row;
      if (at % 256 === 255 && performance.now() > until) {
        if (!reported && found > 60) {
          this.onUpdate(view, found, false);
          reported = true;
        }
        await yieldToBrowser();
        if (generation !== this.generation) return;
        until = performance.now() + SLICE;
      }
    }
    this.onUpdate(view, found, true);
  }

  tests() {
    const { rows } = this;
    const { text, kinds, action, host, low, high, texts, flips, range, cluster, doubtful } = this.criteria;
    const tests = [];
    if (range) tests.push((row) => row >= range[0] && row < range[1]);
    if (kinds.size) tests.push((row) => kinds.has(KINDS[rows.kind[row]]));
    if (action === "kept") tests.push((row) => !rows.dropped(row));
    else if (action) tests.push((row) => rows.actionOf(row) === action);
    if (doubtful) tests.push((row) => rows.doubt[row] >= DOUBTFUL);
    if (cluster !== null) tests.push((row) => rows.originalOf(row) === cluster);
    if (host) {
      const wanted = rows.names.hosts.map((name) => name === host || name.endsWith(`.${host}`));
      tests.push((row) => wanted[rows.host[row]]);
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
