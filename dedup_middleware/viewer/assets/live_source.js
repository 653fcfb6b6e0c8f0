// Rows and evidence from the server that this page came from.
const POLL = 2000; // ms
const POLL_SITES = 10000; // or ten times as long as the server takes, if that is longer

class LiveSource {
  constructor(page, rows) {
    this.token = page.token;
    this.known = rows;
    this.locations = null; // the server has all texts
    this.sites = null;
    this.sitesDue = 0;
    this.sitesAreOld = true;
  }

  async fetchJson(path, options = {}) {
    let response;
    try {
      const headers = { ...options.headers, "X-Dedup-Token": this.token };
      response = await fetch(path, { cache: "no-store", credentials: "omit", ...options, headers });
    } catch {
      throw new Error("The server does not respond. Is `scrapy dedup serve` still running?");
    }
    let data = null;
    try {
      data = await response.json();
    } catch { /* reported below */ }
    if (!response.ok || data === null) throw new Error((data && data.error) || `The server responded with status ${response.status}.`);
    return data;
  }

  /** Fetch new rows, those of a long journal in several batches; return how many rows came or went. */
  async more(onProgress, onMoved) {
    let more = 0;
    for (let batch = { more: true }; batch.more;) {
      batch = await this.rows();
      more += this.known.append(batch);
      const place = batch.overruled.length ? this.known.remove(batch.overruled) : null;
      if (place) {
        more += 1;
        if (onMoved) onMoved(place);
      }
      this.problems = batch.problems || [];
      this.ends = batch.ends;
      if (onProgress) onProgress(this.known.count);
    }
    const begin = performance.now();
    this.sitesAreOld ||= more > 0;
    if (this.sitesAreOld && begin >= this.sitesDue) {
      this.sites = await this.fetchJson("/api/sites");
      this.sitesDue = begin + Math.max(POLL_SITES, 10 * (performance.now() - begin));
      this.sitesAreOld = false;
      more += 1;
    }
    return more;
  }

  rows() {
    return this.fetchJson(`/api/rows?after=${this.known.last}`);
  }

  async evidence(row) {
    const run = encodeURIComponent(this.known.runOf(row));
    return (await this.fetchJson(`/api/evidence/${run}/${this.known.seq[row]}`)).html;
  }

  /** Post data, and announce the message or error that comes back; return true if it worked. */
  async post(what, data) {
    try {
      const { message } = await this.fetchJson(`/api/${what}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(data),
      });
      announce(clean(message));
      return true;
    } catch (error) {
      announce(clean(error.message));
      return false;
    }
  }

  /** Look for new rows while the page is visible. */
  poll({ onRows, onMoved }) {
    const update = async () => {
      if (!document.hidden) {
        try {
          onRows(await this.more(null, onMoved));
        } catch (error) {
          $("live").hidden = false;
          $("live").textContent = clean(error.message);
          $("live").dataset.state = "lost";
        }
      }
      setTimeout(update, POLL);
    };
    setTimeout(update, POLL);
  }
}
