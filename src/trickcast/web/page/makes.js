// The tab Makes: the par, then what each side makes in each strain, exactly; until that is known, the
// estimate stands there faintly. Two hands alone: what they are worth.

import { html, nothing, percent, sign, written } from "./dom.js";
import { answerOf, theEngine } from "./answers.js";
import { signed } from "./bridge.js";
import { SEATS, SEAT_NAMES, STRAIN_NAMES } from "./cards.js";
import { setContract } from "./table.js";
import { board, change, state } from "./store.js";

export const PRINTED_STRAINS = [4, 0, 1, 2, 3]; // NT S H D C
const GAME = [10, 10, 11, 11, 9]; // tricks that game takes: S H D C NT
const SIDES = ["N–S", "E–W"];
const sideOf = (seats) => (seats.length === 2 ? SIDES[seats[0] % 2] : SEATS[seats[0]]);

/** Seats whose rows are equal, together: N S, then E W. */
function rowsOf(tricks) {
  const same = (a, b) => tricks.every((row) => row[a] === row[b]);
  return [[0, 2], [1, 3]].flatMap((pair) => (same(...pair) ? [pair] : pair.map((seat) => [seat])));
}

function parView({ par, exact }) {
  if (!par) return html`<p class="par waits"><span class="score">Par</span><span class="by">&nbsp;</span></p>`;
  const score = par.ns === 0 ? "0" : par.ns > 0 ? `N–S +${par.ns}` : `E–W +${-par.ns}`;
  const by = par.contracts.length
    ? par.contracts.slice(0, 3).map(({ contract, by: seats, result }, i) => html`${i ? ", " : ""}${written(contract)} ${sideOf(seats)} ${signed(result)}`)
    : "passed out";
  return html`<p class="par ${exact ? "" : "faint"}"><span class="score">${exact ? "Par" : "Par, likely"} ${score}</span><span class="by">${by}</span></p>`;
}

function tableOf({ exact, estimate }, before) {
  const tricks = exact ?? estimate.tricks;
  const cell = (strain, seats) => {
    const count = tricks[strain][seats[0]];
    const kind = count >= 12 ? "slam" : count >= GAME[strain] ? "game" : count < 7 ? "less" : "";
    const old = before && seats.map((seat) => before[strain][seat]).find((was) => was !== count);
    const chosen = state.cell && state.cell[0] === strain && seats.includes(state.cell[1]);
    const label = `${STRAIN_NAMES[strain]} by ${seats.map((seat) => SEAT_NAMES[seat]).join(" or ")}: ${count} tricks${kind === "slam" ? ", slam" : kind === "game" ? ", game" : ""}${old === undefined || old === null || !before ? "" : `, was ${old}`}`;
    const choose = () => {
      change({ cell: [strain, seats[0]] });
      setContract(`${Math.max(1, count - 6)}${"SHDCN"[strain]}`, seats[0]);
    };
    return html`<td class=${kind}><button type="button" class="trick-count" aria-pressed=${Boolean(chosen)} aria-label=${label} title="See what each card makes" @click=${choose}>${count}${
      before && old !== undefined ? html`<small>was ${old}</small>` : nothing}</button></td>`;
  };
  return html`<table class="makes ${exact ? "" : "faint"}">
    <caption class="spoken">${exact ? "double-dummy tricks" : "likely tricks"}</caption>
    <thead><tr><td></td>${PRINTED_STRAINS.map((strain) => html`<th scope="col">${sign(strain)}</th>`)}</tr></thead>
    <tbody>${rowsOf(tricks).map((seats) => html`<tr><th scope="row"><abbr title=${seats.map((seat) => SEAT_NAMES[seat]).join(" and ")}>${sideOf(seats)}</abbr></th>
      ${PRINTED_STRAINS.map((strain) => cell(strain, seats))}</tr>`)}</tbody></table>`;
}

