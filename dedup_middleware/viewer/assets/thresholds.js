// Which decisions would change with another strictness, or another bound of what may be lost.
const BINS = 50;
const PLOTS = {
  near: { end: 1, of: "share of both pages that is the same", title: "the smaller of the two shares" },
  contained: { end: 1, of: "share of one page that is in the other", title: "the larger of the two shares" },
  max_loss: { end: 0.5, of: "share of a page that would be lost", title: "what would be lost" },
};

class ThresholdTrial {
  constructor(rows, levels, onChange) {
    this.rows = rows;
    this.levels = levels;
    this.figures = Object.fromEntries([...document.querySelectorAll("[data-threshold]")].map((one) => [one.dataset.threshold, one]));
    $("strictness").replaceChildren(...Object.keys(levels).map((name) => make("option", { value: name }, name)));
    if (!this.crawled) $("strictness").prepend(make("option", { value: "" }, "as in the crawl"));
    this.set(rows.thresholds);
    $("strictness").addEventListener("change", () => {
      this.set(levels[$("strictness").value] ?? rows.thresholds);
      this.show();
      onChange();
    });
    $("max_loss").addEventListener("input", () => {
      this.max_loss = Number($("max_loss").value);
      this.show();
      onChange();
    });
    $("flips-reset").addEventListener("click", () => {
      this.reset();
      onChange();
    });
  }

  /** Return the strictness of the crawl; none if it was another version's. */
  get crawled() { return this.named(this.rows.thresholds); }

  named({ near, contained }) {
    return Object.keys(this.levels).find((name) => this.levels[name].near === near && this.levels[name].contained === contained) ?? "";
  }

  set({ near, contained, max_loss }) {
    Object.assign(this, { near, contained, max_loss });
    $("strictness").value = this.named(this);
    $("max_loss").value = max_loss;
  }

  reset() {
    this.set(this.rows.thresholds);
    this.show();
  }

  get moved() { return Object.keys(PLOTS).some((name) => this[name] !== this.rows.thresholds[name]); }

  /** Return the number of what a row would be in FLIPS, plus one; 0 if it would not change. */
  flip(row) {
    const { rows } = this;
    return (rows.hasThresholds(row) && this.flipOfKind(row)) || this.flipOfAction(row);
  }

  flipOfKind(row) {
    const { rows } = this;
    const at = (thresholds) => related(rows.forward[row], rows.backward[row], thresholds, rows.apart(row), rows.wordsLost(row));
    const now = at(this);
    // The journal has rounded shares: a pair on a threshold may seem to be below it.
    if (now === rows.relation(row) || now === at(rows.thresholds)) return 0;
    return 1 + FLIPS.indexOf(now ?? "unique");
  }

  flipOfAction(row) {
    const { rows } = this;
    if (!rows.isBounded(row)) return 0;
    const part = rows.part[row]; // less may be lost while few pages of a host are known
    const now = boundedAction(rows.actionOf(row), rows.loss[row], rows.facts[row], part * rows.thresholds.max_loss, part * this.max_loss);
    return now === rows.actionOf(row) ? 0 : 1 + FLIPS.indexOf(now);
  }

  draw() {
    const { rows } = this;
    const bins = Object.fromEntries(Object.keys(PLOTS).map((name) => [name, emptyBins(BINS)]));
    const add = (name, row, value) => { bins[name][Math.min(BINS - 1, Math.floor((value / PLOTS[name].end) * BINS + 1e-9))][rows.kind[row]] += 1; };
    this.counts = { near: 0, contained: 0, max_loss: 0 };
    for (let row = 0; row < rows.count; row += 1) {
      if (rows.isBounded(row)) {
        this.counts.max_loss += 1;
        add("max_loss", row, rows.loss[row]);
      }
      if (!rows.hasThresholds(row)) continue;
      this.counts.near = this.counts.contained += 1;
      add("near", row, Math.min(rows.forward[row], rows.backward[row]));
      add("contained", row, Math.max(rows.forward[row], rows.backward[row]));
    }
    for (const [name, element] of Object.entries(this.figures)) this.histogram(element, name, bins[name]);
    this.show();
  }

