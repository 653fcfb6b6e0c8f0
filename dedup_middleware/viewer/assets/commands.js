// Shell commands for what a file can't do by itself.

/** Quote a word for a shell; characters that a terminal would obey when pasted are written as codes. */
const quoted = (word) => {
  if (/^[\w@%+:,./][\w@%+=:,./-]*$/.test(word)) return word;
  if (word === clean(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const bytes = new TextEncoder().encode(word);
  return `$'${[...bytes].map((byte) => {
    const printable = byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c;
    return printable ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
  }).join("")}'`;
};

class Commands {
  constructor({ command, store }) {
    this.command = `${command} dedup`;
    this.store = ` --store ${quoted(store)}`;
  }

  restore(url) { return `${this.command} restore${this.store} ${this.argument(url)}`; }
  compare(url, other) { return `${this.command} compare${this.store} --html compared.html ${this.argument(url, other)}`; }
  sites() { return `${this.command} sites${this.store}`; }
  serve() { return `${this.command} serve${this.store}`; }

  argument(...words) { return `${words.some((word) => word.startsWith("-")) ? "-- " : ""}${words.map(quoted).join(" ")}`; }
}

/** Show a command with a button that copies it. */
const commandBox = (text, why) => {
  const copy = make("button", { type: "button" }, "Copy");
  const code = make("code", { tabindex: "0" }, text);
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      announce("Copied");
    } catch { // some browsers don't allow it in files
      getSelection().selectAllChildren(code);
      announce("Selected: copy it with the keyboard");
    }
  });
  return make("div", { class: "command" }, why ? make("p", {}, why) : null, make("div", {}, code, copy));
};
