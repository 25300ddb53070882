// What follows from a deal besides its tricks: the par, what each hand opens and why, and what two
// hands alone are worth.

import { SEATS, SEAT_NAMES, STRAIN_NAMES, SYMBOLS } from "./cards.js";
import { element, percent, sign } from "./dom.js";

const GAME = [10, 10, 11, 11, 9]; // tricks that game takes: S H D C NT
const SIDES = ["NS", "EW"];
const SYSTEMS = [
  "polish-club", "polish-club-rules", "polish-club-book", "standard-american", "52-60-7", "52-60-12", "cascade-1996",
];

/** A contract such as 4HX or 3N as people write it; other words stay. */
export function written(text) {
  const match = /^([1-7])([SHDCN])(.*)$/.exec(text);
  if (!match) return [text === "PASS" ? "pass" : text];
  const strain = "SHDCN".indexOf(match[2]);
  return [match[1], sign(strain, SYMBOLS, [" spades", " hearts", " diamonds", " clubs", " notrump"]), match[3]];
}

/**
 * <deal-facts>: shows what it is given: {par}, {openings}, {pair, seats}; nothing for none. Tells by
 * an event "system" that another opening system was chosen.
 */
export class DealFacts extends HTMLElement {
  #worth = element("div");
  #system = element("select", {}, ...SYSTEMS.map((name) => element("option", {}, name)));
  #choice = element("p", { hidden: true }, element("label", {}, "Opening system ", this.#system));
  #openings = element("div");

  connectedCallback() {
    this.append(this.#worth, this.#choice, this.#openings);
    this.#system.addEventListener("change", () => this.dispatchEvent(new CustomEvent("system")));
  }

  get system() {
    return this.#system.value;
  }

  show({ par = null, openings = null, pair = null, seats = null } = {}) {
    this.#worth.replaceChildren(...(pair ? worth(pair, seats) : []), ...(par ? [parOf(par)] : []));
    this.#choice.hidden = !openings;
    this.#openings.replaceChildren(...(openings ? [openingsOf(openings)] : []));
  }
}

function parOf({ ns, contracts, vulnerable }) {
  const sides = vulnerable === "none" ? "nobody vulnerable" : `vulnerable: ${vulnerable}`;
  const shown = contracts.flatMap((text, i) => [i ? ", " : "", ...written(text)]);
  const score = ns === 0 ? "0" : ns > 0 ? `NS +${ns}` : `EW +${-ns}`;
  return element("p", { class: "par" }, element("strong", {}, `Par ${score}`), " by ", ...shown, ` (${sides})`);
}

function openingsOf(openings) {
  const rows = openings.map(({ seat, call, reason }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, SEAT_NAMES[seat]),
      element("td", {}, ...written(call)),
      element("td", { class: "why" }, reason),
    ),
  );
  const heads = ["hand", "opens", "why"].map((text) => element("th", { scope: "col" }, text));
  return element(
    "table",
    { class: "openings" },
    element("caption", {}, `opening bids, each as if first to call (${openings[0].system})`),
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...rows),
  );
}

/** Chances of game and slam by the better declarer, and the contracts that score best. */
function worth({ probabilities, best }, seats) {
  const atLeast = (strain, tricks) =>
    percent(Math.max(...probabilities[strain].map((row) => row.slice(tricks).reduce((a, b) => a + b, 0))));
  const order = [4, 0, 1, 2, 3];
  const head = order.map((strain) =>
    element("th", { scope: "col" }, sign(strain, SYMBOLS, STRAIN_NAMES)));
  const row = (name, tricks) =>
    element("tr", {}, element("th", { scope: "row" }, name),
      ...order.map((strain) => element("td", {}, atLeast(strain, tricks(strain)))));
  const table = element(
    "table",
    { class: "worth" },
    element("caption", {}, `what the hands of ${SIDES[seats[0]]} are worth together, the others unknown`),
    element("thead", {}, element("tr", {}, element("td", {}), ...head)),
    element("tbody", {}, row("game", (strain) => GAME[strain]), row("slam", () => 12), row("grand", () => 13)),
  );
  if (!best) return [table];
  const items = best.map(({ contract, by, making, expected_score: score }) =>
    element("li", {}, ...written(contract), ` by ${SEATS[by === "N" ? seats[0] : seats[1]]}: ${Math.round(score)} points on average, makes ${percent(making)}`),
  );
  return [table, element("p", {}, "Contracts that score best:"), element("ol", { class: "best" }, ...items)];
}

customElements.define("deal-facts", DealFacts);
