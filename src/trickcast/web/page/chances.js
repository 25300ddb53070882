// Answers of a simulation: numbers with their interval, and the interval drawn on a line.

import { html, nothing, percent, sign, svg, written } from "./dom.js";
import { SEATS } from "./cards.js";
import { chancesTable } from "./grid.js";
import { rankText, say, seatName } from "./settings.js";

/** A chance with its interval on a line from 0 to 1; the numbers stand beside it as text. */
function whisker([middle, from, to]) {
  const at = (share) => `${(100 * share).toFixed(1)}%`;
  return html`<svg class="whisker" aria-hidden="true"><line x1="0" x2="100%" y1="10" y2="10" class="scale"></line>
    ${from === null ? nothing : svg`<rect x=${at(from)} width=${at(to - from)} y="5" height="10"></rect>`}<circle cx=${at(middle)} cy="10" r="4"></circle></svg>`;
}

const rounded = (number, digits) => number.toFixed(digits).replace(/^-(0\.?0*)$/, "$1");
const range = ([, from, to], shown) => (from === null ? "" : say("range", { from: shown(from).replace("\u00a0%", ""), to: shown(to) }));
const points = (number) => rounded(number, 0);
const gains = (number) => rounded(number, 1);

const named = (contract, by) => ({ contract: written(contract), seat: seatName(SEATS.indexOf(by)) });

/** Counts of layouts as people write them: 12,800. */
export const counted = (layouts, solved) => ({ layouts: layouts.toLocaleString("en"), solved: solved.toLocaleString("en") });

/** How often a contract makes, what it scores, and the tricks it takes. */
export function chanceOf({ contract, by, making, score, distribution, layouts, solved, played }) {
  return html`<p class="chance"><strong>${percent(making[0])}</strong> <span>${say("chance makes", { ...named(contract, by), share: percent(making[0]), range: range(making, percent) })}</span></p>
    ${whisker(making)}
    <p>${say("score on average", { points: points(score[0]), range: range(score, points) })} <small>${say("layouts solved", counted(layouts, solved))}</small></p>
    ${played ? html`<p>${say("as played here", { share: percent(played.making[0]), tricks: played.tricks[0].toFixed(1) })}</p>` : nothing}
    ${chancesTable(say("tricks of declarer"), distribution, Number(contract[0]) + 6)}`;
}

/** A contract double dummy, where all cards are seen, beside what players take at the table. */
export function playedView({ contract, by, making, expected, score, double_dummy: seen }) {
  const row = (name, { making: share, expected: tricks, score: value }) => html`<tr><th scope="row">${name}</th><td class="big">${percent(share)}</td><td>${tricks.toFixed(1)}</td><td>${points(value)}</td></tr>`;
  return html`<table class="two-ways"><caption>${say("two ways", named(contract, by))}</caption>
    <thead><tr><td></td><th scope="col">${say("makes")}</th><th scope="col">${say("tricks")}</th><th scope="col">${say("score")}</th></tr></thead>
    <tbody>${row(say("double dummy"), seen)}${row(say("as played"), { making, expected, score })}</tbody></table>`;
}

/** Every opening lead, best first; cards that are alike in one row. */
export function leadsOf({ contract, by, leads, scoring, layouts, solved }) {
  const rows = [];
  for (const lead of leads) {
    const before = rows.at(-1);
    const alike = before && before.cards[0][0] === lead.cards[0][0] && before.gain[0] === lead.gain[0] && before.setting[0] === lead.setting[0];
    if (alike) before.cards.push(...lead.cards);
    else rows.push({ ...lead, cards: [...lead.cards] });
  }
  return html`<p>${say("leads against", named(contract, by))} <small>${say("layouts solved", counted(layouts, solved))}</small></p>
    <table class="leads"><caption>${say("about leads", { scoring: scoring === "imps" ? "IMPs" : scoring })}</caption>
      <thead><tr><th scope="col">${say("lead")}</th><th scope="col">${say("beats")}</th><td></td><th scope="col">${say("loses")}</th></tr></thead>
      <tbody>${rows.map(({ cards, setting, gain, even }, place) => html`<tr>
        <th scope="row">${sign("SHDC".indexOf(cards[0][0]))}${cards.map((card) => rankText(card[1])).join(" ")}</th>
        <td>${percent(setting[0])}<small> ${range(setting, percent)}</small></td><td class="bar">${whisker(setting)}</td>
        <td>${place === 0 ? say("best") : gains(-gain[0])}<small>${place && even ? " =" : ""}</small></td></tr>`)}</tbody></table>`;
}
