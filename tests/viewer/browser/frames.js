// Shows texts without escaping, each in a frame; returns how many of them ran, once enough did.
const frames = given[0].map((text) => {
  const frame = document.createElement("iframe");
  frame.srcdoc = `<!doctype html><body>${text}`;
  document.body.append(frame);
  return frame;
});
const ran = () => frames.filter((one) => one.contentWindow && one.contentWindow.__pwned).length + (window.__pwned ? 1 : 0);
while (ran() < given[1]) await new Promise((resolve) => setTimeout(resolve, 50));
const count = ran();
delete window.__pwned;
return count;
