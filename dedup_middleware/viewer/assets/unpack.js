// Rows and evidence out of the file itself.
const unpack = async (id) => {
  if (!globalThis.DecompressionStream) throw new Error("This browser is too old to unpack the page: use one of 2023 or later.");
  const island = $(id);
  const text = atob(island.textContent);
  island.textContent = ""; // some megabytes that nobody needs twice
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  const stream = new DecompressionStream("gzip");
  const writer = stream.writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  const [found] = await Promise.all([new Response(stream.readable).json(), written]);
  return found;
};

class FileSource {
  constructor(page, rows) {
    this.known = rows;
    this.problems = page.problems;
    this.places = new Map();
    this.blocks = new Map();
    page.evidence.forEach((block, number) => block.forEach((row, at) => this.places.set(row, [number, at])));
  }

  async more() { return this.known.append(await unpack("packed-rows")); }

  async evidence(row) {
    const place = this.places.get(row);
    if (!place) return null;
    const [number, at] = place;
    if (!this.blocks.has(number)) this.blocks.set(number, unpack(`evidence-${number}`));
    return (await this.blocks.get(number))[at];
  }
}
