// The twenty expected tricks with their chances; a number that is chosen shows its whole distribution.

import { html, nothing, percent, sign } from "./dom.js";
import { SEATS } from "./cards.js";
import { say, seatName, strainName } from "./settings.js";
import { change, state } from "./store.js";

const STRAINS = [4, 0, 1, 2, 3]; // NT S H D C, as PBN prints them
const SEATS_PRINTED = [0, 2, 1, 3]; // N S E W

/** The chance of at least so many tricks. */
export const atLeast = (chances, tricks) => chances.slice(tricks).reduce((a, b) => a + b, 0);

/** The highest contract that so many tricks make, and how likely it does: certainly where all is known. */
function contractCell(chances, known, likeliest) {
  const tricks = known ?? likeliest;
  if (tricks < 7) return ["–", ""];
  return [String(tricks - 6), known === null ? percent(atLeast(chances, tricks)) : ""];
}

const isChosen = (strain, seat) => state.cell?.[0] === strain && state.cell[1] === seat;

function cellView({ estimate, seats, exact }, strain, seat) {
  const place = seats.indexOf(seat);
  const known = exact ? exact[strain][seat] : null;
  const chances = estimate.probabilities[strain][place];
  const likeliest = estimate.tricks[strain][place];
  const [text, chance] = state.grid === "contracts" ? contractCell(chances, known, likeliest)
    : [estimate.expected[strain][place].toFixed(1), percent(Math.max(...chances))];
  const differs = known !== null && known !== likeliest;
  return html`<td data-cell="${strain}-${seat}"><button type="button" class="cell" aria-expanded=${isChosen(strain, seat)}
    aria-label=${`${by(strain, seat)}: ${text}${known === null ? "" : `, ${say("is exactly", { n: known })}`}`}
    @click=${() => change({ cell: isChosen(strain, seat) ? null : [strain, seat] })}><span class="number">${text}</span><small>${chance}</small>${
      known === null ? nothing : html`<span class="exact ${differs ? "differs" : ""}">= ${known}${differs ? " *" : ""}</span>`}</button></td>`;
}

const by = (strain, seat) => say("strain by", { strain: strainName(strain), seat: seatName(seat) });

function detailView({ estimate, seats }) {
  const place = state.cell ? seats.indexOf(state.cell[1]) : -1;
  if (place < 0) return html`<p class="hint">${say("choose a number")}</p>`;
  const [strain, seat] = state.cell;
  return html`<h3>${by(strain, seat)}</h3>${chancesTable(by(strain, seat), estimate.probabilities[strain][place])}`;
}

/** A distribution as a table with bars; counts that make a contract of `needed` tricks are marked. */
export function chancesTable(caption, chances, needed = 14) {
  const most = Math.max(...chances);
  const rows = chances.map((chance, tricks) => [tricks, chance]).filter(([, chance]) => chance >= 0.005).reverse();
  return html`<table class="chances"><caption class="spoken">${caption}</caption>
    <thead><tr><th scope="col">${say("tricks")}</th><th scope="col">${say("chance")}</th><td></td><th scope="col">${say("at least")}</th></tr></thead>
    <tbody>${rows.map(([tricks, chance]) => html`<tr class=${tricks >= needed ? "makes" : ""}><th scope="row">${tricks}${tricks >= needed ? " ✓" : ""}</th><td>${percent(chance)}</td>
      <td class="bar" aria-hidden="true"><svg viewBox="0 0 100 10" preserveAspectRatio="none"><rect width=${(100 * chance) / most} height="10" rx="1"></rect></svg></td>
      <td>${percent(atLeast(chances, tricks))}</td></tr>`)}</tbody></table>`;
}

/** Estimated tricks by seat and strain: {estimate, exact, seats}. */
export function gridView(content) {
  const { seats, exact } = content;
  const shown = SEATS_PRINTED.filter((seat) => seats.includes(seat));
  const kinds = [["tricks", say("show tricks")], ["contracts", say("show contracts")]];
  return html`<div class="switch" role="group" aria-label=${say("show")}>${kinds.map(([kind, text]) =>
      html`<button type="button" class="quiet" aria-pressed=${(state.grid ?? "tricks") === kind} @click=${() => change({ grid: kind })}>${text}</button>`)}</div>
    <table class="grid"><caption class="spoken">${say("expected tricks")}</caption>
      <thead><tr><td></td>${STRAINS.map((strain) => html`<th scope="col">${sign(strain)}</th>`)}</tr></thead>
      <tbody>${shown.map((seat) => html`<tr><th scope="row"><abbr title=${seatName(seat)}>${SEATS[seat]}</abbr></th>${STRAINS.map((strain) => cellView(content, strain, seat))}</tr>`)}</tbody></table>
    <p class="hint">${say(state.grid === "contracts" ? (exact ? "grid makes" : "grid may make") : exact ? "grid exact" : "grid expected")}</p>
    ${detailView(content)}`;
}
