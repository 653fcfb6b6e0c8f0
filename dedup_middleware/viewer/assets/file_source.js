// Rows and evidence from the file itself.
const unpack = async (id) => {
  if (!globalThis.DecompressionStream) throw new Error("This browser is too old for this page: use one from 2023 or later.");
  const element = $(id);
  const text = atob(element.textContent);
  element.textContent = ""; // some megabytes that are not needed twice
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  const stream = new DecompressionStream("gzip");
  const writer = stream.writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  const [data] = await Promise.all([new Response(stream.readable).json(), written]);
  return data;
};

class FileSource {
  constructor(page, rows) {
    this.known = rows;
    this.problems = page.problems;
    this.ends = page.ends; // state and requests saved of each run
    this.sites = page.sites;
    this.locations = new Map();
    this.blocks = new Map();
    page.evidence.forEach((block, number) => block.forEach((row, at) => this.locations.set(row, [number, at])));
  }

  async more() { return this.known.append(await unpack("packed-rows")); }

  async evidence(row) {
    const location = this.locations.get(row);
    if (!location) return null;
    const [number, at] = location;
    if (!this.blocks.has(number)) this.blocks.set(number, unpack(`evidence-${number}`));
    return (await this.blocks.get(number))[at];
  }
}
