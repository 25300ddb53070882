// Four hands around the compass, a true cross; and the picker that gives cards to them one by one.

import { RANKS, SEATS, SEAT_NAMES, SUITS, UNKNOWN } from "./cards.js";
import { html, nothing, render, sign } from "./dom.js";
import { rankText, say, seatName, strainName, strainSign } from "./settings.js";

const plainCard = (card) => html`<span class="card">${rankText(RANKS[card % 13])}</span>`;

/** A card's name as it is spoken: queen of hearts would be long, so hearts Q. */
export const spokenCard = (card) => `${strainName(Math.floor(card / 13))} ${rankText(RANKS[card % 13])}`;

/**
 * The cross of a board. `card` draws one card, `compass` what stands in the middle, `drop` hears a card
 * that was dragged to a seat. `owners` are those of the cards that are left.
 */
export function crossView({ deal, players }, { card = plainCard, compass = nothing, drop = null, owners = deal.owners, turn = null, playing = false } = {}) {
  const hand = (seat) => {
    const count = deal.count(seat);
    const held = (suit) => [...Array(13).keys()].map((rank) => 13 * suit + rank).filter((each) => owners[each] === seat);
    const name = players?.[SEAT_NAMES[seat]];
    return html`<section class="hand seat-${SEATS[seat]} ${turn === seat ? "turn" : ""}" aria-label=${seatName(seat)}
        @dragover=${(event) => drop && event.preventDefault()} @drop=${(event) => drop?.(event, seat)}>
      <h3><span class="seat-name">${seatName(seat)}</span>${name ? html`<span class="player">${name}</span>` : nothing}
        ${count ? html`<small>${count === 13 ? html`${deal.points(seat)}<span class="spoken"> ${say("points")}</span>` : say("some cards", { n: count })}</small>` : nothing}</h3>
      ${count ? html`<ul>${SUITS.map((_, suit) => html`<li class="holding">${sign(suit)}<span class="cards">${held(suit).length ? held(suit).map((each) => card(each, seat)) : html`<span class="void">–</span>`}</span></li>`)}</ul>`
        : html`<p class="unknown">${say("not known")}</p>`}
    </section>`;
  };
  return html`<div class="cross ${playing ? "playing" : ""} ${turn === null ? "" : `turn-${SEATS[turn]}`}">${[0, 3, 1, 2].map(hand)}<div class="middle">${compass}</div></div>`;
}

const vulnerability = (sides) => say(`vulnerable ${sides ?? "none"}`);

/** The compass: dealer and vulnerable sides; with `touch` they can be changed. */
export function compassView({ number, dealer, vulnerable }, touch = null) {
  const hot = (seat) => vulnerable === "both" || vulnerable === (seat % 2 ? "ew" : "ns");
  const label = (seat) => [seatName(seat), dealer === seat && say("dealer"), hot(seat) && say("vulnerable")].filter(Boolean).join(", ");
  const arm = (seat) => {
    const classes = `arm arm-${SEATS[seat]} ${hot(seat) ? "hot" : ""} ${dealer === seat ? "dealer" : ""}`;
    return touch
      ? html`<button type="button" class=${classes} aria-pressed=${dealer === seat} aria-label=${say("dealer of", { seat: label(seat) })} title=${say("make dealer", { seat: seatName(seat) })} @click=${() => touch.dealer(seat)}>${SEATS[seat]}</button>`
      : html`<span class=${classes} aria-label=${label(seat)} role="img">${SEATS[seat]}</span>`;
  };
  const centre = number ?? "";
  return html`<div class="compass" role="group" aria-label=${say("compass")}>${[0, 1, 2, 3].map(arm)}${touch
    ? html`<button type="button" class="centre" aria-label=${say("change vulnerability", { sides: vulnerability(vulnerable) })} title=${vulnerability(vulnerable)} @click=${touch.vulnerable}>${centre}</button>`
    : html`<span class="centre">${centre}</span>`}</div>`;
}

/** What is known of a board besides its cards, in words. */
export const factsOf = ({ number, dealer, vulnerable }) =>
  [number ? say("board", { number }) : "", dealer === null || dealer === undefined ? "" : say("dealer is", { seat: seatName(dealer) }), vulnerable ? vulnerability(vulnerable) : ""].filter(Boolean).join(" · ");

/** <hand-diagram>: shows the deal it is given. */
export class HandDiagram extends HTMLElement {
  show(board) {
    render(html`<p class="facts">${factsOf(board)}</p>${crossView(board, { compass: compassView(board) })}`, this);
  }
}

/** <card-picker>: 52 buttons; fires “pick” with the changed deal. */
export class CardPicker extends HTMLElement {
  #seat = 0;
  #suit = 0;
  #deal = null;
  #told = "";

  show(deal) {
    this.#deal = deal;
    this.#draw();
  }

  #draw() {
    const deal = this.#deal;
    const choose = (parts) => () => {
      if ("seat" in parts) this.#seat = parts.seat;
      if ("suit" in parts) this.#suit = parts.suit;
      this.#draw();
    };
    render(html`
      <p role="status">${this.#told || say("pick")}</p>
      <div class="seats" role="group" aria-label=${say("hand")}>${SEATS.map((_, seat) =>
        html`<button type="button" class="seat" aria-pressed=${seat === this.#seat} @click=${choose({ seat })}>${seatName(seat)} ${deal.count(seat)}</button>`)}</div>
      <div class="seats suit-tabs" role="group" aria-label=${say("suit")}>${SUITS.map((_, suit) =>
        html`<button type="button" aria-pressed=${suit === this.#suit} aria-label=${strainName(suit)} @click=${choose({ suit })}>${sign(suit)}</button>`)}</div>
      ${SUITS.map((_, suit) => html`<div class="suit ${suit === this.#suit ? "" : "other"}" role="group" aria-label=${strainName(suit)}>
        ${[...RANKS].map((rank, place) => this.#card(suit, rank, 13 * suit + place))}</div>`)}`, this);
  }

  #card(suit, rank, card) {
    const owner = this.#deal.owner(card);
    const held = owner === UNKNOWN ? say("free") : say("held by", { seat: seatName(owner) });
    return html`<button type="button" class="pick strain-${suit} ${owner === this.#seat ? "mine" : ""} ${owner === UNKNOWN ? "" : "taken"}"
      data-card=${card} aria-label="${strainName(suit)} ${rankText(rank)}, ${held}" @click=${() => this.#touch(card)}><span aria-hidden="true">${strainSign(suit)}${rankText(rank)}</span><small aria-hidden="true">${owner === UNKNOWN ? "" : SEATS[owner]}</small></button>`;
  }

  #touch(card) {
    const deal = this.#deal;
    const owner = deal.owner(card);
    const back = owner === this.#seat;
    this.#told = back || deal.count(this.#seat) < 13 ? "" : say("thirteen", { seat: seatName(this.#seat) });
    if (this.#told) return this.#draw();
    const changed = deal.with(card, back ? UNKNOWN : this.#seat);
    this.show(back ? changed : changed.filled()); // at once: the next key may come before the page is drawn
    this.dispatchEvent(new CustomEvent("pick", { detail: this.#deal, bubbles: true }));
  }
}

customElements.define("hand-diagram", HandDiagram);
customElements.define("card-picker", CardPicker);
