// One decision: the verdict, its reason, a button to restore the page, and the evidence.
class Detail {
  constructor(rows, grid, source, page) {
    this.rows = rows;
    this.grid = grid;
    this.source = source;
    this.page = page;
    this.commands = new Commands(page);
    this.element = $("detail");
    this.row = -1;
    this.generation = 0;
    this.hidePair = () => {};
    this.next = null; // what gets the focus when it is closed, if not the list
    $("previous").addEventListener("click", () => this.step(-1));
    $("next").addEventListener("click", () => this.step(1));
    $("close").addEventListener("click", () => this.element.close());
    for (const kind of ["keydown", "cancel"]) { // browsers do not always send the latter
      this.element.addEventListener(kind, (event) => {
        if ((event.key ?? "Escape") === "Escape" && this.closeTop()) event.preventDefault();
      });
    }
    this.element.addEventListener("close", () => {
      this.generation += 1;
      this.row = -1;
      $("evidence").replaceChildren();
      $("pair").hidden = true;
      showTip(null, null);
      document.body.append($("announcement"), $("tip"));
      history.replaceState(null, "", location.pathname + location.search);
      (this.next ?? grid.element).focus({ preventScroll: !this.next });
      this.next = null;
    });
    this.element.addEventListener("click", (event) => {
      if (event.target === this.element) this.element.close();
    });
  }

  /** Close what is on top of the decision; return true if there was something. */
  closeTop() {
    if (!$("pair").hidden) {
      this.hidePair();
      return true;
    }
    const box = this.element.querySelector(".prompt");
    if (box && box.childElementCount) {
      box.replaceChildren();
      $("detail-body").focus();
      return true;
    }
    return false;
  }

  get isOpen() { return this.element.open; }

  /** Close the decision, and go on elsewhere. */
  leaveFor(element) {
    this.next = element;
    this.element.close();
  }

  open() {
    const row = this.grid.current;
    if (row < 0) return;
    if (!this.isOpen) {
      this.element.showModal();
      $("detail-body").focus();
    }
    this.show(row);
  }

  step(by) {
    if (!this.grid.go(this.grid.at + by)) {
      announce(by > 0 ? "This is the last one" : "This is the first one");
      return;
    }
    if (this.isOpen) this.show(this.grid.current);
  }

  /** Follow a decision to where it is now; one that was overruled is closed. */
  moved(place) {
    if (this.row < 0) return;
    this.row = place(this.row);
    if (this.row < 0) {
      this.element.close();
      announce("This decision was overruled by a later one");
    }
  }

  /** Show the position in the list, which may have grown. */
  showPosition() {
    $("detail-position").textContent = this.grid.at < 0 ? "" : `${formatNumber(this.grid.at + 1)} of ${formatNumber(this.grid.length)}`;
    $("previous").disabled = this.grid.at <= 0;
    $("next").disabled = this.grid.at >= this.grid.length - 1;
  }

  show(row) {
    this.row = row;
    this.showPosition();
    const { rows } = this;
    history.replaceState(null, "", `#${encodeURIComponent(rows.runOf(row))}/${rows.seq[row]}`);
    $("detail-title").textContent = `${rows.kindName(row)}: ${clean(rows.url[row])}`;
    $("decision").replaceChildren(...this.decision(row));
    $("detail-body").scrollTop = 0;
    $("pair").hidden = true;
    this.evidence(row);
  }

  decision(row) {
    const { rows } = this;
    const other = rows.other(row);
    const name = (label, url, extra) => make("div", { class: "page-name" }, make("dt", {}, label), make("dd", {}, url === null ? extra : linkTo(url)));
    const names = [name("Page", rows.url[row])];
    if (other === rows.url[row]) names.push(name("Original", null, "the same URL, as it was last seen"));
    else if (other !== null && other !== undefined) names.push(name(rows.original[row] === null ? "Closest" : "Original", other));
    return [
      make("p", { class: "verdict-line" }, badge(rows.kindOf(row), rows.kindName(row)),
        make("span", { class: "action-taken" }, ACTIONS[rows.actionOf(row)] ?? clean(rows.actionOf(row))),
        make("span", { class: "meaning" }, this.page.meanings.verdicts[rows.kindName(row)] ?? "")),
      make("dl", { class: "page-names" }, ...names),
      make("p", { class: "reason", dir: "auto" }, clean(rows.reasonOf(row))),
      this.facts(row),
      rows.dropped(row) && rows.original[row] !== null ? this.actions(row) : null,
    ].filter(Boolean);
  }

