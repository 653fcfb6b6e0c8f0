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

/** Say what became of the runs: whether the page goes on, and whether a run ended as it should. */
const drawState = (ends, live) => {
  const newest = rows.names.runs.length ? ends[rows.names.runs.at(-1)] : undefined;
  const [name] = newest ?? [];
  const [state, text] = Object.values(ends).some(([one]) => one === "alive") ? ["alive", live ? "live" : "the run was still going on when this was written"]
    : name === "died" ? ["died", "the run died: it never said that it ended"]
      : name ? ["ended", name === "ended" ? "the run has ended" : `the run has ended, ${clean(name)}`]
        : ["unknown", live && !rows.count ? "waiting for decisions" : ""];
  const element = $("live");
  element.hidden = !text;
  element.dataset.state = state;
  if (element.textContent !== text) element.textContent = text;
};

const start = async () => {
  const source = page.live ? new LiveSource(page, rows) : new FileSource(page, rows);
  await source.more((count) => { $("loading").textContent = `${quantity(count, "decision")} …`; });
  $("loading").hidden = true;
  $("body").hidden = false;

  let by = "order";
  const trial = new ThresholdTrial(rows, page.levels, () => {
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
  const drawControls = () => {
    const { kinds, action, host, text, low, high, texts } = filter.criteria;
    for (const button of $("verdicts").children) button.setAttribute("aria-pressed", String(kinds.has(button.dataset.kind)));
    for (const [id, value] of Object.entries({ action, host, search: text, low: low ?? "", high: high ?? "" })) {
      if ($(id) !== document.activeElement) $(id).value = value;
    }
    $("with-texts").checked = Boolean(texts);
    drawHosts();
    drawChips(filter.criteria);
  };
  const setFilter = (change) => {
    filter.set(change);
    drawControls();
  };
  const drawChips = ({ kinds, action, host, text, low, high, texts, flips, range, cluster, doubtful: onlyDoubtful }) => {
    const chip = (label, change) => {
      const button = make("button", { type: "button", class: "chip", title: "Remove this filter" }, clean(label), make("b", { "aria-hidden": "true" }, " ×"));
      button.addEventListener("click", () => {
        setFilter(change);
        ($("chips").querySelector("button") ?? grid.element).focus();
      });
      return button;
    };
    const without = (kind) => new Set([...kinds].filter((one) => one !== kind));
    const chips = [
      ...[...kinds].map((kind) => chip(kind, { kinds: without(kind) })),
      action ? chip(action === "kept" ? "not dropped" : ACTIONS[action] ?? action, { action: "" }) : null,
      onlyDoubtful ? chip("doubtful", { doubtful: false }) : null,
      cluster !== null ? chip(`copies of ${cluster}`, { cluster: null }) : null,
      host ? chip(`on ${host}`, { host: "" }) : null,
      text ? chip(`with ${text}`, { text: "" }) : null,
      low !== null ? chip(`share from ${low}`, { low: null }) : null,
      high !== null ? chip(`share to ${high}`, { high: null }) : null,
      texts ? chip("with texts", { texts: null }) : null,
      flips ? chip("would change", { flips: null }) : null,
      range ? chip(`judged as ${formatNumber(range[0] + 1)} to ${formatNumber(Math.min(rows.count, range[1]))}`, { range: null }) : null,
    ].filter(Boolean);
    if (chips.length > 1) chips.push(chip("all filters", { ...NO_CRITERIA }));
    $("chips").replaceChildren(...chips);
  };
  const scrollToDecisions = () => $("decisions").scrollIntoView({ behavior: reducedMotion.matches ? "auto" : "smooth" });
  /** List what a click elsewhere on the page has chosen, and nothing else. */
  const listOnly = (change) => {
    setFilter({ ...NO_CRITERIA, ...change });
    scrollToDecisions();
  };
  const openRow = (row) => {
    if (!grid.goTo(row)) {
      setFilter({ ...NO_CRITERIA });
      filter.settled.then(() => grid.goTo(row) && detail.open());
    } else detail.open();
  };
  /** List the pages of a host, or of a part of the only host; all pages if it is selected already. */
  const toggleGroup = (name, isPart) => {
    const key = isPart ? "text" : "host";
    if (filter.criteria[key] === name) setFilter({ [key]: "" });
    else listOnly({ [key]: name });
  };
  const drawHosts = () => hosts(rows, filter.criteria.host || filter.criteria.text, toggleGroup);
  const toggleKind = (kind) => {
    const kinds = new Set(filter.criteria.kinds);
    const chosen = !kinds.delete(kind);
    if (chosen) kinds.add(kind);
    setFilter({ kinds });
    if (chosen) scrollToDecisions();
  };
  const drawTimeline = () => timeline(rows, by, (range) => listOnly({ range }));

  const drawSummary = () => {
    tiles(rows, source.ends, page.dry_runs);
    verdicts(rows, page.meanings.verdicts, filter.criteria.kinds, toggleKind);
    doubtful(rows, { dry: rows.names.runs.length > 0 && rows.names.runs.every((run) => page.dry_runs.includes(run)), open: openRow, list: (change) => { sortBy("doubt", false); listOnly(change); } });
    clusters(rows, { open: openRow, list: (cluster) => listOnly({ cluster }) });
    drawTimeline();
    drawHosts();
    otherHosts(rows, (name) => toggleGroup(name, false));
    sites(source.sites, new Commands(page));
    trial.draw();
    const names = rows.names.hosts.slice(0, 500);
    $("host-names").replaceChildren(...names.map((name) => make("option", { value: clean(name) })));
    const actions = rows.names.actions.filter((name) => name in ACTIONS);
    const action = $("action").value;
    $("action").replaceChildren(make("option", { value: "" }, "any"), ...actions.map((name) => make("option", { value: name }, ACTIONS[name])),
      make("option", { value: "kept" }, "not dropped"));
    $("action").value = action;
  };

  const drawNotices = () => {
    const notices = source.problems;
    $("notices").replaceChildren(...notices.map((text) => make("li", {}, clean(text))));
    $("notices").hidden = !notices.length;
  };

  $("sort").replaceChildren(...Object.entries(SORTS).flatMap(([name, { label }]) => [
    make("option", { value: name }, label),
    make("option", { value: `${name} down` }, `${label}, reversed`),
  ]));
  const textless = !source.locations || !source.locations.size;
  document.querySelector(".check").hidden = textless;
  drawSummary();
  drawNotices();
  drawState(source.ends, page.live);
  await sortBy("doubt", false);

  $("search").addEventListener("input", debounce(() => setFilter({ text: $("search").value }), 90));
  $("action").addEventListener("change", () => setFilter({ action: $("action").value }));
  $("host").addEventListener("input", debounce(() => setFilter({ host: $("host").value.trim().toLowerCase() }), 150));
  for (const id of ["low", "high"]) {
    $(id).addEventListener("input", debounce(() => setFilter({ [id]: $(id).value === "" ? null : Number($(id).value) }), 150));
  }
  $("with-texts").addEventListener("change", () => setFilter({ texts: $("with-texts").checked ? source.locations : null }));
  $("sort").addEventListener("change", () => {
    const [name, down] = $("sort").value.split(" ");
    sortBy(name, Boolean(down));
  });
  $("flips-show").addEventListener("click", () => listOnly({ flips: (row) => trial.flip(row) }));
  for (const button of document.querySelectorAll("[data-by]")) {
    button.addEventListener("click", () => {
      by = button.dataset.by;
      for (const one of document.querySelectorAll("[data-by]")) one.setAttribute("aria-pressed", String(one === button));
      drawTimeline();
    });
  }
  $("help-open").addEventListener("click", () => $("help").showModal());

  const ownKeys = "input:not([type=range], [type=checkbox]), select, textarea"; // where letters have a meaning of their own
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || $("help").open) return;
    const field = event.target instanceof Element && event.target.closest(ownKeys);
    if (field && event.key !== "Escape" && !(event.key === "Enter" && field.tagName === "INPUT")) return;
    const act = keys[event.key];
    if (act && act(event, field) !== false) event.preventDefault();
  });
  const inDetail = (action) => () => (detail.isOpen ? action() : detail.open());
  const step = (by) => {
    if (!detail.isOpen) grid.reveal();
    detail.step(by);
  };
  const keys = {
    j: () => step(1),
    k: () => step(-1),
    r: inDetail(() => detail.restore()),
    Enter: (event, field) => {
      if (field) return void grid.reveal();
      // what has the focus comes first: a button, a link, a heading to be opened
      if (detail.isOpen || event.target.closest("button, a, summary, [role=button]")) return false;
      if (grid.at < 0) grid.go(0);
      return void detail.open();
    },
    Escape: (event, field) => {
      if (detail.isOpen) return false; // the dialog closes by itself
      if (field && field !== $("search")) return void grid.reveal();
      document.activeElement.blur();
      setFilter({ ...NO_CRITERIA });
      if (field) grid.reveal();
      return true;
    },
    "/": () => {
      if (detail.isOpen) detail.leaveFor($("search"));
      else $("search").focus();
      $("search").select();
    },
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
  if (linked >= 0) openRow(linked);
  if (page.live) {
    source.poll({
      onMoved: (place) => {
        grid.moved(place);
        detail.moved(place);
      },
      onRows: (changed) => {
        drawNotices();
        drawState(source.ends, true);
        if (changed) {
          filter.grown();
          drawSummary();
        } else grid.render();
      },
    });
  }
  $("main").setAttribute("aria-busy", "false");
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
};

start().catch((error) => {
  $("loading").textContent = clean(error.message);
  $("loading").classList.add("failed");
});
