// Which decisions would change at other thresholds.
const BINS = 50;

class ThresholdTrial {
  constructor(rows, onChange) {
    this.rows = rows;
    this.near = rows.thresholds.near;
    this.contained = rows.thresholds.contained;
    this.figures = Object.fromEntries([...document.querySelectorAll("[data-threshold]")].map((one) => [one.dataset.threshold, one]));
    for (const [name, element] of Object.entries(this.figures)) {
      const input = element.querySelector("input");
      input.value = this[name];
      input.addEventListener("input", () => {
        this[name] = Number(input.value);
        this.show();
        onChange();
      });
    }
    $("flips-reset").addEventListener("click", () => {
      this.reset();
      onChange();
    });
  }

  reset() {
    for (const name of Object.keys(this.figures)) {
      this[name] = this.rows.thresholds[name];
      this.figures[name].querySelector("input").value = this[name];
    }
    this.show();
  }

  get moved() {
    const { near, contained } = this.rows.thresholds;
    return this.near !== near || this.contained !== contained;
  }

  /** Return the number of the kind that a row would have, plus one; 0 if it would not change. */
  flip(row) {
    const { rows } = this;
    if (!rows.hasThresholds(row)) return 0;
    const { near, contained } = rows.thresholds;
    const forward = rows.forward[row];
    const backward = rows.backward[row];
    const now = related(forward, backward, this.near, this.contained);
    // The journal has rounded shares: a pair on a threshold may seem to be below it.
    if (now === rows.relation(row) || now === related(forward, backward, near, contained)) return 0;
    return 1 + KINDS.indexOf(now ?? "unique");
  }

  draw() {
    const { rows } = this;
    const bins = { near: emptyBins(BINS), contained: emptyBins(BINS) };
    let withThresholds = 0;
    let open = 0;
    for (let row = 0; row < rows.count; row += 1) {
      if (!rows.hasThresholds(row)) continue;
      withThresholds += 1;
      if (rows.stageOf(row) === "shingles") open += 1;
      const low = Math.min(rows.forward[row], rows.backward[row]);
      const high = Math.max(rows.forward[row], rows.backward[row]);
      bins.near[Math.min(BINS - 1, Math.floor(low * BINS + 1e-9))][rows.kind[row]] += 1;
      bins.contained[Math.min(BINS - 1, Math.floor(high * BINS + 1e-9))][rows.kind[row]] += 1;
    }
    this.withThresholds = withThresholds;
    this.open = open;
    for (const [name, element] of Object.entries(this.figures)) this.histogram(element, name, bins[name]);
    this.show();
  }

  histogram(element, name, bins) {
    const tops = bins.map((bin) => bin.reduce((sum, value) => sum + value, 0));
    const most = Math.max(1, ...tops);
    const scale = (value) => Math.sqrt(value / most); // the few that are close to a threshold must be visible
    const values = [];
    for (let value = 1; value < most * 0.6; value *= 10) {
      if (scale(value) - (values.length ? scale(values.at(-1)) : 0) > 0.09) values.push(value);
    }
    const left = 56;
    stacks(element.querySelector(".plot"), {
      bins, scale, left, height: 210, bottom: 42,
      axes: { vertical: "pages", horizontal: name === "near" ? "share of both pages that is the same" : "share of one page that is in the other" },
      title: `${quantity(this.withThresholds, "decision")} by the ${name === "near" ? "smaller" : "larger"} of the two shares, from 0 to 1`,
      tickValues: [...values, most],
      describe: (bin) => `${(bin / BINS).toFixed(2)} to ${((bin + 1) / BINS).toFixed(2)}`,
      marks: (inner, from, foot) => {
        this.figures[name].style.setProperty("--from", `${from * textScale()}px`);
        const labels = [0, 0.2, 0.4, 0.6, 0.8, 1].map((value) => draw("text", {
          x: from + value * inner.width, y: foot + 18, class: "tick", "text-anchor": value === 1 ? "end" : "middle",
        }, String(value)));
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
      const x = Number(line.dataset.from) + value * Number(line.dataset.width);
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    }
    element.querySelector("output").textContent = this[name].toFixed(3).replace(/0$/, "");
  }

  show() {
    const { rows } = this;
    for (const [name, element] of Object.entries(this.figures)) this.move(element, name);
    const kinds = new Map();
    let count = 0;
    let open = 0;
    for (let row = 0; row < rows.count; row += 1) {
      const flip = this.flip(row);
      if (!flip) continue;
      count += 1;
      if (rows.stageOf(row) === "shingles") open += 1;
      const key = `${rows.kindOf(row)}>${KINDS[flip - 1]}`;
      kinds.set(key, (kinds.get(key) || 0) + 1);
    }
    this.count = count;
    $("flips").classList.toggle("still", !this.moved);
    $("flips-count").textContent = this.withThresholds
      ? (this.moved ? `${quantity(count, "decision")} would change` : "No threshold was moved")
      : "No decision of this crawl depends on a threshold";
    $("flips-kinds").replaceChildren(...[...kinds].sort((one, other) => other[1] - one[1]).map(([key, number]) => {
      const [from, to] = key.split(">");
      return make("li", {}, make("b", {}, formatNumber(number)), " ", badge(from), make("span", { class: "arrow", "aria-label": "would be" }, "→"), badge(to));
    }));
    $("flips-show").disabled = !count;
    $("flips-reset").disabled = !this.moved;
    const notes = [];
    if (open) notes.push(`${quantity(open, "of them was", "of them were")} compared by words only, which was enough in the crawl; sentences may keep some from changing.`);
    if (this.moved) notes.push("Computed from the one page that the journal names for each decision.");
    $("flips-note").textContent = notes.join(" ");
    const settings = `DEDUP_NEAR = ${this.near}\nDEDUP_CONTAINED = ${this.contained}`;
    $("flips-settings").replaceChildren(...(this.moved ? [commandBox(settings, "For settings.py:")] : []));
  }
}
