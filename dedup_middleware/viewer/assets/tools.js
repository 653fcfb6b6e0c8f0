// Small tools. Whatever comes from strangers goes through `shown`, and becomes text, never markup.
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const UNFIT = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu; // steers the text around it, or can't be seen

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

const shown = (text) => String(text).replace(UNFIT, "\ufffd");
const whole = new Intl.NumberFormat("en-GB");
const figure = (value) => whole.format(value);
const counted = (count, noun, nouns = `${noun}s`) => `${figure(count)} ${count === 1 ? noun : nouns}`;
const percent = (part, all) => {
  const share = all ? (100 * part) / all : 0;
  const rounded = Math.round(share);
  return `${share > 0 && share < 100 ? Math.min(99, Math.max(1, rounded)) : rounded} %`;
};
const share = (value) => (Number.isNaN(value) ? "" : value.toFixed(2));
const size = (bytes) => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (bytes >= 1024 && at < units.length - 1) { bytes /= 1024; at += 1; }
  return `${at && bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${units[at]}`;
};
const span = (seconds) => {
  if (seconds < 1) return `${Math.round(1000 * seconds)} ms`;
  if (seconds < 90) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${Math.round(seconds / 86400)} days`;
};
const moment = (time) => new Date(time).toISOString();
const clock = (time) => moment(time).slice(11, 19);
const day = (time) => moment(time).slice(0, 10);

/** Let the browser do what waits: paint, type, scroll. */
const breathe = () => (globalThis.scheduler && scheduler.yield ? scheduler.yield() : new Promise((go) => setTimeout(go)));

const later = (work, milliseconds) => {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds);
  };
};

const isWeb = (url) => {
  if (url !== shown(url)) return false;
  try {
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
};
/** Show a URL, as a link if it leads to the web. */
const linked = (url) => {
  const text = make("bdi", {}, shown(url));
  return isWeb(url) ? make("a", { href: url, rel: "noreferrer noopener", target: "_blank" }, text) : text;
};

const say = (text) => {
  const place = $("say");
  ($("detail").open ? $("detail") : document.body).append(place); // what is behind a dialog is not read out
  place.textContent = text;
  place.classList.add("on");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => place.classList.remove("on"), 6000);
};
