// Where answers come from: a server over HTTP, or this browser. Both give the same: estimates as
// probabilities, expected and tricks by strain (S H D C NT) and declarer (N E S W); exact tricks by
// strain and declarer; and the tricks that declarer takes after each card that can be played.

import { playState, textOf } from "./bridge.js";
import { SEATS } from "./cards.js";
import { Network } from "./net.js";
import { say } from "./settings.js";

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

const beside = (name) => new URL(name, import.meta.url);
const aborted = () => new DOMException("given up", "AbortError");

/** Fetch a file whole; `told` hears which share has come. */
async function fetched(name, told = () => {}) {
  const response = await fetch(beside(name)).catch(() => null);
  if (!response?.ok) throw new EngineError(say("not loaded", { name }));
  const packed = response.headers.get("content-encoding");
  const total = packed ? 0 : Number(response.headers.get("content-length"));
  const parts = [];
  let size = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    told(total ? size / total : null, size);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const PATIENCE = 200; // milliseconds that a worker or server has to end what nobody waits for, before it is ended

/** A worker that answers one question at a time. */
class Asked {
  #make;
  #worker = null;
  #free = Promise.resolve();

  constructor(make) {
    this.#make = make;
  }

  /** Ask; who gives up hears of it at once. */
  ask(question, signal) {
    return new Promise((resolve, reject) => {
      const stop = () => reject(aborted());
      signal?.addEventListener("abort", stop);
      this.#free = this.#free
        .then(() => this.#answer(question, signal).then(resolve, reject))
        .finally(() => signal?.removeEventListener("abort", stop));
    });
  }

  async #answer(question, signal) {
    if (signal?.aborted) throw aborted();
    this.#worker ??= await this.#make();
    const worker = this.#worker;
    let timer = 0;
    let hurry = null;
    const end = () => {
      worker.terminate();
      this.#worker = null;
    };
    try {
      return await new Promise((resolve, reject) => {
        hurry = () => (timer = setTimeout(() => (end(), reject(aborted())), PATIENCE));
        if (signal?.aborted) hurry();
        signal?.addEventListener("abort", hurry);
        worker.onmessage = ({ data: { error, answer } }) => (error ? reject(new EngineError(say("no answer", { error }))) : resolve(answer));
        worker.onerror = () => {
          end();
          reject(new EngineError(say("no worker")));
        };
        worker.postMessage(question);
      });
    } finally {
      signal?.removeEventListener("abort", hurry); // else it would end the worker of a later question
      clearTimeout(timer);
    }
  }
}

/** This browser alone: networks in plain JavaScript, exact tricks by DDS as WebAssembly. */
export class BrowserEngine {
  name = "browser";
  simulates = false;
  models = ["fast", "accurate"];
  progress = () => {}; // hears (name, share) of what is loaded behind
  #fast = null;
  #nets = new Asked(() => new Worker(beside("./worker.js"), { type: "module" }));
  #loaded = new Map();
  #dds = null;
  #solvers;

  constructor({ exact = false } = {}) {
    this.solves = exact && typeof WebAssembly === "object";
    const count = Math.max(1, Math.min(4, navigator.hardwareConcurrency ?? 1, (navigator.deviceMemory ?? 4) / 2));
    this.#solvers = Array.from({ length: count }, () => new Asked(() => this.#solver()));
  }

  /** Begin to load what the first answer needs. */
  warm() {
    this.#fast ??= fetched("./models/fast.onnx").then((bytes) => new Network(bytes));
    this.#fast.catch(() => (this.#fast = null));
    return this.#fast;
  }

  async #solver() {
    this.#dds ??= fetched("./dds.wasm", (share) => this.progress(say("the solver"), share))
      .then((bytes) => WebAssembly.compile(bytes))
      .catch((error) => {
        this.#dds = null;
        throw error;
      });
    const module = await this.#dds;
    this.progress(say("the solver"), 1);
    const worker = new Worker(beside("./dds-worker.js"), { type: "module" });
    worker.postMessage({ module });
    return worker;
  }

  async #network(model, question, signal) {
    if (!this.#loaded.has(model)) {
      const loading = fetched(`./models/${model}.onnx`, (share) => this.progress(say("the network", { model }), share)).then((bytes) =>
        this.#nets.ask({ model, bytes }));
      loading.catch(() => this.#loaded.delete(model));
      this.#loaded.set(model, loading);
    }
    await this.#loaded.get(model);
    this.progress(say("the network", { model }), 1);
    if (signal?.aborted) throw aborted();
    return this.#nets.ask({ model, ...question });
  }

  /** Estimate one whole deal. */
  async estimate(deal, model, signal) {
    const question = { name: "owners", input: deal.owners, shape: [1, 52] };
    const { data, dims } =
      model === "fast" ? (await this.warm()).run(question.name, question.input, question.shape) : await this.#network(model, question, signal);
    return estimateOf(nested(data, dims)[0], model);
  }

  /** Estimate two hands, the others unknown: strains × (first, second hand declares) × tricks. */
  async pair(deal, [first, second], vulnerable, signal) {
    const input = new Uint8Array(104);
    for (let card = 0; card < 52; card += 1) {
      input[card] = deal.owner(card) === first;
      input[52 + card] = deal.owner(card) === second;
    }
    const { data, dims } = await this.#network("pairs", { name: "hands", input, shape: [1, 2, 52] }, signal);
    return estimateOf(nested(data, dims)[0], "pairs");
  }

  /** Exact tricks of a deal; `told` hears the table as its strains are solved. */
  async solve(deal, signal, told = () => {}) {
    const table = Array(5).fill(null);
    const left = [4, 0, 1, 2, 3];
    const work = async (solver) => {
      for (let strain = left.shift(); strain !== undefined; strain = left.shift()) {
        table[strain] = await solver.ask({ strain, pbn: deal.pbn }, signal);
        told(table);
      }
    };
    await Promise.all(this.#solvers.map(work));
    return table;
  }

  /** Tricks that declarer takes after each card that can be played now: a map of texts such as SA. */
  async position({ deal, contract, declarer, cards }, signal) {
    const state = playState(deal, contract, declarer, cards);
    if (!state.legal.length) return new Map();
    const hands = SEATS.map((_, seat) =>
      [0, 1, 2, 3].map((suit) => [..."AKQJT98765432"].filter((__, rank) => state.owners[13 * suit + rank] === seat).join("")).join("."));
    const question = { strain: state.strain, pbn: `N:${hands.join(" ")}`, first: state.leader, trick: state.trick.map(textOf) };
    const found = await this.#solvers.at(-1).ask(question, signal);
    const left = 13 - state.won[0] - state.won[1];
    const taken = state.won[declarer % 2];
    return new Map(found.map(([card, tricks]) => [card, taken + (state.turn % 2 === declarer % 2 ? tricks : left - tricks)]));
  }

  /** The same after each card that can be played now: `told` hears it, card by card. */
  async ahead(line, signal, told) {
    const { legal } = playState(line.deal, line.contract, line.declarer, line.cards);
    for (const card of legal.map(textOf)) {
      if (signal.aborted) return;
      told(card, await this.position({ ...line, cards: [...line.cards, card] }, signal));
    }
  }
}

/** A trickcast server beside the page. */
export class HttpEngine {
  name = "server";
  models = ["accurate"];
  solves = true;
  simulates = true;

  warm() {}

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
      throw new EngineError(say("no server"));
    }
    if (response.ok) return response;
    const { detail } = await response.json().catch(() => ({}));
    throw refusal(response.status, detail, Number(response.headers.get("retry-after")));
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
    throw new EngineError(say("broken off"));
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

  /** What players take in a contract at the table, and double dummy: {making, expected, double_dummy}. */
  async played({ deal, contract, declarer, vulnerable }, signal) {
    const question = { deals: [deal.pbn], contract, by: SEATS[declarer], vulnerable };
    return (await this.ask("played", question, signal))[0];
  }

  async position(line, signal) {
    return resultsIn((await this.#play(line, signal)).now);
  }

  async ahead(line, signal, told) {
    const { ahead } = await this.#play(line, signal, { ahead: true });
    for (const [card, after] of Object.entries(ahead)) told(card, resultsIn(after));
  }

  async #play({ deal, contract, declarer, cards }, signal, more = {}) {
    const question = { deals: [deal.pbn], contract, by: SEATS[declarer], cards, position: true, ...more };
    return (await this.ask("play", question, later(signal)))[0];
  }
}

const resultsIn = (now) => new Map(Object.entries(now?.tricks ?? {}));

/** A signal that comes so late that what is nearly answered is: a server ends its solver with a question. */
function later(signal) {
  const late = new AbortController();
  signal?.addEventListener("abort", () => setTimeout(() => late.abort(), PATIENCE));
  return late.signal;
}

function refusal(status, detail, again) {
  const busy = (status === 429 || status === 503) && again ? ` ${say("again in", { seconds: again })}` : "";
  const error = new EngineError((typeof detail === "string" ? detail : say("server answers", { status })) + busy);
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
  const { engine, exact } = await (await fetch(beside("./engine.json"))).json();
  return engine === "http" ? new HttpEngine() : new BrowserEngine({ exact });
}
