// The grid of twenty: expected tricks, the chance of the likeliest count, exact tricks beside them;
// or the contracts that make. A touch on a cell shows its whole distribution.

import { SEATS, SEAT_NAMES, STRAIN_NAMES, SYMBOLS } from "./cards.js";
import { element, percent, sign } from "./dom.js";

const PRINTED_STRAINS = [4, 0, 1, 2, 3]; // NT S H D C, as PBN prints them
const PRINTED_SEATS = [0, 2, 1, 3]; // N S E W

/** <trick-grid>: shows an estimate of a whole deal, or of two hands. */
export class TrickGrid extends HTMLElement {
  #view = "tricks";
  #content = null;
  #chosen = null;

  /** Show {estimate, exact, seats}: the declarers of the estimate's second axis. */
  show(content) {
    this.#content = content;
    if (!content?.estimate && !content?.exact) {
      this.#chosen = null;
      this.replaceChildren();
      return;
    }
    this.replaceChildren(this.#switch(), this.#table(), ...this.#legend(), this.#detail());
  }

  #switch() {
    const buttons = [["tricks", "Tricks"], ["contracts", "Contracts that make"]].map(([view, text]) => {
      const button = element("button", { type: "button", "aria-pressed": String(this.#view === view) }, text);
      button.addEventListener("click", () => {
        this.#view = view;
        this.show(this.#content);
        this.querySelector(`[aria-pressed="true"]`).focus();
      });
      return button;
    });
    return element("p", { class: "buttons", role: "group", "aria-label": "Show" }, ...buttons);
  }

  #table() {
    const { seats } = this.#content;
    const shown = PRINTED_SEATS.filter((seat) => seats.includes(seat));
    const head = PRINTED_STRAINS.map((strain) =>
      element("th", { scope: "col" }, sign(strain, SYMBOLS, STRAIN_NAMES)),
    );
    const rows = shown.map((seat) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, element("abbr", { title: SEAT_NAMES[seat] }, SEATS[seat])),
        ...PRINTED_STRAINS.map((strain) => this.#cell(strain, seat)),
      ),
    );
    return element(
      "table",
      {},
      element("caption", {}, "expected tricks"),
      element("thead", {}, element("tr", {}, element("td", {}), ...head)),
      element("tbody", {}, ...rows),
    );
  }

  #legend() {
    const { estimate, exact } = this.#content;
    if (!exact || !estimate) return [];
    const text = "= exact tricks of best play; * where the likeliest count is another.";
    return [element("p", { class: "hint" }, text)];
  }

  #cell(strain, seat) {
    const { estimate, exact, seats } = this.#content;
    const place = seats.indexOf(seat);
    const known = exact ? exact[strain][seat] : null;
    if (!estimate) return element("td", {}, String(known));
    const chance = Math.max(...estimate.probabilities[strain][place]);
    const likeliest = estimate.tricks[strain][place];
    const text =
      this.#view === "tricks"
        ? estimate.expected[strain][place].toFixed(1)
        : contract(known ?? likeliest);
    const chosen = this.#chosen && this.#chosen[0] === strain && this.#chosen[1] === seat;
    const button = element(
      "button",
      {
        type: "button",
        class: "cell",
        "aria-expanded": String(Boolean(chosen)),
        "aria-label": `${STRAIN_NAMES[strain]} by ${SEAT_NAMES[seat]}: ${text}${known === null ? "" : `, exactly ${known}`}`,
      },
      element("span", { class: "number" }, text),
      element("small", {}, percent(chance)),
    );
    if (known !== null) {
      const differs = known !== likeliest;
      button.append(
        element("span", { class: differs ? "exact differs" : "exact" }, `= ${known}${differs ? " *" : ""}`),
      );
    }
    button.addEventListener("click", () => {
      this.#chosen = chosen ? null : [strain, seat];
      this.show(this.#content);
      this.querySelector(`td[data-cell="${strain}-${seat}"] button`).focus();
    });
    return element("td", { "data-cell": `${strain}-${seat}` }, button);
  }

  #detail() {
    const place = this.#chosen && this.#content.seats.indexOf(this.#chosen[1]);
    if (!this.#chosen || place < 0 || !this.#content.estimate) {
      return element("p", { class: "hint" }, "Touch a number to see its chances.");
    }
    const [strain, seat] = this.#chosen;
    const chances = this.#content.estimate.probabilities[strain][place];
    const rows = chances
      .map((chance, tricks) => [tricks, chance, chances.slice(tricks).reduce((a, b) => a + b, 0)])
      .filter(([, chance]) => chance >= 0.005);
    const body = rows.map(([tricks, chance, atLeast]) => {
      const bar = element("meter", { min: 0, max: 1, value: chance.toFixed(3), "aria-hidden": "true" });
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, String(tricks)),
        element("td", {}, percent(chance)),
        element("td", { class: "bar" }, bar),
        element("td", {}, percent(atLeast)),
      );
    });
    const heads = ["tricks", "chance", "", "at least"].map((text) => element("th", { scope: "col" }, text));
    return element(
      "table",
      { class: "chances" },
      element("caption", {}, `${STRAIN_NAMES[strain]} by ${SEAT_NAMES[seat]}`),
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...body),
    );
  }
}

/** The highest contract that so many tricks make. */
function contract(tricks) {
  return tricks < 7 ? "–" : String(tricks - 6);
}

customElements.define("trick-grid", TrickGrid);
