// Commands to be typed in a shell, for what a file can't do by itself.

/** Quote a word for a POSIX shell; what could steer a terminal that it is pasted into is spelt out. */
const quoted = (word) => {
  if (/^[\w@%+:,./][\w@%+=:,./-]*$/.test(word)) return word;
  if (word === shown(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const bytes = new TextEncoder().encode(word);
  return `$'${[...bytes].map((byte) => {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c;
    return plain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
  }).join("")}'`;
};

class Commands {
  constructor({ command, store }) {
    this.begin = `${command} dedup`;
    this.store = store ? ` --store ${quoted(store)}` : "";
  }

  restore(url) { return `${this.begin} restore${this.store} ${this.argument(url)}`; }
  compare(url, other) { return `${this.begin} compare${this.store} --html compared.html ${this.argument(url, other)}`; }
  serve() { return `${this.begin} serve${this.store}`; }

  argument(...words) { return `${words.some((word) => word.startsWith("-")) ? "-- " : ""}${words.map(quoted).join(" ")}`; }
}

/** Show a command with a button that copies it. */
const commandBox = (text, why) => {
  const copy = make("button", { type: "button" }, "Copy");
  const code = make("code", { tabindex: "0" }, text);
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied");
    } catch { // from a file, some browsers don't allow it
      getSelection().selectAllChildren(code);
      say("Selected: copy it with the keys of your system");
    }
  });
  return make("div", { class: "command" }, why ? make("p", {}, why) : null, make("div", {}, code, copy));
};
