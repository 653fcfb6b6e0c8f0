// Opens one decision after the other; gives what they show.
const place = document.getElementById("evidence");
const there = () => place.getAttribute("aria-busy") === "false" && place.childElementCount;
const said = [];
for (const next = document.getElementById("next");;) {
  while (!there()) await new Promise((go) => setTimeout(go, 1));
  said.push({
    place: document.getElementById("detail-place").textContent,
    text: document.getElementById("decision").textContent + place.textContent,
    links: [...document.querySelectorAll("#decision a")].map((one) => one.getAttribute("href")),
    odd: oddities(),
  });
  if (next.disabled || said.length === most) return said;
  next.click();
}
