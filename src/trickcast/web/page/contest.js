// Beat the net: a chunk of deals, so many seconds each, against the networks and the printed rows.

import { Deal, SEATS, SEAT_NAMES } from "./cards.js";
import { element } from "./dom.js";
import "./diagram.js";
import { ContestError, PracticeRounds, ServerRounds } from "./rounds.js";

const STRAINS = { N: "notrump", S: "spades" };
const NAMES = { "(52x4)-(26x4)-26-13-1": "the network of 2009" };
const HANDS = { 4: "all four hands known", 2: "two hands known" };
const TICK = 200; // milliseconds
const kindName = ({ hands, strain }) => `${STRAINS[strain]}, ${HANDS[hands]}`;
const button = (text, act, attributes = {}) => {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", act);
  return made;
};
const went = (tricks) => (tricks === null ? "none" : String(tricks));

/** <beat-the-net>: plays chunk after chunk. */
export class BeatTheNet extends HTMLElement {
  #rounds = null;
  #rules = null;
  #timer = 0;

  async connectedCallback() {
    await this.#attempt(async () => {
      const answer = await fetch(new URL("./engine.json", import.meta.url)).catch(() => null);
      if (!answer?.ok) throw new ContestError("The page is not whole: engine.json cannot be read.");
      const { engine } = await answer.json();
      this.#rounds = engine === "http" ? new ServerRounds() : new PracticeRounds();
      const { result } = history.state ?? {};
      if (result) this.#score(result);
      else await this.#start();
    });
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
  }

  /** Do what is asked for; what goes wrong is told, with a way on. */
  async #attempt(action) {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof ContestError)) throw error;
      clearInterval(this.#timer);
      if (error.status === 403) this.#rounds.strange();
      const retry = error.status === 503 ? action : () => this.#start();
      this.#show(
        element("p", { role: "alert", class: "alarm" }, error.message),
        element("p", { class: "buttons" }, button("Try again", () => this.#attempt(retry), { class: "go" })),
      );
    }
  }

  /** Show parts; focus goes to what a person does next. */
  #show(...parts) {
    this.replaceChildren(...parts);
    this.querySelector("[data-first]")?.focus({ preventScroll: true });
  }

  async #start() {
    history.replaceState(null, "");
    this.#rules = await this.#rounds.overview();
    const { length, seconds, best } = this.#rules;
    const choice = (name, label, options) =>
      element(
        "fieldset",
        {},
        element("legend", {}, label),
        ...options.map(([value, text], i) =>
          element("label", {}, element("input", { type: "radio", name, value, checked: i === 0 }), text),
        ),
      );
    const name = element("input", { type: "text", id: "name", maxlength: 40, autocomplete: "nickname" });
    const asked = (key) => this.querySelector(`input[name="${key}"]:checked`).value;
    const begin = () =>
      this.#attempt(async () => {
        await this.#rounds.begin({ hands: Number(asked("hands")), strain: asked("strain"), name: name.value.trim() });
        await this.#next();
      });
    const named = this.#rounds.practice
      ? [element("p", { class: "note" }, "Practice: nothing is kept, and nothing is sent anywhere.")]
      : [element("p", {}, element("label", { for: "name" }, "Your name in the table of the best, if you like"), name)];
    this.#show(
      element(
        "p",
        {},
        `A deal for training, then ${length} that count, ${seconds} seconds each. You see the cards and who leads, ` +
          "and say how many tricks North and South take with best play by all.",
      ),
      choice("strain", "Strain", [["N", "notrump"], ["S", "spades"]]),
      choice("hands", "Known hands", [["4", "all four"], ["2", "North and South alone"]]),
      ...named,
      element(
        "p",
        { class: "buttons" },
        button("Begin", begin, { class: "go" }),
        ...(this.#rounds.begun ? [button("Go on with the last chunk", () => this.#attempt(() => this.#next()))] : []),
        ...(this.#rounds.known ? [button("Delete my name and results", () => this.#attempt(() => this.#forget()))] : []),
      ),
      ...best.filter(({ players }) => players.length).map(bestTable),
    );
  }

  async #forget() {
    await this.#rounds.forget();
    await this.#start();
  }

  /** Show the next deal, and run its clock: the server's, as far as this page can know it. */
  async #next() {
    let question;
    try {
      question = await this.#rounds.deal();
    } catch (error) {
      if (error.status !== 409) throw error;
      await this.#result(); // the last deal's time ran out while nobody looked
      return;
    }
    const { number, length, deal, strain, leader, seconds } = question;
    const end = performance.now() + 1000 * seconds;
    const left = element("span", { role: "timer" });
    const bar = element("progress", { max: this.#rules.seconds, "aria-hidden": "true" });
    let answered = false;
    const answer = (tricks) => {
      if (answered) return;
      answered = true;
      clearInterval(this.#timer);
      this.#attempt(async () => this.#told(strain, await this.#rounds.answer(number, tricks)));
    };
    const tick = () => {
      const rest = Math.max(0, (end - performance.now()) / 1000);
      left.textContent = `${Math.ceil(rest)} s`;
      bar.value = rest;
      if (rest === 0) answer(null);
    };
    const counts = Array.from({ length: 14 }, (_, tricks) =>
      button(String(tricks), () => answer(tricks), { "aria-label": `${tricks} tricks` }),
    );
    const diagram = document.createElement("hand-diagram");
    diagram.show({ deal: Deal.parse(deal), number: null, dealer: null, vulnerable: null });
    this.#show(
      element("h2", { tabindex: -1, "data-first": true }, number ? `Deal ${number} of ${length}` : "For training"),
      element("p", { class: "task" }, task(strain, leader)),
      element("p", { class: "clock" }, left, bar),
      diagram,
      element("p", { id: "question" }, "Tricks of North and South:"),
      element("div", { class: "counts", role: "group", "aria-labelledby": "question" }, ...counts),
    );
    clearInterval(this.#timer);
    this.#timer = setInterval(tick, TICK);
    tick();
  }

  /** Show what was right, and what the networks said. */
  #told(strain, { number, deal, leader, tricks, exact, networks, late, finished }) {
    const verdict = late ? "The time was over." : tricks === null ? "No answer." : tricks === exact ? "Right!" : `You said ${tricks}.`;
    const said = Object.entries(networks).map(([name, count]) => `${NAMES[name] ?? name} ${count}`).join(", ");
    const diagram = document.createElement("hand-diagram");
    diagram.show({ deal: Deal.parse(deal), number: null, dealer: null, vulnerable: null });
    const on = finished ? () => this.#result() : () => this.#next();
    this.#show(
      element("h2", {}, number ? `Deal ${number}` : "For training"),
      element("p", { class: "task", role: "status" }, `${verdict} North and South take ${exact}.`),
      element("p", {}, `The networks said: ${said}.`),
      element("p", { class: "buttons" }, button(finished ? "See the score" : "Next deal", () => this.#attempt(on), { class: "go", "data-first": true })),
      element("p", { class: "note" }, task(strain, leader)),
      diagram,
    );
  }

  /** Show the score, and keep it for who goes to a deal and comes back. */
  async #result() {
    const result = await this.#rounds.result();
    history.replaceState({ result }, "");
    this.#score(result);
  }

  #score(result) {
    const { player, networks, printed, deals } = result;
    const row = (who, { within_2, within_1, exact }, attributes = {}) =>
      element(
        "tr",
        attributes,
        element("th", { scope: "row" }, who),
        ...[within_2, within_1, exact].map((percent) => element("td", {}, Number(percent?.[0] ?? percent).toFixed(2))),
      );
    const interval = player.exact?.length === 3 ? ` Exact: 95 % interval ${player.exact[1]} to ${player.exact[2]}.` : "";
    const rows = [
      row("you", player, { class: "you" }),
      ...Object.entries(networks).map(([name, scored]) => row(NAMES[name] ?? name, scored)),
      ...printed.map((line) => row(`${line.who}, as printed${line.note ? " *" : ""}`, line)),
    ];
    const again = button("Another chunk", () => this.#attempt(() => this.#start()), { class: "go", "data-first": true });
    this.#show(
      element("h2", {}, `Your chunk: ${kindName(result)}`),
      table(`percent of ${player.deals} deals; the printed rows are of other deals`, ["", "within two", "within one", "exact"], rows),
      element("p", { role: "status" }, `${player.deals} deals count.${interval}`),
      ...printed.filter(({ note }) => note).map(({ note }) => element("p", { class: "note" }, `* ${note}`)),
      element("p", { class: "buttons" }, again),
      table(
        "deal by deal; a touch on a number shows the deal",
        ["", "you", "exact", ...Object.keys(networks).map((name) => (NAMES[name] ? "2009" : name))],
        deals.map((deal) =>
          element(
            "tr",
            {},
            element(
              "th",
              { scope: "row" },
              element("a", { href: `./#deal=${deal.deal.replaceAll(" ", "+")}` }, deal.number ? String(deal.number) : "first"),
            ),
            ...[went(deal.tricks), deal.exact, ...Object.values(deal.networks)].map((text) => element("td", {}, String(text))),
          ),
        ),
      ),
    );
  }
}

function task(strain, leader) {
  const seat = SEATS.indexOf(leader);
  const side = seat % 2 ? "North and South declare" : "North and South defend";
  return `${STRAINS[strain][0].toUpperCase()}${STRAINS[strain].slice(1)}, ${SEAT_NAMES[seat]} leads: ${side}.`;
}

function table(caption, heads, rows) {
  return element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...heads.map((text) => element(text ? "th" : "td", text ? { scope: "col" } : {}, text)))),
    element("tbody", {}, ...rows),
  );
}

function bestTable(kind) {
  const rows = kind.players.map(({ name, chunks, begun, within_2, within_1, exact }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, name || "without a name"),
      element("td", {}, `${chunks} of ${begun}`),
      element("td", {}, within_2[0].toFixed(1)),
      element("td", {}, within_1[0].toFixed(1)),
      element("td", {}, `${exact[0].toFixed(1)} (${exact[1].toFixed(0)} to ${exact[2].toFixed(0)})`),
    ),
  );
  return table(`The best: ${kindName(kind)}`, ["", "chunks", "within two", "within one", "exact"], rows);
}

customElements.define("beat-the-net", BeatTheNet);
