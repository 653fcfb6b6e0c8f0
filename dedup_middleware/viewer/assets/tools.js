// Helpers for elements, formats and messages. Foreign text goes through `clean`, and becomes text, never markup.
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu; // invisible, or changes the text around it

const put = (element, properties, children) => {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};
const make = (tag, properties = {}, ...children) => put(document.createElement(tag), properties, children);
const draw = (tag, properties = {}, ...children) => put(document.createElementNS(SVG, tag), properties, children);

const clean = (text) => String(text).replace(INVISIBLE, "\ufffd");
const numberFormat = new Intl.NumberFormat("en-GB");
const formatNumber = (value) => numberFormat.format(value);
const quantity = (count, noun, nouns = `${noun}s`) => `${formatNumber(count)} ${count === 1 ? noun : nouns}`;
const percent = (part, all) => {
  const share = all ? (100 * part) / all : 0;
  if (share > 0 && share < 1) return "< 1 %";
  return `${share > 99 && share < 100 ? "> 99" : Math.round(share)} %`;
};
const share = (value) => (Number.isNaN(value) ? "" : value.toFixed(2));
const size = (bytes) => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (bytes >= 1024 && at < units.length - 1) { bytes /= 1024; at += 1; }
  return `${at && bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${units[at]}`;
};
const duration = (seconds) => {
  if (seconds < 1) return `${Math.round(1000 * seconds)} ms`;
  if (seconds < 90) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${Math.round(seconds / 86400)} days`;
};
const sum = (values) => values.reduce((all, value) => all + value, 0);
/** Return a bar in parts, each a class and a count. */
const barOf = (parts) => make("span", { class: "bar" }, ...parts.filter(([, count]) => count).map(([name, count]) => {
  const part = make("i", { class: name });
  part.style.flexGrow = count;
  return part;
}));
const isoTime = (time) => new Date(time).toISOString();
const clock = (time) => isoTime(time).slice(11, 19);
const day = (time) => isoTime(time).slice(0, 10);

/** Let the browser paint and handle input. */
const yieldToBrowser = () => (globalThis.scheduler && scheduler.yield ? scheduler.yield() : new Promise((resolve) => setTimeout(resolve)));

const debounce = (work, milliseconds) => {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds);
  };
};

const isWebUrl = (url) => {
  if (url !== clean(url)) return false;
  try {
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
};
/** Return a URL as an element, with a link if it is a URL of the web. */
const linkTo = (url) => {
  const text = make("bdi", {}, clean(url));
  return isWebUrl(url) ? make("a", { href: url, rel: "noreferrer noopener", target: "_blank" }, text) : text;
};

const announce = (text) => {
  const element = $("announcement");
  ($("detail").open ? $("detail") : document.body).append(element); // screen readers ignore what is behind a dialog
  element.textContent = text;
  element.classList.add("on");
  clearTimeout(announce.timer);
  announce.timer = setTimeout(() => element.classList.remove("on"), 6000);
};
