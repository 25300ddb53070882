// The boards of a file: a list to choose from with dealer, vulnerability and par; and on paper one after
// the other.

import { html, nothing, render } from "./dom.js";
import { answerOf } from "./answers.js";
import { needed } from "./bridge.js";
import { SEATS, estimatedPlace } from "./cards.js";
import { PRINTED_STRAINS } from "./makes.js";
import { say, strainSign } from "./settings.js";
import { change, choose, state } from "./store.js";

const FILTERS = ["all", "slams", "missed", "hardest"];
const GAME = [10, 10, 11, 11, 9];

/** What is notable of a board: slams that make, games not bid, results that the network missed. */
function notable(each) {
  const { exact, estimate } = answerOf(each);
  if (!exact) return { slams: false, missed: false, hardest: 0 };
  const most = (side) => exact.map((row) => Math.max(row[side], row[side + 2]));
  const game = (side) => most(side).some((tricks, strain) => tricks >= GAME[strain]);
  const declared = /^[1-7]/.test(each.contract ?? "") ? each.declarer % 2 : null;
  const bidGame = declared !== null && needed(each.contract) >= GAME["SHDCN".indexOf(each.contract[1])];
  return {
    slams: exact.flat().some((tricks) => tricks >= 12),
    missed: Boolean(each.contract) && [0, 1].some((side) => game(side) && !(bidGame && declared === side)) && !bidGame,
    hardest: estimate ? exact.flat().filter((tricks, i) => Math.abs(tricks - estimate.expected.flat()[i]) > 1).length : 0,
  };
}

const parText = ({ par, exact }) => (!par || !exact ? "" : par.ns === 0 ? "0" : par.ns > 0 ? `+${par.ns}` : `−${-par.ns}`);

export function railView() {
  const { boards, chosen, skipped, filter } = state;
  const facts = boards.map((each) => notable(each));
  const shown = boards.map((_, place) => place).filter((place) => filter === "all" || facts[place][filter] || place === chosen);
  const item = (place) => {
    const { number, dealer, vulnerable } = boards[place];
    const dot = facts[place].slams ? say("slam") : facts[place].missed ? say("game missed") : "";
    return html`<li><button type="button" class="rail-board" aria-current=${place === chosen ? "true" : nothing} @click=${() => choose(place)}>
      <span class="spoken">${say("a board")} </span><span class="number">${number ?? place + 1}</span>
      <span class="mini v-${vulnerable ?? "none"}" aria-hidden="true">${dealer === null ? "" : SEATS[dealer]}</span>
      <span class="par-small">${parText(answerOf(boards[place]))}</span>
      ${dot ? html`<span class="dot" title=${dot}><span class="spoken">${dot}</span></span>` : nothing}</button></li>`;
  };
  return html`${boards.length > 1 ? html`
      <div class="filters" role="group" aria-label=${say("filters")}>${FILTERS.map((key) => html`<button type="button" class="quiet" aria-pressed=${filter === key} @click=${() => change({ filter: key })}>${say(`filter ${key}`)}</button>`)}</div>
      <ol class="board-list">${shown.map(item)}</ol>` : nothing}
    ${skipped.length ? html`<details class="skipped"><summary>${say("not read", { n: skipped.length })}</summary><ul>${skipped.slice(0, 20).map((text) => html`<li>${text}</li>`)}</ul></details>` : nothing}`;
}

/** Fill an element with every board as it is printed: diagram and numbers, one or two a page. */
export function printable(target, boards) {
  const pages = boards.map((each) => {
    const { exact, estimate, par } = answerOf(each);
    const diagram = document.createElement("hand-diagram");
    diagram.show(each);
    const text = (strain, seat) => (exact ? exact[strain][seat] : estimate ? estimate.expected[strain][estimatedPlace(each.deal, seat)]?.toFixed(1) : "");
    return html`<article class="printed">${diagram}<div>
      <table><caption>${say(exact ? "double-dummy tricks" : "expected tricks")}</caption><thead><tr><td></td>${PRINTED_STRAINS.map((strain) => html`<th scope="col">${strainSign(strain)}</th>`)}</tr></thead>
      <tbody>${[0, 2, 1, 3].map((seat) => html`<tr><th scope="row">${SEATS[seat]}</th>${PRINTED_STRAINS.map((strain) => html`<td class="number">${text(strain, seat)}</td>`)}</tr>`)}</tbody></table>
      ${par && exact ? html`<p>${say("par")} ${parText({ par, exact })}</p>` : nothing}</div></article>`;
  });
  render(html`${pages}`, target);
}
