// Where answers come from: a server over HTTP, or the networks in this browser. Both give the same
// estimate: probabilities, expected and tricks by strain (S H D C NT) and declarer (N E S W).

const COUNTS = 14;

/** An answer that could not be had, in a sentence. */
export class EngineError extends Error {}

/** Make an estimate of nested probabilities, strains × declarers × 0 … 13 tricks. */
export function estimateOf(probabilities, model) {
  const each = (use) => probabilities.map((row) => row.map(use));
  return {
    model,
    probabilities,
    expected: each((chances) => chances.reduce((sum, chance, tricks) => sum + chance * tricks, 0)),
    tricks: each((chances) => chances.indexOf(Math.max(...chances))),
  };
}

/** Cut a flat array into nested ones of a shape. */
function nested(data, [size, ...rest]) {
  if (!rest.length) return Array.from(data);
  const step = data.length / size;
  return Array.from({ length: size }, (_, i) => nested(data.subarray(i * step, (i + 1) * step), rest));
}

/** The networks in a worker: estimates at once and offline, nothing exact. */
export class BrowserEngine {
  name = "browser";
  models = ["fast", "accurate"];
  solves = false;
  #worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  #waiting = new Map();
  #count = 0;

  constructor() {
    this.#worker.onmessage = ({ data: { id, error, ...result } }) => {
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) reject(new EngineError(`The network did not answer: ${error}`));
      else resolve(result);
    };
    this.#worker.onerror = () => {
      for (const { reject } of this.#waiting.values()) {
        reject(new EngineError("This browser could not start the networks (it needs WebAssembly)."));
      }
      this.#waiting.clear();
    };
  }

  #ask(question) {
    const id = (this.#count += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...question });
    });
  }

  /** Estimate one whole deal. */
  async estimate(deal, model) {
    const { data, dims } = await this.#ask({
      model, name: "owners", input: deal.owners, shape: [1, 52],
    });
    return estimateOf(nested(data, dims)[0], model);
  }

  /** Estimate two hands, the others unknown: strains × (first, second hand declares) × tricks. */
  async pair(deal, [first, second]) {
    const input = new Uint8Array(104);
    for (let card = 0; card < 52; card += 1) {
      input[card] = deal.owner(card) === first;
      input[52 + card] = deal.owner(card) === second;
    }
    const { data, dims } = await this.#ask({
      model: "pairs", name: "hands", input, shape: [1, 2, 52],
    });
    return estimateOf(nested(data, dims)[0], "pairs");
  }
}

/** A trickcast server beside the page. */
export class HttpEngine {
  name = "server";
  models = ["accurate"];
  solves = true;

  async #fetch(path, question, accept, signal) {
    let response;
    try {
      response = await fetch(new URL(`./v1/${path}`, document.baseURI), {
        method: "POST",
        headers: { "content-type": "application/json", accept },
        body: JSON.stringify(question),
        signal,
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new EngineError("The server cannot be reached.");
    }
    if (response.ok) return response;
    const { detail } = await response.json().catch(() => ({}));
    throw refusal(response.status, detail);
  }

  /** The results of a question, as `trickcast PATH --json` prints them. */
  async ask(path, question, signal) {
    const response = await this.#fetch(path, question, "application/json", signal);
    return (await response.json()).results;
  }

  /** Yield the object of a result as it grows: what is known so far, at last all of it. */
  async *stream(path, question, signal) {
    const response = await this.#fetch(path, question, "text/event-stream", signal);
    for await (const { event, data } of eventsOf(response.body)) {
      if (event === "error") throw refusal(data.status, data.detail);
      if (event === "partial" || event === "result") yield data;
      if (event === "end") return;
    }
    throw new EngineError("The server broke off its answer.");
  }

  async estimate(deal, model, signal) {
    const [result] = await this.ask("estimate", { deals: [deal.pbn], model }, signal);
    return estimateOf(result.probabilities, model);
  }

  /** Estimate two hands, as the browser's network does; with the contracts that score best. */
  async pair(deal, [first, second], vulnerable, signal) {
    const question = { north: [deal.hand(first)], south: [deal.hand(second)], vulnerable };
    const [result] = await this.ask("pair", question, signal);
    return { ...estimateOf(result.probabilities, "pairs"), best: result.best_contracts };
  }

  /** Exact tricks of a deal, strains × declarers. */
  async solve(deal, signal) {
    return (await this.ask("solve", { deals: [deal.pbn] }, signal))[0].exact;
  }
}

function refusal(status, detail) {
  const error = new EngineError(typeof detail === "string" ? detail : `The server answers ${status}.`);
  error.status = status;
  return error;
}

/** Yield the events of a stream of bytes: {event, data}. */
async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + value).split("\n\n");
      text = blocks.pop();
      for (const block of blocks) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block);
        yield { event, data: JSON.parse(data) };
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // who leaves early ends the server's work; an error is known by then
  }
}

/** Open the engine that the page was made for; engine.json, beside the page, names it. */
export async function openEngine() {
  const answer = await fetch(new URL("./engine.json", import.meta.url));
  const { engine } = await answer.json();
  return engine === "http" ? new HttpEngine() : new BrowserEngine();
}
