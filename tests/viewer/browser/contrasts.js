// Contrast of each text with its background as WCAG 2 defines it; colours are read by painting them.
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
canvas.canvas.width = canvas.canvas.height = 1;
const over = (colours) => { // the lowest layer first
  canvas.clearRect(0, 0, 1, 1);
  for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
  return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const light = (colour) => {
  const [r, g, b] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const poor = [];
let seen = 0;
const scope = document.querySelector(arguments[0]);
const walk = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const element = walk.currentNode.parentElement;
  if (!walk.currentNode.data.trim() || !element.checkVisibility({ visibilityProperty: true })) continue;
  if (element.closest("script, style, title, .unseen, .skip, :disabled, [aria-hidden=true], option")) continue;
  const style = getComputedStyle(element);
  const behind = [];
  for (let one = element; one; one = one.parentElement) behind.unshift(getComputedStyle(one).backgroundColor);
  const ground = ["Canvas", ...behind];
  const ink = element instanceof SVGElement ? style.fill : style.color;
  const [one, other] = [light(over(ground)), light(over([...ground, ink]))].sort((a, b) => b - a);
  const ratio = (one + 0.05) / (other + 0.05);
  const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
  seen += 1;
  if (ratio < (large ? 3 : 4.5)) {
    poor.push(`${ratio.toFixed(2)} ${element.tagName}.${element.getAttribute("class")}: ${walk.currentNode.data.trim().slice(0, 40)}`);
  }
}
return [seen, [...new Set(poor)]];