  facts(row) {
    const { rows } = this;
    const facts = [];
    if (rows.hasThresholds(row)) {
      const { near, contained } = rows.thresholds;
      facts.push(["This page found in the other", this.gauge(rows.forward[row], near, contained)], ["The other found in this page", this.gauge(rows.backward[row], near, contained)]);
    } else if (!Number.isNaN(rows.share(row))) facts.push(["This page found in the other", share(rows.share(row))]);
    if (rows.lost[row] >= 0) {
      const exactly = (value) => `${(100 * value).toFixed(1)} %`;
      const most = rows.isBounded(row) ? ` (the limit is ${exactly(rows.part[row] * rows.thresholds.max_loss)})` : "";
      facts.push(["Would be lost", `${formatNumber(rows.lost[row])} of ${quantity(rows.words[row], "word")}; ${exactly(rows.loss[row])} by weight${most}`]);
    }
    if (rows.doubt[row] > 0) facts.push(["Doubt", doubtMeter(rows.doubt[row])]);
    const stage = rows.stageOf(row);
    facts.push(["Decided", `${this.page.meanings.stages[stage] ?? clean(stage)}, in ${rows.ms[row].toFixed(1)} ms`]);
    if (!Number.isNaN(rows.bytes[row])) facts.push(["Size", size(rows.bytes[row])]);
    if (!Number.isNaN(rows.time[row])) facts.push(["Time", `${isoTime(rows.time[row]).replace("T", " ").slice(0, 19)} UTC`]);
    facts.push(["Run", `${clean(rows.runOf(row)) || "unknown"}, decision ${formatNumber(rows.seq[row])}`]);
    return make("dl", { class: "facts" }, ...facts.map(([label, value]) => make("div", {}, make("dt", {}, label), make("dd", {}, value))));
  }

  /** Return a bar of a share with marks for both thresholds. */
  gauge(value, near, contained) {
    const bar = make("span", { class: "gauge", "aria-hidden": "true" }, make("i", { class: "level" }), make("i", { class: "mark" }), make("i", { class: "mark" }));
    bar.children[0].style.width = `${100 * value}%`;
    bar.children[1].style.left = `${100 * near}%`;
    bar.children[2].style.left = `${100 * contained}%`;
    return make("span", { class: "gauged", title: `thresholds: near ${near}, contained ${contained}` }, bar, share(value));
  }

  actions(row) {
    const { rows } = this;
    const restored = rows.restored.has(rows.pair(row));
    const wrong = make("button", { type: "button", class: "wrong", "data-restore": true, disabled: restored }, restored ? "Restored" : "This was wrong", make("kbd", { "aria-hidden": "true" }, "r"));
    wrong.addEventListener("click", () => this.restore());
    return make("div", { class: "actions" }, wrong, make("div", { class: "prompt" }));
  }

  prompt(...content) {
    const box = this.element.querySelector(".prompt");
    if (!box) return;
    box.replaceChildren(...content);
    const first = box.querySelector("button, code");
    if (first) first.focus();
  }

  /** Restore a dropped page, after a confirmation. */
  restore() {
    const { rows, row } = this;
    const button = this.element.querySelector("[data-restore]");
    if (row < 0 || !button || button.disabled) return;
    if (!this.page.live) {
      this.prompt(commandBox(this.commands.restore(rows.url[row]), "This pair will never match again, and the page passes in the next crawl, with:"));
      return;
    }
    const yes = make("button", { type: "button", class: "wrong" }, "Yes, restore it");
    const no = make("button", { type: "button" }, "No");
    yes.addEventListener("click", async () => {
      this.prompt();
      if (!await this.source.post("restore", { run: rows.runOf(row), seq: rows.seq[row] })) return;
      rows.restored.add(rows.pair(row));
      this.grid.render();
      if (this.row === row) this.element.querySelector(".actions").replaceWith(this.actions(row));
      $("detail-body").focus();
    });
    no.addEventListener("click", () => this.closeTop());
    this.prompt(make("p", {}, "These two pages will never match again, and the page passes in the next crawl. Restore it?"), yes, no);
  }

  async evidence(row) {
    const { rows } = this;
    const generation = (this.generation += 1);
    const element = $("evidence");
    element.replaceChildren(make("p", { class: "quiet" }, "Loading the texts …"));
    element.setAttribute("aria-busy", "true");
    let html = null;
    try {
      html = await this.source.evidence(row);
    } catch (error) {
      if (generation === this.generation) element.replaceChildren(make("p", { class: "quiet" }, clean(error.message)));
      return;
    } finally {
      if (generation === this.generation) element.setAttribute("aria-busy", "false");
    }
    if (generation !== this.generation) return;
    if (html === null) {
      element.replaceChildren(...this.alternatives(row));
      return;
    }
    const shell = make("div", { class: "evidence" });
    shell.innerHTML = html; // our markup: foreign text in it was escaped when it was made
    element.replaceChildren(shell);
    const other = rows.other(row);
    if (!this.page.live && shell.querySelector(".lines")) {
      shell.append(commandBox(this.commands.compare(rows.url[row], other), "Write a page with a picture of where they match:"));
    }
    this.hidePair = showPairs(shell, $("pair"));
  }

  /** Return commands that show what this file does not have. */
  alternatives(row) {
    const { rows } = this;
    const other = rows.other(row);
    if (other === null || other === undefined) return [make("p", { class: "quiet" }, "No known page was similar enough to be compared with it.")];
    const why = "This file does not have the texts of this pair.";
    const boxes = [make("p", { class: "quiet" }, why), commandBox(this.commands.serve(), "See all pairs in a browser:")];
    if (other !== rows.url[row]) boxes.push(commandBox(this.commands.compare(rows.url[row], other), "Write a page about this pair:"));
    return boxes;
  }
}
