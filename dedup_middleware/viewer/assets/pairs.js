// Two texts and their pictures: a pair that is pointed at in one is highlighted in all.
const PAIR = "[data-first][data-second]";
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** Set up an element that shows two compared pages. */
const showPairs = (root, panel) => {
  const pieces = (side, index) => {
    const text = root.querySelector(`#${side === "first" ? "a" : "b"}${index} .sentence-text`);
    return text ? [...text.childNodes].map((piece) => piece.cloneNode(true)) : ["…"]; // long pages are not shown whole
  };

  const fill = (element, side, index, partner) => {
    const sentence = root.querySelector(`#${side === "first" ? "a" : "b"}${index}`);
    const marked = sentence && sentence.dataset[side === "first" ? "second" : "first"] === String(partner);
    element.replaceChildren(...pieces(side, index));
    if (!marked) element.textContent = element.textContent;
  };

  const clear = () => root.querySelectorAll(".on").forEach((one) => one.classList.remove("on"));

  const show = (pair) => {
    const first = Number(pair.dataset.first);
    const second = Number(pair.dataset.second);
    const more = Number(pair.dataset.count || 1) - 1;
    panel.querySelector(".about").textContent =
      `Sentence ${first + 1} of the first page, ${second + 1} of the second` +
      (more > 0 ? `, and ${more} more here` : "");
    fill(panel.querySelector(".one"), "first", first, second);
    fill(panel.querySelector(".two"), "second", second, first);
    panel.hidden = false;
    clear();
    pair.classList.add("on");
    root.querySelectorAll(`[data-first="${first}"][data-second="${second}"]`)
      .forEach((one) => one.classList.add("on"));
  };

  const hide = () => {
    panel.hidden = true;
    clear();
  };

  const reveal = (id) => {
    const sentence = root.querySelector(`#${id}`);
    if (!sentence) return;
    const line = sentence.closest(".line");
    const visible = (one) => one.getClientRects().length > 0;
    if (!visible(line)) root.querySelector("#differing").checked = false;
    // On narrow screens, equal sentences are shown once.
    (visible(sentence) ? sentence : line).scrollIntoView({ block: "center", behavior: reducedMotion.matches ? "auto" : "smooth" });
    const number = sentence.querySelector("a.number");
    if (number) number.focus({ preventScroll: true });
  };

  const pairAt = (event) => event.target instanceof Element && event.target.closest(PAIR);

  for (const kind of ["pointerover", "focusin"]) {
    root.addEventListener(kind, (event) => {
      const pair = pairAt(event);
      if (pair) show(pair);
    });
  }
  panel.querySelector("button").onclick = hide;
  root.addEventListener("click", (event) => {
    const pair = pairAt(event);
    if (!pair || String(getSelection())) return;
    event.preventDefault();
    show(pair);
    reveal(pair.id.startsWith("a") ? `b${pair.dataset.second}` : `a${pair.dataset.first}`);
    show(pair);
  });

  // The Tab key stops once at each picture; arrow keys go from mark to mark.
  root.querySelectorAll("svg").forEach((picture) => {
    const marks = [...picture.querySelectorAll(PAIR)];
    marks.sort((one, other) => one.dataset.first - other.dataset.first ||
      one.dataset.second - other.dataset.second);
    marks.forEach((mark, at) => {
      const title = mark.querySelector("title");
      mark.setAttribute("role", "button");
      mark.setAttribute("tabindex", at ? "-1" : "0");
      if (title) {
        mark.setAttribute("aria-label", title.textContent);
        title.remove();
      }
    });
    picture.addEventListener("keydown", (event) => {
      const at = marks.indexOf(event.target);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (at < 0) return;
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        reveal(`a${event.target.dataset.first}`);
      } else if (step && marks[at + step]) {
        event.preventDefault();
        marks[at + step].focus();
      }
    });
  });
  return hide;
};
