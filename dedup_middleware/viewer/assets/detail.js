// One decision: what was decided, why, what can be said about it, and the evidence.
const ANSWERS = [
  { answer: "same", label: "Same", key: "s", about: "a reader of one learns nothing from the other" },
  { answer: "different", label: "Different", key: "d", about: "each says something of its own" },
  { answer: "second-in-first", label: "Lies in the other", about: "all of this page stands in the other" },
  { answer: "first-in-second", label: "Holds the other", about: "all of the other page stands in this one" },
  { answer: "open", label: "Can't tell", about: "leave it open" },
];

class Detail {
  constructor(rows, grid, source, page) {
    this.rows = rows;
    this.grid = grid;
    this.source = source;
    this.page = page;
    this.commands = new Commands(page);
    this.place = $("detail");
    this.row = -1;
    this.turn = 0;
    this.hidePair = () => {};
    $("previous").addEventListener("click", () => this.step(-1));
    $("next").addEventListener("click", () => this.step(1));
    $("close").addEventListener("click", () => this.place.close());
    for (const kind of ["keydown", "cancel"]) { // the latter is not always sent
      this.place.addEventListener(kind, (event) => {
        if ((event.key ?? "Escape") === "Escape" && this.escape()) event.preventDefault();
      });
    }
    this.place.addEventListener("close", () => {
      this.turn += 1;
      this.row = -1;
      $("evidence").replaceChildren();
      $("pair").hidden = true;
      tip(null, null);
      document.body.append($("say"), $("tip"));
      history.replaceState(null, "", location.pathname + location.search);
      grid.place.focus({ preventScroll: true });
    });
    this.place.addEventListener("click", (event) => {
      if (event.target === this.place) this.place.close();
    });
  }

  /** Close what lies on top of the decision; tell whether there was something. */
  escape() {
    if (!$("pair").hidden) {
      this.hidePair();
      return true;
    }
    const box = this.place.querySelector(".asking");
    if (box && box.childElementCount) {
      box.replaceChildren();
      $("detail-body").focus();
      return true;
    }
    return false;
  }

  get isOpen() { return this.place.open; }

  open() {
    const row = this.grid.current;
    if (row < 0) return;
    if (!this.isOpen) {
      this.place.showModal();
      $("detail-body").focus();
    }
    this.show(row);
  }

  step(by) {
    if (!this.grid.go(this.grid.at + by)) {
      say(by > 0 ? "That was the last one" : "That was the first one");
      return;
    }
    if (this.isOpen) this.show(this.grid.current);
  }

  /** Say where in the list we are; it may have grown. */
  where() {
    $("detail-place").textContent = this.grid.at < 0 ? "" : `${figure(this.grid.at + 1)} of ${figure(this.grid.length)}`;
    $("previous").disabled = this.grid.at <= 0;
    $("next").disabled = this.grid.at >= this.grid.length - 1;
  }

  show(row) {
    this.row = row;
    this.where();
    const { rows } = this;
    history.replaceState(null, "", `#${encodeURIComponent(rows.runOf(row))}/${rows.seq[row]}`);
    $("detail-title").textContent = `${rows.kindName(row)}: ${shown(rows.url[row])}`;
    $("decision").replaceChildren(...this.decision(row));
    $("detail-body").scrollTop = 0;
    $("pair").hidden = true;
    this.evidence(row);
  }

  decision(row) {
    const { rows } = this;
    const other = rows.other(row);
    const name = (label, url, extra) => make("div", { class: "page-name" }, make("dt", {}, label), make("dd", {}, url === null ? extra : linked(url)));
    const names = [name("Page", rows.url[row])];
    if (other === rows.url[row]) names.push(name("Original", null, "the same URL, when it was last seen"));
    else if (other !== null && other !== undefined) names.push(name(rows.original[row] === null ? "Closest" : "Original", other));
    return [
      make("p", { class: "verdict-line" }, badge(rows.kindOf(row), rows.kindName(row)),
        make("span", { class: "done" }, DONE[rows.actionOf(row)] ?? shown(rows.actionOf(row))),
        make("span", { class: "meaning" }, this.page.meanings.verdicts[rows.kindName(row)] ?? "")),
      make("dl", { class: "page-names" }, ...names),
      make("p", { class: "reason", dir: "auto" }, shown(rows.reasonOf(row))),
      this.figures(row),
      other === null || other === undefined ? null : this.doors(row),
    ].filter(Boolean);
  }

  figures(row) {
    const { rows } = this;
    const facts = [];
    if (rows.ruled(row)) {
      const { near, contained } = rows.thresholds;
      facts.push(["Known of this page", this.gauge(rows.forward[row], near, contained)], ["Known of the other", this.gauge(rows.backward[row], near, contained)]);
    } else if (!Number.isNaN(rows.share(row))) facts.push(["Known of this page", share(rows.share(row))]);
    const stage = rows.stageOf(row);
    facts.push(["Decided", `${this.page.meanings.stages[stage] ?? shown(stage)}, in ${rows.ms[row].toFixed(1)} ms`]);
    if (!Number.isNaN(rows.bytes[row])) facts.push(["Size", size(rows.bytes[row])]);
    if (!Number.isNaN(rows.time[row])) facts.push(["Time", `${moment(rows.time[row]).replace("T", " ").slice(0, 19)} UTC`]);
    facts.push(["Run", `${shown(rows.runOf(row)) || "unknown"}, decision ${figure(rows.seq[row])}`]);
    return make("dl", { class: "facts" }, ...facts.map(([label, value]) => make("div", {}, make("dt", {}, label), make("dd", {}, value))));
  }