  histogram(element, name, bins) {
    const { end, of, title } = PLOTS[name];
    const most = Math.max(1, ...bins.map(sum));
    const scale = (value) => Math.sqrt(value / most); // the few that are close to a threshold must be visible
    const values = [];
    for (let value = 1; value < most * 0.6; value *= 10) {
      if (scale(value) - (values.length ? scale(values.at(-1)) : 0) > 0.09) values.push(value);
    }
    const left = 56;
    stacks(element.querySelector(".plot"), {
      bins, scale, left, height: 210, bottom: 42,
      axes: { vertical: "pages", horizontal: of },
      title: `${quantity(this.counts[name], "decision")} by ${title}, from 0 to ${end}`,
      tickValues: [...values, most],
      describe: (bin) => `${((end * bin) / BINS).toFixed(2)} to ${((end * (bin + 1)) / BINS).toFixed(2)}`,
      marks: (inner, from, foot) => {
        this.figures[name].style.setProperty("--from", `${from * textScale()}px`);
        this.figures[name].style.setProperty("--to", `${4 * textScale()}px`);
        const labels = [0, 0.2, 0.4, 0.6, 0.8, 1].map((value) => draw("text", {
          x: from + value * inner.width, y: foot + 18, class: "tick", "text-anchor": value === 1 ? "end" : "middle",
        }, String(Math.round(100 * end * value) / 100)));
        const line = (kind) => draw("line", { class: `threshold ${kind}`, y1: 2, y2: foot, "data-from": from, "data-width": inner.width });
        return [...labels, line("was"), line("is")];
      },
    });
    this.move(element, name);
  }

  /** Move the lines of the thresholds to their values. */
  move(element, name) {
    for (const [kind, value] of [["was", this.rows.thresholds[name]], ["is", this[name]]]) {
      const line = element.querySelector(`.threshold.${kind}`);
      if (!line) continue;
      const x = Number(line.dataset.from) + Math.min(1, value / PLOTS[name].end) * Number(line.dataset.width);
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    }
    element.querySelector("output").textContent = this[name].toFixed(3).replace(/0$/, "");
  }

  show() {
    const { rows } = this;
    for (const [name, element] of Object.entries(this.figures)) this.move(element, name);
    const changes = new Map();
    let count = 0;
    let open = 0;
    for (let row = 0; row < rows.count; row += 1) {
      const flip = this.flip(row);
      if (!flip) continue;
      count += 1;
      if (rows.stageOf(row) === "shingles") open += 1;
      const now = FLIPS[flip - 1];
      const key = `${now in ACTIONS ? rows.actionOf(row) : rows.kindOf(row)}>${now}`;
      changes.set(key, (changes.get(key) || 0) + 1);
    }
    this.count = count;
    $("flips").classList.toggle("still", !this.moved);
    $("flips-count").textContent = this.counts.near + this.counts.max_loss
      ? (this.moved ? `${quantity(count, "decision")} would change` : "These are the settings of the crawl")
      : "No decision of this crawl depends on these settings";
    $("flips-kinds").replaceChildren(...[...changes].sort((one, other) => other[1] - one[1]).map(([key, number]) => {
      const [from, to] = key.split(">");
      return make("li", {}, make("b", {}, formatNumber(number)), " ", flipped(from), make("span", { class: "arrow", "aria-label": "would be" }, "→"), flipped(to));
    }));
    $("flips-show").disabled = !count;
    $("flips-reset").disabled = !this.moved;
    const notes = [];
    if (open) notes.push(`${quantity(open, "of them was", "of them were")} compared by words only, which was enough in the crawl; sentences may keep some from changing.`);
    if (this.moved) notes.push("Computed from the one page that the journal names for each decision.");
    $("flips-note").textContent = notes.join(" ");
    $("flips-settings").replaceChildren(...(this.moved ? [commandBox(this.settings(), "For settings.py:")] : []));
  }

  /** Return the settings that are tried, as a project writes them. */
  settings() {
    const name = this.named(this);
    const own = this.max_loss === (this.levels[name] ?? {}).max_loss ? "" : `DEDUP_MAX_LOSS = ${this.max_loss}`;
    return [name ? `DEDUP_STRICTNESS = "${name}"` : "", own].filter(Boolean).join("\n");
  }
}
