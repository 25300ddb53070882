// Who keeps the deals, the clock and the score of a contest: a server, or for practice this page.
// Both have begin, deal, answer and result, and give the same objects.

import { say } from "./settings.js";

/** Why a contest does not go on, in a sentence; the status is that of the server's answer. */
export class ContestError extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

const KEPT = "contest";

/** A contest that a server holds; the player's token is kept in this browser. */
export class ServerRounds {
  practice = false;

  async #ask(path, question) {
    let response;
    try {
      const options = question && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(question),
      };
      response = await fetch(new URL(`./v1/contest${path}`, document.baseURI), options);
    } catch {
      throw new ContestError(say("no server"));
    }
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    const detail = typeof answer.detail === "string" ? answer.detail : `${response.status}`;
    throw new ContestError(say("server says", { detail }), response.status);
  }

  #kept() {
    try {
      return JSON.parse(localStorage.getItem(KEPT)) ?? {};
    } catch {
      return {};
    }
  }

  #chunk() {
    const { token, chunk } = this.#kept();
    return { token, chunk };
  }

  overview() {
    return this.#ask("");
  }

  /** Whether a player is known here, and whether a chunk of theirs is not finished. */
  get known() {
    return Boolean(this.#kept().token);
  }

  get begun() {
    return this.#kept().chunk ? this.#kept() : null;
  }

  async begin({ hands, strain, name }) {
    const { token } = this.#kept();
    const begun = await this.#ask("/begin", { hands, strain, ...(token && { token }), ...(name && { name }) });
    localStorage.setItem(KEPT, JSON.stringify(begun));
    return begun;
  }

  deal() {
    return this.#ask("/deal", this.#chunk());
  }

  answer(number, tricks) {
    return this.#ask("/answer", { ...this.#chunk(), number, tricks });
  }

  async result() {
    const result = await this.#ask("/result", this.#chunk());
    if (result.finished) localStorage.setItem(KEPT, JSON.stringify({ token: this.#kept().token }));
    return result;
  }

  async forget() {
    const { token } = this.#kept();
    await this.#ask("/forget", { token });
    localStorage.removeItem(KEPT);
  }

  /** Play as somebody new: a server may have lost, or never had, the one known here. */
  strange() {
    localStorage.removeItem(KEPT);
  }
}

const PERCENT = 100;
const share = (right, deals) => (deals ? [(PERCENT * right) / deals] : null);

function score(answers) {
  const within = (most) =>
    answers.filter(([tricks, exact]) => tricks !== null && Math.abs(tricks - exact) <= most).length;
  const of = (most) => share(within(most), answers.length);
  return { deals: answers.length, within_2: of(2), within_1: of(1), exact: of(0) };
}

const LENGTHS = { day: 1, five: 5, chunk: 27 };

/** Practice: deals that were solved beforehand, on this page alone. */
export class PracticeRounds {
  practice = true;
  known = false;
  begun = null;
  #made = null;
  #played = [];
  #kind = null;
  #seconds = 30;

  async overview() {
    if (!this.#made) {
      const response = await fetch(new URL("./practice.json", import.meta.url)).catch(() => null);
      if (!response?.ok) throw new ContestError(say("no practice"));
      this.#made = await response.json();
    }
    return { length: LENGTHS.chunk, seconds: this.#seconds, best: [] };
  }

  /**
   * Begin with the deal of a `day`, with five, or with a deal for training and 27. Where the strain is
   * "named" it is told deal by deal, as in the paper.
   */
  async begin({ hands, strain, mode = "chunk", day = 0 }) {
    await this.overview();
    this.#kind = { hands, strain, mode, day };
    const left = [...this.#made.problems];
    const first = mode === "chunk" ? 0 : 1;
    this.#played = Array.from({ length: LENGTHS[mode] + 1 - first }, (_, place) => {
      const chance = mode === "day" ? (day * 37) % left.length : Math.floor(Math.random() * left.length);
      const [problem] = left.splice(chance, 1);
      const named = mode === "day" ? "NS"[day % 2] : "NS"[Math.floor(2 * Math.random())];
      return { number: first + place, problem, ended: false, tricks: null, strain: strain === "named" ? named : strain };
    });
    return { ...this.#kind, length: LENGTHS[mode], seconds: this.#seconds };
  }

  async deal() {
    const { number, problem, strain } = this.#played.find(({ ended }) => !ended);
    const [north, , south] = problem.deal.slice(2).split(" ");
    const deal = this.#kind.hands === 4 ? problem.deal : `N:${north} - ${south} -`;
    return { number, length: LENGTHS[this.#kind.mode], deal, strain, leader: problem.leader, seconds: this.#seconds };
  }

  async answer(number, tricks) {
    const played = this.#played.find((each) => each.number === number);
    Object.assign(played, { ended: true, tricks });
    return { ...this.#solution(played), late: tricks === null, finished: number === LENGTHS[this.#kind.mode] };
  }

  async result() {
    const deals = this.#played.filter(({ ended }) => ended).map((played) => this.#solution(played));
    const counted = deals.filter(({ number }) => number > 0);
    const names = Object.keys(deals[0].networks);
    const network = (name) => score(counted.map(({ networks, exact }) => [networks[name], exact]));
    return {
      ...this.#kind,
      finished: true,
      player: score(counted.map(({ tricks, exact }) => [tricks, exact])),
      networks: Object.fromEntries(names.map((name) => [name, network(name)])),
      printed: this.#kind.mode === "chunk" ? this.#made.printed[`${this.#kind.hands}${this.#kind.strain}`] : [],
      deals,
    };
  }

  #solution({ number, problem, tricks, strain }) {
    return { number, deal: problem.deal, leader: problem.leader, tricks, strain, ...problem.answers[`${this.#kind.hands}${strain}`] };
  }
}
