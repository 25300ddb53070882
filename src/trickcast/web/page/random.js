// Deals at random: any, with a slam in the air, or, where a server deals, with hands as words describe them.

import { Deal } from "./cards.js";
import { html, render } from "./dom.js";
import { EngineError } from "./engine.js";
import { say, seatName } from "./settings.js";

const SLAM = 31; // points of a side from which on a slam is in the air
const SEEDS = 2 ** 31;

const below = (count) => {
  const most = Math.floor(2 ** 32 / count) * count; // beyond it the remainder would favour low numbers
  for (const word = new Uint32Array(1); ; ) {
    crypto.getRandomValues(word);
    if (word[0] < most) return word[0] % count;
  }
};

/** A deal of 52 cards, each as likely as any other. */
export function anyDeal() {
  const cards = Array.from({ length: 52 }, (_, card) => card);
  for (let last = 51; last > 0; last -= 1) {
    const other = below(last + 1);
    [cards[last], cards[other]] = [cards[other], cards[last]];
  }
  const owners = new Uint8Array(52);
  cards.forEach((card, place) => (owners[card] = place % 4));
  return new Deal(owners);
}

/** A deal in which a side has the points for a slam. */
export function slamDeal() {
  for (;;) {
    const deal = anyDeal();
    const points = deal.points(0) + deal.points(2);
    if (points >= SLAM || points <= 40 - SLAM) return deal;
  }
}

/** Draw the choices; `take` hears the deal. */
export function drawRandom(target, engine, take, told = "") {
  const wanted = (name) => target.querySelector(`[name=${name}]`)?.value.trim();
  const byWords = async (event) => {
    event.preventDefault();
    const words = Object.fromEntries(["north", "south"].map((seat) => [seat, wanted(seat)]).filter(([, text]) => text));
    try {
      const [{ deal }] = await engine.ask("deal", { ...words, seed: below(SEEDS) });
      take(Deal.parse(deal));
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      drawRandom(target, engine, take, error.message);
    }
  };
  const field = (seat, name, example) => html`<label class="field">${say("has", { seat: name })} <input type="text" name=${seat} placeholder=${example} spellcheck="false" autocapitalize="off"></label>`;
  render(html`<button type="button" class="quiet" @click=${() => take(anyDeal())}>${say("any deal")}</button>
    <button type="button" class="quiet" @click=${() => take(slamDeal())}>${say("slam zone", { points: SLAM })}</button>
    ${engine?.simulates ? html`<form class="words" @submit=${byWords}>${field("north", seatName(0), "15-17 balanced")}${field("south", seatName(2), "at least 5 hearts")}
        <p role="alert">${told}</p><button class="quiet">${say("deal by words")}</button></form>` : html`<p class="hint">${say("words need server")}</p>`}`, target);
}