  /** Show a share with both thresholds. */
  gauge(value, near, contained) {
    const place = make("span", { class: "gauge", "aria-hidden": "true" }, make("i", { class: "level" }), make("i", { class: "mark" }), make("i", { class: "mark" }));
    place.children[0].style.width = `${100 * value}%`;
    place.children[1].style.left = `${100 * near}%`;
    place.children[2].style.left = `${100 * contained}%`;
    return make("span", { class: "gauged", title: `thresholds: near ${near}, contained ${contained}` }, place, share(value));
  }

  doors(row) {
    const { rows } = this;
    const said = rows.answers.get(rows.pair(row));
    const self = rows.other(row) === rows.url[row];
    const buttons = ANSWERS.map(({ answer, label, key, about }) => {
      const button = make("button", { type: "button", "data-answer": answer, title: about, "aria-pressed": String(said === answer) }, label, key ? make("kbd", { "aria-hidden": "true" }, key) : null);
      button.addEventListener("click", () => this.answer(answer));
      return button;
    });
    const restored = rows.restored.has(rows.pair(row));
    const wrong = make("button", { type: "button", class: "wrong", "data-restore": true, disabled: restored }, restored ? "Told apart" : "This was wrong", make("kbd", { "aria-hidden": "true" }, "r"));
    wrong.addEventListener("click", () => this.restore());
    return make("div", { class: "doors" },
      self ? null : make("div", { role: "group", "aria-label": "Are the two pages the same?" }, make("span", { class: "question" }, "Are they the same?"), ...buttons),
      rows.dropped(row) && rows.original[row] !== null ? wrong : null, make("div", { class: "asking" }));
  }

  ask(...content) {
    const box = this.place.querySelector(".asking");
    if (!box) return;
    box.replaceChildren(...content);
    const first = box.querySelector("button, code");
    if (first) first.focus();
  }

  /** Keep what a person says of the two pages. */
  async answer(answer) {
    const { rows, row } = this;
    if (row < 0 || !this.place.querySelector(`[data-answer="${answer}"]`)) return;
    if (!this.page.live) {
      this.ask(commandBox(this.commands.serve(), "A file can't keep answers. Look at the same live, and answer there:"));
      return;
    }
    const said = await this.source.post("answer", { run: rows.runOf(row), seq: rows.seq[row], answer });
    if (!said) return;
    rows.answers.set(rows.pair(row), answer);
    if (this.row === row) for (const button of this.place.querySelectorAll("[data-answer]")) button.setAttribute("aria-pressed", String(button.dataset.answer === answer));
  }

  /** A drop was wrong: ask, then tell the two pages apart for good. */
  restore() {
    const { rows, row } = this;
    const button = this.place.querySelector("[data-restore]");
    if (row < 0 || !button || button.disabled) return;
    if (!this.page.live) {
      this.ask(commandBox(this.commands.restore(rows.url[row]), "This pair will never match again, and the page passes in the next crawl, with:"));
      return;
    }
    const yes = make("button", { type: "button", class: "wrong" }, "Yes, tell them apart");
    const no = make("button", { type: "button" }, "No");
    yes.addEventListener("click", async () => {
      this.ask();
      const said = await this.source.post("restore", { run: rows.runOf(row), seq: rows.seq[row] });
      if (!said) return;
      rows.restored.add(rows.pair(row));
      this.grid.render();
      if (this.row === row) this.place.querySelector(".doors").replaceWith(this.doors(row));
      $("detail-body").focus();
    });
    no.addEventListener("click", () => this.escape());
    this.ask(make("p", {}, "These two pages will never match again, and the page passes in the next crawl. Restore it?"), yes, no);
  }

  async evidence(row) {
    const turn = (this.turn += 1);
    const place = $("evidence");
    place.replaceChildren(make("p", { class: "quiet" }, "Fetching the texts …"));
    place.setAttribute("aria-busy", "true");
    let html = null;
    try {
      html = await this.source.evidence(row);
    } catch (error) {
      if (turn === this.turn) place.replaceChildren(make("p", { class: "quiet" }, shown(error.message)));
      return;
    } finally {
      if (turn === this.turn) place.setAttribute("aria-busy", "false");
    }
    if (turn !== this.turn) return;
    if (html === null) {
      place.replaceChildren(...this.elsewhere(row));
      return;
    }
    const shell = make("div", { class: "evidence" });
    shell.innerHTML = html; // ours: everything in it that is not was escaped where it was made
    place.replaceChildren(shell);
    this.hidePair = showPairs(shell, $("pair"), null);
  }

  /** Say how to get at what this file does not hold. */
  elsewhere(row) {
    const { rows } = this;
    const other = rows.other(row);
    if (other === null || other === undefined) return [make("p", { class: "quiet" }, "No known page came close enough to be laid beside it.")];
    const why = this.page.store
      ? "The texts of this pair are not among those that this file holds."
      : "This report was made without the store that the journal belongs to, so it has no texts.";
    if (!this.page.store) return [make("p", { class: "quiet" }, why)];
    const boxes = [make("p", { class: "quiet" }, why), commandBox(this.commands.serve(), "All pairs, live:")];
    if (other !== rows.url[row]) boxes.push(commandBox(this.commands.compare(rows.url[row], other), "This pair alone:"));
    return boxes;
  }
}
