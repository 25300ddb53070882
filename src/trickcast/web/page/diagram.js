// Four hands around the table, and the picker that gives cards to them one by one.

import { RANKS, SEATS, SEAT_NAMES, SUITS, SUIT_NAMES, SYMBOLS, UNKNOWN } from "./cards.js";
import { element, sign } from "./dom.js";

/** <hand-diagram>: shows the deal it is given. */
export class HandDiagram extends HTMLElement {
  show({ deal, number, dealer, vulnerable, contract, declarer, players }) {
    const hands = SEATS.map((letter, seat) => {
      const count = deal.count(seat);
      const suits = SUITS.map((_, suit) =>
        element("li", {}, sign(suit, SYMBOLS, SUIT_NAMES), ` ${deal.holding(seat, suit) || "–"}`),
      );
      const title = count === 13 ? `${deal.points(seat)} points` : count ? `${count} cards` : "unknown";
      const name = players?.[SEAT_NAMES[seat]] ? `${players[SEAT_NAMES[seat]]}, ` : "";
      return element(
        "section",
        { class: `hand seat-${letter}`, "aria-label": SEAT_NAMES[seat] },
        element("h3", {}, SEAT_NAMES[seat], element("small", {}, ` ${name}${title}`)),
        count ? element("ul", {}, ...suits) : element("p", {}, "not known"),
      );
    });
    const facts = [
      number ? `Board ${number}` : "",
      dealer === null ? "" : `dealer ${SEAT_NAMES[dealer]}`,
      vulnerable === null ? "" : `vulnerable ${{ ns: "NS", ew: "EW" }[vulnerable] ?? vulnerable}`,
      contract && SEATS[declarer] ? `played in ${contract} by ${SEAT_NAMES[declarer]}` : "",
    ].filter(Boolean);
    this.replaceChildren(
      element("p", { class: "facts" }, facts.join(", ")),
      element("div", { class: "table" }, ...hands),
    );
  }
}

/** <card-picker>: 52 large buttons; fires “pick” with the changed deal. */
export class CardPicker extends HTMLElement {
  #seat = 0;
  #deal = null;

  show(deal) {
    this.#deal = deal;
    const focused = document.activeElement?.dataset?.card;
    const seats = SEATS.map((_, seat) => {
      const chosen = seat === this.#seat;
      const button = element(
        "button",
        { type: "button", "aria-pressed": String(chosen), class: "seat" },
        `${SEAT_NAMES[seat]} ${deal.count(seat)}`,
      );
      button.addEventListener("click", () => {
        this.#seat = seat;
        this.show(this.#deal);
      });
      return button;
    });
    const rows = SUITS.map((_, suit) =>
      element(
        "div",
        { class: "suit", role: "group", "aria-label": SUIT_NAMES[suit] },
        ...[...RANKS].map((rank, place) => this.#card(suit, rank, 13 * suit + place)),
      ),
    );
    this.replaceChildren(
      element("p", {}, "Choose a hand, then touch its cards; touch again to take one back."),
      element("div", { class: "seats", role: "group", "aria-label": "Hand" }, ...seats),
      ...rows,
    );
    if (focused) this.querySelector(`[data-card="${focused}"]`)?.focus();
  }

  #card(suit, rank, card) {
    const owner = this.#deal.owner(card);
    const held = owner === UNKNOWN ? "free" : `held by ${SEAT_NAMES[owner]}`;
    const button = element(
      "button",
      {
        type: "button",
        class: `card strain-${suit} ${owner === this.#seat ? "mine" : ""} ${owner === UNKNOWN ? "" : "taken"}`,
        "data-card": card,
        "aria-label": `${SUIT_NAMES[suit]} ${rank}, ${held}`,
      },
      element("span", { "aria-hidden": "true" }, SYMBOLS[suit] + (rank === "T" ? "10" : rank)),
      element("small", { "aria-hidden": "true" }, owner === UNKNOWN ? "" : SEATS[owner]),
    );
    button.addEventListener("click", () => this.#touch(card));
    return button;
  }

  #touch(card) {
    const deal = this.#deal;
    const owner = deal.owner(card);
    if (owner !== this.#seat && deal.count(this.#seat) === 13) {
      this.#tell(`${SEAT_NAMES[this.#seat]} has thirteen cards; touch one to take it back.`);
      return;
    }
    const changed = deal.with(card, owner === this.#seat ? UNKNOWN : this.#seat);
    const detail = owner === this.#seat ? changed : changed.filled();
    this.dispatchEvent(new CustomEvent("pick", { detail, bubbles: true }));
  }

  #tell(text) {
    this.querySelector("p").textContent = text;
  }
}

customElements.define("hand-diagram", HandDiagram);
customElements.define("card-picker", CardPicker);
