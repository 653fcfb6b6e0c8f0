// The page of two compared pages.
const hidePair = showPairs(
  document.body,
  document.getElementById("pair"),
  JSON.parse(document.getElementById("data").textContent),
);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hidePair();
});
