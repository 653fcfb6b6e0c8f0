// The page of all decisions: brings the parts together.
const page = JSON.parse($("data").textContent);
for (const [name, words] of Object.entries(page.meanings)) page.meanings[name] = Object.assign(Object.create(null), words);
const rows = new Rows();

/** Find the row that an address names: #run/sequence-number. */
const linkedRow = (hash) => {
  try {
    const [run, seq] = hash.slice(1).split("/").map(decodeURIComponent);
    const number = rows.numbers.runs.get(run);
    return rows.seq.findIndex((one, row) => row < rows.count && one === Number(seq) && rows.run[row] === number);
  } catch { // not one of ours
    return -1;
  }
};

const start = async () => {
  const source = page.live ? new LiveSource(page, rows) : new FileSource(page, rows);
  await source.more((count) => { $("loading").textContent = `${counted(count, "decision")} …`; });
  $("loading").hidden = true;
  $("body").hidden = false;

  let by = "order";
  const whatIf = new WhatIf(rows, () => {
    if (choice.wanted.flips) choice.update();
    grid.render();
  });
  const grid = new Grid(rows, {
    open: () => detail.open(),
    sort: (name) => sortBy(name, choice.sort.name === name && !choice.sort.down),
    mark: (row) => ({
      flip: choice.wanted.flips ? whatIf.flip(row) : 0,
      texts: source.places ? source.places.has(row) : false,
      restored: rows.restored.has(rows.pair(row)),
    }),
  });
  const detail = new Detail(rows, grid, source, page);
  const choice = new Choice(rows, (view, length, done) => {
    grid.show(view, length);
    const all = length === rows.count ? "" : ` of ${figure(rows.count)}`;
    $("count").textContent = done ? `${figure(length)}${all} ${length === 1 && !all ? "decision" : "decisions"}` : `${figure(length)} so far …`;
    if (detail.isOpen) detail.where();
  });

  const sortBy = (name, down) => {
    $("sort").value = `${name}${down ? " down" : ""}`;
    grid.sorted(name, down);
    return choice.sortBy(name, down);
  };
  const want = (change) => {
    choice.want(change);
    chips();
  };
  const chips = () => {
    const { flips, range } = choice.wanted;
    const chip = (text, change) => {
      const button = make("button", { type: "button", class: "chip", title: "Show the others too" }, text, make("b", { "aria-hidden": "true" }, " ×"));
      button.addEventListener("click", () => want(change));
      return button;
    };
    $("chips").replaceChildren(...[
      flips ? chip("would flip", { flips: null }) : null,
      range ? chip(`${figure(range[0] + 1)} to ${figure(Math.min(rows.count, range[1]))}`, { range: null }) : null,
    ].filter(Boolean));
  };
  const toDecisions = () => $("decisions").scrollIntoView({ behavior: calm.matches ? "auto" : "smooth" });
  /** List the pages of a host, or of a part of the only one; all pages if it was chosen already. */
  const chooseGroup = (name, isPart) => {
    const field = $(isPart ? "search" : "host");
    field.value = field.value === name ? "" : name;
    if (isPart) takeText();
    else takeHost();
    if (field.value) toDecisions();
  };
  const drawHosts = () => hosts(rows, choice.wanted.host || choice.wanted.text, chooseGroup);
  const takeHost = () => {
    want({ host: $("host").value.trim().toLowerCase() });
    drawHosts();
  };
  const takeText = () => {
    want({ text: $("search").value });
    if (rows.names.hosts.length === 1) drawHosts();
  };
  const toggle = (kind) => {
    const kinds = new Set(choice.wanted.kinds);
    if (!kinds.delete(kind)) kinds.add(kind);
    want({ kinds });
    for (const button of $("verdicts").children) button.setAttribute("aria-pressed", String(kinds.has(button.dataset.kind)));
  };
  const drawTimeline = () => timeline(rows, by, (range) => {
    want({ range });
    toDecisions();
  });

  const summarise = () => {
    tiles(rows);
    verdicts(rows, page.meanings.verdicts, choice.wanted.kinds, toggle);
    drawTimeline();
    drawHosts();
    whatIf.draw();
    const names = rows.names.hosts.slice(0, 500);
    $("host-names").replaceChildren(...names.map((name) => make("option", { value: shown(name) })));
    const actions = rows.names.actions.filter((name) => name in DONE);
    const action = $("action").value;
    $("action").replaceChildren(make("option", { value: "" }, "any"), ...actions.map((name) => make("option", { value: name }, DONE[name])));
    $("action").value = action;
  };

  const complain = () => {
    const notices = problems();
    $("notices").replaceChildren(...notices.map((text) => make("li", {}, shown(text))));
    $("notices").hidden = !notices.length;
  };
  const problems = () => {
    const notices = [...source.problems];
    if (!page.store) notices.push("The store of this journal was not at hand: there are no texts to show.");
    const strays = whatIf.strays;
    const { near, contained } = rows.thresholds;
    if (strays) {
      notices.push(`${counted(strays, "verdict does", "verdicts do")} not follow from the thresholds near ${near} and contained ${contained}: the crawl had others. ` +
        "Name its own to the command, as in -s DEDUP_NEAR=0.7.");
    }
    return notices;
  };

  $("sort").replaceChildren(...Object.entries(SORTS).flatMap(([name, { label }]) => [
    make("option", { value: name }, label),
    make("option", { value: `${name} down` }, `${label}, reversed`),
  ]));
  const textless = !source.places || !source.places.size;
  document.querySelector(".check").hidden = textless;
  summarise();
  complain();
  await sortBy("order", false);

  $("search").addEventListener("input", later(takeText, 90));
  $("action").addEventListener("change", () => want({ action: $("action").value }));
  $("host").addEventListener("input", later(takeHost, 150));
  for (const id of ["low", "high"]) {
    $(id).addEventListener("input", later(() => want({ [id]: $(id).value === "" ? null : Number($(id).value) }), 150));
  }
  $("with-texts").addEventListener("change", () => want({ texts: $("with-texts").checked ? source.places : null }));
  $("sort").addEventListener("change", () => {
    const [name, down] = $("sort").value.split(" ");
    sortBy(name, Boolean(down));
  });
  $("flips-show").addEventListener("click", () => {
    want({ flips: (row) => whatIf.flip(row) });
    toDecisions();
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
        takeText();
        grid.place.focus();
      } else if (event.key === "Enter" && event.target === $("search")) grid.place.focus();
      return;
    }
    if ($("help").open) return;
    const act = keys[event.key];
    if (act && act(event) !== false) event.preventDefault();
  });
  const inDetail = (work) => () => (detail.isOpen ? work() : detail.open());
  const keys = {
    j: () => detail.step(1),
    k: () => detail.step(-1),
    s: inDetail(() => detail.answer("same")),
    d: inDetail(() => detail.answer("different")),
    r: inDetail(() => detail.restore()),
    Enter: (event) => (event.target === grid.place && !detail.isOpen ? detail.open() : false),
    "/": () => (detail.isOpen ? false : $("search").focus()),
    "?": () => $("help").showModal(),
  };

  let width = innerWidth;
  addEventListener("resize", later(() => {
    if (width === innerWidth) return;
    width = innerWidth;
    drawTimeline();
    whatIf.draw();
  }, 120));

  const named = linkedRow(location.hash);
  if (named >= 0) {
    grid.go(named);
    detail.open();
  }
  if (page.live) {
    source.poll((more) => {
      complain();
      if (more) {
        choice.grown();
        summarise();
      } else grid.render();
    });
  }
  $("main").setAttribute("aria-busy", "false");
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
};

start().catch((error) => {
  $("loading").textContent = shown(error.message);
  $("loading").classList.add("failed");
});
