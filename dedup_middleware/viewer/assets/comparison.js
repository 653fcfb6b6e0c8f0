// The page of two compared pages.
const hidePair = showPairs(document.body, document.getElementById("pair"));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hidePair();
});
