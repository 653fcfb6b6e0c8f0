// Opens one decision after the other; returns what they show.
const element = document.getElementById("evidence");
const ready = () => element.getAttribute("aria-busy") === "false" && element.childElementCount;
const shown = [];
for (const next = document.getElementById("next");;) {
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 1));
  shown.push({
    position: document.getElementById("detail-position").textContent,
    text: document.getElementById("decision").textContent + element.textContent,
    links: [...document.querySelectorAll("#decision a")].map((one) => one.getAttribute("href")),
    odd: oddities(),
  });
  if (next.disabled || shown.length === most) return shown;
  next.click();
}
