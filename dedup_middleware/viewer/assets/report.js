// The page of all decisions; connects its parts.
const page = JSON.parse($("data").textContent);
for (const [name, words] of Object.entries(page.meanings)) page.meanings[name] = Object.assign(Object.create(null), words);
const rows = new Rows();

/** Return the row that an address names: #run/sequence-number; -1 if there is none. */
const linkedRow = (hash) => {
  try {
    const [run, seq] = hash.slice(1).split("/").map(decodeURIComponent);
    const number = rows.numbers.runs.get(run);
    return rows.seq.findIndex((one, row) => row < rows.count && one === Number(seq) && rows.run[row] === number);
  } catch { // not one of our addresses
    return -1;
  }
};

const start = async () => {
  const source = page.live ? new LiveSource(page, rows) : new FileSource(page, rows);
  await source.more((count) => { $("loading").textContent = `${quantity(count, "decision")} …`; });
  $("loading").hidden = true;
  $("body").hidden = false;

  let by = "order";
  const trial = new ThresholdTrial(rows, () => {
    if (filter.criteria.flips) filter.update();
    grid.render();
  });
  const grid = new Grid(rows, {
    open: () => detail.open(),
    sort: (name) => sortBy(name, filter.sort.name === name && !filter.sort.down),
    mark: (row) => ({
      flip: filter.criteria.flips ? trial.flip(row) : 0,
      texts: source.locations ? source.locations.has(row) : false,
      restored: rows.restored.has(rows.pair(row)),
    }),
  });
  const detail = new Detail(rows, grid, source, page);
  const filter = new Filter(rows, (view, length, done) => {
    grid.show(view, length);
    const all = length === rows.count ? "" : ` of ${formatNumber(rows.count)}`;
    $("count").textContent = done ? `${formatNumber(length)}${all} ${length === 1 && !all ? "decision" : "decisions"}` : `${formatNumber(length)} so far …`;
    if (detail.isOpen) detail.showPosition();
  });

  const sortBy = (name, down) => {
    $("sort").value = `${name}${down ? " down" : ""}`;
    grid.markSorted(name, down);
    return filter.sortBy(name, down);
  };
  const setFilter = (change) => {
    filter.set(change);
    drawChips();
  };
  const drawChips = () => {
    const { flips, range } = filter.criteria;
    const chip = (text, change) => {
      const button = make("button", { type: "button", class: "chip", title: "Remove this filter" }, text, make("b", { "aria-hidden": "true" }, " ×"));
      button.addEventListener("click", () => setFilter(change));
      return button;
    };
    $("chips").replaceChildren(...[
      flips ? chip("would change", { flips: null }) : null,
      range ? chip(`${formatNumber(range[0] + 1)} to ${formatNumber(Math.min(rows.count, range[1]))}`, { range: null }) : null,
    ].filter(Boolean));
  };
  const scrollToDecisions = () => $("decisions").scrollIntoView({ behavior: reducedMotion.matches ? "auto" : "smooth" });
  /** List the pages of a host, or of a part of the only host; all pages if it is selected already. */
  const toggleGroup = (name, isPart) => {
    const field = $(isPart ? "search" : "host");
    field.value = field.value === name ? "" : name;
    if (isPart) readSearch();
    else readHost();
    if (field.value) scrollToDecisions();
  };
  const drawHosts = () => hosts(rows, filter.criteria.host || filter.criteria.text, toggleGroup);
  const readHost = () => {
    setFilter({ host: $("host").value.trim().toLowerCase() });
    drawHosts();
  };
  const readSearch = () => {
    setFilter({ text: $("search").value });
    if (rows.names.hosts.length === 1) drawHosts();
  };
  const toggleKind = (kind) => {
    const kinds = new Set(filter.criteria.kinds);
    if (!kinds.delete(kind)) kinds.add(kind);
    setFilter({ kinds });
    for (const button of $("verdicts").children) button.setAttribute("aria-pressed", String(kinds.has(button.dataset.kind)));
  };
  const drawTimeline = () => timeline(rows, by, (range) => {
    setFilter({ range });
    scrollToDecisions();
  });

  const drawSummary = () => {
    tiles(rows);
    verdicts(rows, page.meanings.verdicts, filter.criteria.kinds, toggleKind);
    drawTimeline();
    drawHosts();
    otherHosts(rows, (name) => toggleGroup(name, false));
    trial.draw();
    const names = rows.names.hosts.slice(0, 500);
    $("host-names").replaceChildren(...names.map((name) => make("option", { value: clean(name) })));
    const actions = rows.names.actions.filter((name) => name in ACTIONS);
    const action = $("action").value;
    $("action").replaceChildren(make("option", { value: "" }, "any"), ...actions.map((name) => make("option", { value: name }, ACTIONS[name])));
    $("action").value = action;
  };

  const drawNotices = () => {
    const notices = problems();
    $("notices").replaceChildren(...notices.map((text) => make("li", {}, clean(text))));
    $("notices").hidden = !notices.length;
  };
  const problems = () => {
    const notices = [...source.problems];
    if (!page.store) notices.push("The store of this journal was not found: there are no texts to show.");
    const mismatches = trial.mismatches;
    const { near, contained } = rows.thresholds;
    if (mismatches) {
      notices.push(`${quantity(mismatches, "verdict does", "verdicts do")} not follow from the thresholds near ${near} and contained ${contained}: the crawl used others. ` +
        "Pass those of the crawl to the command, as in -s DEDUP_NEAR=0.7.");
    }
    return notices;
  };

  $("sort").replaceChildren(...Object.entries(SORTS).flatMap(([name, { label }]) => [
    make("option", { value: name }, label),
    make("option", { value: `${name} down` }, `${label}, reversed`),
  ]));
  const textless = !source.locations || !source.locations.size;
  document.querySelector(".check").hidden = textless;
  drawSummary();
  drawNotices();
  await sortBy("order", false);

  $("search").addEventListener("input", debounce(readSearch, 90));
  $("action").addEventListener("change", () => setFilter({ action: $("action").value }));
  $("host").addEventListener("input", debounce(readHost, 150));
  for (const id of ["low", "high"]) {
    $(id).addEventListener("input", debounce(() => setFilter({ [id]: $(id).value === "" ? null : Number($(id).value) }), 150));
  }
  $("with-texts").addEventListener("change", () => setFilter({ texts: $("with-texts").checked ? source.locations : null }));
  $("sort").addEventListener("change", () => {
    const [name, down] = $("sort").value.split(" ");
    sortBy(name, Boolean(down));
  });
  $("flips-show").addEventListener("click", () => {
    setFilter({ flips: (row) => trial.flip(row) });
    scrollToDecisions();
  });
  for (const button of document.querySelectorAll("[data-by]")) {
    button.addEventListener("click", () => {
      by = button.dataset.by;
      for (const one of document.querySelectorAll("[data-by]")) one.setAttribute("aria-pressed", String(one === button));
      drawTimeline();
    });
  }
  $("help-open").addEventListener("click", () => $("help").showModal());

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target instanceof Element && event.target.closest("input:not([type=range], [type=checkbox]), select, textarea");
    if (typing) {
      if (event.key === "Escape" && event.target === $("search")) {
        $("search").value = "";
        readSearch();
        grid.element.focus();
      } else if (event.key === "Enter" && event.target === $("search")) grid.element.focus();
      return;
    }
    if ($("help").open) return;
    const act = keys[event.key];
    if (act && act(event) !== false) event.preventDefault();
  });
  const inDetail = (action) => () => (detail.isOpen ? action() : detail.open());
  const keys = {
    j: () => detail.step(1),
    k: () => detail.step(-1),
    s: inDetail(() => detail.answer("same")),
    d: inDetail(() => detail.answer("different")),
    r: inDetail(() => detail.restore()),
    Enter: (event) => (event.target === grid.element && !detail.isOpen ? detail.open() : false),
    "/": () => (detail.isOpen ? false : $("search").focus()),
    "?": () => $("help").showModal(),
  };

  let width = innerWidth;
  addEventListener("resize", debounce(() => {
    if (width === innerWidth) return;
    width = innerWidth;
    drawTimeline();
    trial.draw();
  }, 120));

  const linked = linkedRow(location.hash);
  if (linked >= 0) {
    grid.go(linked);
    detail.open();
  }
  if (page.live) {
    source.poll((more) => {
      drawNotices();
      if (more) {
        filter.grown();
        drawSummary();
      } else grid.render();
    });
  }
  $("main").setAttribute("aria-busy", "false");
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
};

start().catch((error) => {
  $("loading").textContent = clean(error.message);
  $("loading").classList.add("failed");
});
