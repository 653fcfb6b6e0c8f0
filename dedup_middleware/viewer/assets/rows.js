// Decisions as typed columns: a hundred thousand objects would be slow, and large.
const KINDS = ["exact", "unchanged", "near", "contained", "contains", "updated", "unique", "other"];
const GLYPHS = { exact: "=", unchanged: "↺", near: "≈", contained: "⊂", contains: "⊃", updated: "△", unique: "○", other: "?" };
const ACTIONS = { __proto__: null, drop: "dropped", tag: "tagged", pass: "passed" };
const NAMED = { runs: "run", hosts: "host", kinds: "name", actions: "action", stages: "stage", reasons: "reason" };
const COLUMNS = {
  run: Int32Array, host: Int32Array, name: Int32Array, action: Int32Array, stage: Int32Array,
  reason: Int32Array, kind: Uint8Array, seq: Float64Array, time: Float64Array, score: Float64Array,
  forward: Float64Array, backward: Float64Array, ms: Float32Array, bytes: Float64Array, doubt: Float32Array,
  loss: Float64Array, lost: Float64Array, words: Float64Array, facts: Uint8Array, part: Float64Array,
};
const FLIPS = [...KINDS, ...Object.keys(ACTIONS)]; // what another setting may make of a decision
const REDUNDANT = new Set(["exact", "unchanged", "near", "contained"]);
const OTHER_URL = "\0"; // replaces the URL of the other page in a reason

class Rows {
  constructor() {
    this.count = 0;
    this.names = Object.fromEntries(Object.keys(NAMED).map((list) => [list, []]));
    this.numbers = Object.fromEntries(Object.keys(NAMED).map((list) => [list, new Map()]));
    for (const [name, Type] of Object.entries(COLUMNS)) this[name] = new Type(0);
    this.url = [];
    this.original = [];
    this.closest = [];
    this.last = 0; // of the numbers that the server has given
    this.heirs = new Map();
    this.folder = null; // what all URLs begin with, up to a slash
    this.thresholds = { near: 0.72, contained: 0.8, max_loss: 0.05 };
    this.restored = new Set();
  }

  /** Append rows, as they come from the server or the file; return how many. */
  append(batch) {
    const { columns } = batch;
    const base = this.count;
    const more = columns.url ? columns.url.length : 0;
    this.reserve(base + more);
    for (const [list, column] of Object.entries(NAMED)) {
      const numbers = batch[list].map((name) => this.number(list, name));
      const from = columns[column === "name" ? "kind" : column] || [];
      for (let at = 0; at < more; at += 1) this[column][base + at] = numbers[from[at]];
    }
    const kinds = this.names.kinds.map((name) => (KINDS.includes(name) ? KINDS.indexOf(name) : KINDS.length - 1));
    const number = (value) => (value === null ? NaN : value);
    const urls = columns.url || [];
    const resolve = (value) => (typeof value === "number" ? urls[value] : value);
    for (let at = 0; at < more; at += 1) {
      const row = base + at;
      const known = columns.known[at];
      this.kind[row] = kinds[this.name[row]];
      this.seq[row] = columns.seq[at];
      this.time[row] = number(columns.time[at]);
      this.score[row] = number(columns.score[at]);
      this.forward[row] = known ? known[0] : NaN;
      this.backward[row] = known ? known[1] : NaN;
      this.ms[row] = columns.ms[at];
      this.bytes[row] = number(columns.bytes[at]);
      this.doubt[row] = columns.doubt[at];
      [this.loss[row], this.lost[row], this.words[row], this.facts[row], this.part[row]] = columns.lost[at] ?? [NaN, NaN, NaN, 0, 1];
      this.url.push(urls[at]);
      this.narrow(urls[at]);
      this.original.push(resolve(columns.original[at]));
      this.closest.push(resolve(columns.closest[at]));
    }
    for (const [at, url] of batch.supersedes) {
      this.heirs.set(url, urls[at]);
      this.heirs.delete(urls[at]); // a page may get its place back
    }
    this.count += more;
    this.last = batch.last ?? 0;
    this.thresholds = batch.thresholds;
    this.restored = new Set(batch.restored.map((pair) => pair.join("\n")));
    return more;
  }