/** How the answers of a board stand, in a sentence or two. */
export function wordsOf({ deal }, { exact, estimate, final }) {
  if (deal.empty) return "";
  if (!deal.whole && !deal.pair) return "Four hands, or two of a side, have an answer here. One hand has one in Chances.";
  if (deal.pair) return estimate ? "Estimated by pairs." : "Estimating…";
  const engine = theEngine();
  const { progress } = state;
  if (!estimate && !exact) return "Estimating…";
  if (exact && !final) return `Exact.${estimate ? ` Estimated by ${estimate.model}; a better estimate is coming.` : ""}`;
  if (exact) {
    const wrong = exact.flat().filter((tricks, cell) => tricks !== estimate.tricks.flat()[cell]).length;
    return `Exact. The network ${wrong ? `missed ${wrong} of 20` : "had all 20 right"}. Estimated by ${estimate.model}.`;
  }
  const how = `Estimated by ${estimate.model}.`;
  if (engine && !engine.solves && final) return `${how} Exact tricks need a server: this page was made without the exact solver.`;
  const loading = progress ? ` Loading ${progress.what}${progress.share ? `, ${percent(progress.share)}` : ""}…` : engine?.solves ? " Solving…" : "";
  return how + loading;
}

/** Chances of game and slam by the better declarer, and the contracts that score best. */
function worthView({ probabilities, best, tricks }, seats) {
  const atLeast = (strain, count) => Math.max(...probabilities[strain].map((row) => row.slice(count).reduce((a, b) => a + b, 0)));
  const row = (name, count) => html`<tr><th scope="row">${name}</th>${PRINTED_STRAINS.map((strain) => html`<td>${percent(atLeast(strain, count(strain)))}</td>`)}</tr>`;
  return html`<table class="worth"><caption>What ${SIDES[seats[0]]} can make, the other hands unknown</caption>
    <thead><tr><td></td>${PRINTED_STRAINS.map((strain) => html`<th scope="col">${sign(strain)}</th>`)}</tr></thead>
    <tbody><tr><th scope="row">tricks</th>${PRINTED_STRAINS.map((strain) => html`<td class="big">${Math.max(...tricks[strain])}</td>`)}</tr>
      ${row("game", (strain) => GAME[strain])}${row("slam", () => 12)}${row("grand", () => 13)}</tbody></table>
    ${best ? html`<h3>Contracts that score best</h3><ol class="best">${best.map(({ contract, by, making, expected_score: score }) =>
      html`<li>${written(contract)} by ${SEAT_NAMES[by === "N" ? seats[0] : seats[1]]}: ${Math.round(score)} points on average, makes ${percent(making)}</li>`)}</ol>` : nothing}`;
}

/** Examples, where there are no cards yet. */
const EXAMPLES = [
  ["A game that just makes", "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"],
  ["A notrump of 15 to 17", "N:KQ95.J62.96.QT54 A742.843.JT73.K9 JT86.AK7.AQ82.J6 3.QT95.K54.A8732"],
  ["Two hands of a side", "N:AQ864.K75.A3.KJ4 - KJ5.A64.KQ92.A83 -"],
];

function emptyView(openText) {
  return html`<div class="empty"><h3>Paste a deal, drop a file, or try one</h3>
    <ul>${EXAMPLES.map(([name, deal]) => html`<li><button type="button" class="quiet" @click=${() => openText(deal)}>${name}</button></li>`)}
    <li><a class="quiet button" href="./contest.html">Deal of the day: beat the net</a></li></ul></div>`;
}

/** The tab: `openText` hears of an example, `picture` which picture is wanted, png or svg. */
export function makesView(openText, picture) {
  const shown = board();
  const answer = answerOf(shown);
  if (shown.deal.empty) return emptyView(openText);
  if (shown.deal.pair) return answer.pair ? worthView(answer.pair, shown.deal.pair) : html`<p class="hint">Estimating…</p>`;
  if (!shown.deal.whole) return nothing;
  const was = state.before && answerOf({ ...shown, deal: state.before, exact: null });
  const before = was?.exact && answer.exact ? was.exact : null;
  const changed = before && answer.exact.flat().filter((tricks, i) => tricks !== before.flat()[i]).length;
  return html`${parView(answer)}
    ${answer.exact || answer.estimate ? tableOf(answer, before) : html`<div class="makes skeleton" aria-hidden="true"></div>`}
    ${before ? html`<p class="hint">What if: ${changed ? `${changed} of 20 results changed` : "no result changed"}; par was ${was.par.ns > 0 ? `N–S +${was.par.ns}` : was.par.ns < 0 ? `E–W +${-was.par.ns}` : "0"}.</p>` : nothing}
    <p class="note">Double dummy: best play by all four, every card seen. Choose a number to see what each card makes.</p>
    <p class="note picture">Picture for a post or a handout: ${["png", "svg"].map((kind) => html`<button type="button" class="quiet" @click=${() => picture(kind)}>${kind.toUpperCase()}</button> `)}</p>`;
}

