// Finds elements and attributes that are not ours, and traces of scripts that ran.
const known = new Set(`A ARTICLE ASIDE B BDI BODY BUTTON CAPTION CODE DATALIST DD DETAILS DIALOG DIV DL DT
  EM FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 HEAD HEADER HTML I INPUT KBD LABEL LI MAIN MARK META
  NOSCRIPT OL OPTION OUTPUT P SCRIPT SECTION SELECT SMALL SPAN STYLE SUMMARY TABLE TBODY TD TH
  THEAD TITLE TR UL svg circle desc g line path polygon polyline rect text title tspan`
  .split(/\s+/));
const usual = JSON.stringify([1, 1, 1, 4]);
const oddities = () => {
  const found = [];
  for (const one of document.querySelectorAll("*")) {
    if (!known.has(one.tagName)) found.push(one.outerHTML.slice(0, 200));
    for (const { name, value } of one.attributes) {
      if (/^on|^src|action$/i.test(name)) found.push(`${name}=${value}`);
      if (/href$/.test(name) && !/^(https?:\/\/|#)/.test(value)) found.push(`${name}=${value}`);
    }
  }
  const count = (selector) => document.querySelectorAll(selector).length;
  const counts = JSON.stringify([count("script:not([type])"), count("style"), count("form"), count("meta:not([charset])")]);
  if (counts !== usual) found.push(counts);
  if (window.__pwned !== undefined) found.push(`ran: ${window.__pwned}`);
  if (({}).x !== undefined) found.push("a prototype was changed");
  return found;
};