  /** Remove decisions that were overruled, given as runs and numbers; return where a row is now, or null if none was removed. */
  remove(overruled) {
    const gone = new Set(overruled.map(([run, seq]) => `${this.numbers.runs.get(run)}/${seq}`));
    const places = new Int32Array(this.count);
    let kept = 0;
    for (let row = 0; row < this.count; row += 1) {
      const stays = !gone.has(`${this.run[row]}/${this.seq[row]}`);
      places[row] = stays ? kept : -1;
      if (!stays) continue;
      if (kept !== row) {
        for (const name of Object.keys(COLUMNS)) this[name][kept] = this[name][row];
        for (const name of ["url", "original", "closest"]) this[name][kept] = this[name][row];
      }
      kept += 1;
    }
    if (kept === this.count) return null;
    this.count = kept;
    for (const name of ["url", "original", "closest"]) this[name].length = kept;
    return (row) => (row < 0 ? -1 : places[row]);
  }

  reserve(count) {
    if (count <= this.run.length) return;
    const room = Math.max(count, 2 * this.run.length);
    for (const [name, Type] of Object.entries(COLUMNS)) {
      const grown = new Type(room);
      grown.set(this[name]);
      this[name] = grown;
    }
  }

  /** Shorten what all URLs begin with to what one of them begins with. */
  narrow(url) {
    if (this.folder === null) this.folder = url.slice(0, url.search(/[?#]|$/));
    if (this.folder.endsWith("/") && url.startsWith(this.folder)) return;
    let at = 0;
    while (at < this.folder.length && this.folder[at] === url[at]) at += 1;
    this.folder = this.folder.slice(0, this.folder.lastIndexOf("/", at - 1) + 1);
  }

  number(list, name) {
    const numbers = this.numbers[list];
    let number = numbers.get(name);
    if (number === undefined) {
      number = this.names[list].push(name) - 1;
      numbers.set(name, number);
    }
    return number;
  }

  kindOf(row) { return KINDS[this.kind[row]]; }
  kindName(row) { return this.names.kinds[this.name[row]]; }
  actionOf(row) { return this.names.actions[this.action[row]]; }
  stageOf(row) { return this.names.stages[this.stage[row]]; }
  hostOf(row) { return this.names.hosts[this.host[row]]; }
  runOf(row) { return this.names.runs[this.run[row]]; }
  other(row) { return this.original[row] ?? this.closest[row]; }
  pair(row) { return `${this.url[row]}\n${this.other(row)}`; }
  /** Return the reason; the original is named elsewhere on the page. */
  reasonOf(row) {
    return this.names.reasons[this.reason[row]].replaceAll(OTHER_URL, () => (this.original[row] === null ? this.closest[row] : "the original"));
  }
  /** Return how much of the page is known from the other, NaN if that was not measured. */
  share(row) { return Number.isNaN(this.score[row]) ? this.forward[row] : this.score[row]; }
  dropped(row) { return this.actionOf(row) === "drop"; }
  /** Return the page that has the place of another now. */
  standing(url) {
    const seen = new Set();
    while (this.heirs.has(url) && !seen.has(url)) {
      seen.add(url);
      url = this.heirs.get(url);
    }
    return url;
  }
  /** Return the page that a dropped page is a copy of; null if it is none. */
  originalOf(row) {
    if (!this.dropped(row) || this.original[row] === null) return null;
    const original = this.standing(this.original[row]);
    return original === this.url[row] ? null : original;
  }
  /** Return true if the judge's thresholds decided; published methods have their own. */
  hasThresholds(row) { return !Number.isNaN(this.forward[row]) && this.stageOf(row) !== "method"; }
  /** Return what facts that differ have taken from both shares; 0 where what is lost was not measured. */
  apart(row) {
    const apart = 1 - this.loss[row] - this.forward[row];
    return apart > 0.001 ? apart : 0; // less is rounding
  }
  /** Return the share of the words of a page that would be lost; all of them where that was not measured. */
  wordsLost(row) { return this.words[row] > 0 ? this.lost[row] / this.words[row] : 1; }
  /** Return true if the bound of what may be lost had a say in the action. */
  isBounded(row) { return !Number.isNaN(this.loss[row]) && this.relation(row) !== null && this.kindOf(row) !== "contains"; }
  /** Return how the pages relate by the verdict; null if they don't. */
  relation(row) {
    const kind = this.kindOf(row);
    return kind === "near" || kind === "contained" || kind === "contains" ? kind : null;
  }
}
