// Rows and evidence from the server that this page came from.
const POLL = 2000; // ms

class LiveSource {
  constructor(page, rows) {
    this.token = page.token;
    this.known = rows;
    this.places = null; // all texts are there
  }

  async ask(path, options = {}) {
    let answer;
    try {
      answer = await fetch(path, { cache: "no-store", credentials: "same-origin", ...options });
    } catch {
      throw new Error("The server does not answer. Is `scrapy dedup serve` still running?");
    }
    let found = null;
    try {
      found = await answer.json();
    } catch { /* said below */ }
    if (!answer.ok || found === null) throw new Error((found && found.error) || `The server said ${answer.status}.`);
    return found;
  }

  /** Fetch what is new; of a long journal, one part after the other. */
  async more(grown) {
    let more = 0;
    for (let batch = { more: true }; batch.more;) {
      batch = await this.rows();
      more += this.known.append(batch);
      this.problems = batch.problems || [];
      if (grown) grown(this.known.count);
    }
    return more;
  }

  rows() {
    const after = Object.entries(this.known.last).map(([run, seq]) => `${encodeURIComponent(run)}:${seq}`).join(",");
    return this.ask(`/api/rows${after ? `?after=${after}` : ""}`);
  }

  async evidence(row) {
    const run = encodeURIComponent(this.known.runOf(row));
    const found = await this.ask(`/api/evidence/${run}/${this.known.seq[row]}`);
    if (found.error) throw new Error(found.error);
    return found.html;
  }

  /** Tell the server something; what it says is said here, be it good or bad. */
  async post(what, data) {
    try {
      const found = await this.ask(`/api/${what}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Dedup-Token": this.token },
        body: JSON.stringify(data),
      });
      say(shown(found.said));
      return true;
    } catch (error) {
      say(shown(error.message));
      return false;
    }
  }

  /** Look for new rows, as long as somebody looks at the page. */
  poll(grown) {
    const sign = $("live");
    sign.hidden = false;
    sign.textContent = "live";
    const look = async () => {
      if (!document.hidden) {
        try {
          const more = await this.more();
          sign.textContent = "live";
          sign.classList.remove("gone");
          grown(more);
        } catch (error) {
          sign.textContent = shown(error.message);
          sign.classList.add("gone");
        }
      }
      setTimeout(look, POLL);
    };
    setTimeout(look, POLL);
  }
}
