// The tab Makes: the par, then what each side makes in each strain, exactly; until that is known, the
// estimate stands there faintly. Two hands alone: what they are worth.

import { html, nothing, percent, scoreFor, sideName, sign, written } from "./dom.js";
import { answerOf, theEngine } from "./answers.js";
import { signed } from "./bridge.js";
import { say, seatName, strainName } from "./settings.js";
import { setContract } from "./table.js";
import { board, change, state } from "./store.js";

export const PRINTED_STRAINS = [4, 0, 1, 2, 3]; // NT S H D C
const GAME = [10, 10, 11, 11, 9]; // tricks that game takes: S H D C NT

/** Seats whose rows are equal, together: N S, then E W. */
function rowsOf(tricks) {
  const same = (a, b) => tricks.every((row) => row[a] === row[b]);
  return [[0, 2], [1, 3]].flatMap((pair) => (same(...pair) ? [pair] : pair.map((seat) => [seat])));
}

function parView({ par, exact }) {
  if (!par) return html`<p class="par waits"><span class="score">${say("par")}</span><span class="by">&nbsp;</span></p>`;
  const by = par.contracts.length
    ? par.contracts.slice(0, 3).map(({ contract, by: seats, result }, i) => html`${i ? ", " : ""}<span class="bid">${written(contract)} ${sideName(seats)} ${signed(result)}</span>`)
    : say("passed out");
  return html`<p class="par ${exact ? "" : "faint"}"><span class="score">${say(exact ? "par" : "likely par")} ${scoreFor(par.ns)}</span><span class="by">${by}</span></p>`;
}

function tableOf({ exact, estimate }, before) {
  const tricks = exact ?? estimate.tricks;
  const cell = (strain, seats) => {
    const count = tricks[strain][seats[0]];
    const kind = count >= 12 ? "slam" : count >= GAME[strain] ? "game" : count < 7 ? "less" : "";
    const old = before ? seats.map((seat) => before[strain][seat]).find((was) => was !== count) : undefined;
    const chosen = state.cell && state.cell[0] === strain && seats.includes(state.cell[1]);
    const label = [
      say("tricks by", { strain: strainName(strain), seats: seats.map(seatName).join(` ${say("or")} `), n: count }),
      ["slam", "game"].includes(kind) && say(kind), old !== undefined && say("was", { n: old }),
    ].filter(Boolean).join(", ");
    const choose = () => {
      change({ cell: [strain, seats[0]] });
      setContract(`${Math.max(1, count - 6)}${"SHDCN"[strain]}`, seats[0]);
    };
    return html`<td class=${kind}><button type="button" class="trick-count" aria-pressed=${Boolean(chosen)} aria-label=${label} title=${say("see each card")} @click=${choose}>${count}${
      old === undefined ? nothing : html`<small class=${old > count ? "fewer" : "more"}>${say("was", { n: old })}</small>`}</button></td>`;
  };
  return html`<table class="makes ${exact ? "" : "faint"}">
    <caption class="spoken">${say(exact ? "double-dummy tricks" : "likely tricks")}</caption>
    <thead><tr><td></td>${PRINTED_STRAINS.map((strain) => html`<th scope="col">${sign(strain)}</th>`)}</tr></thead>
    <tbody>${rowsOf(tricks).map((seats) => html`<tr><th scope="row"><abbr title=${seats.map(seatName).join(` ${say("and")} `)}>${sideName(seats)}</abbr></th>
      ${PRINTED_STRAINS.map((strain) => cell(strain, seats))}</tr>`)}</tbody></table>`;
}

/** How the answers of a board stand, in a sentence or two. */
export function wordsOf({ deal, notes }, answer) {
  return [...(notes ?? []), answerWords(deal, answer)].filter(Boolean).join(" ");
}

function answerWords(deal, { exact, estimate, final }) {
  const short = [0, 1, 2, 3].filter((seat) => deal.count(seat) > 0 && deal.count(seat) < 13);
  if (short.length) return [...short.map((seat) => say("has of 13", { seat: seatName(seat), n: deal.count(seat) })), say("put in the rest")].join(" ");
  if (deal.empty || (!deal.whole && !deal.pair)) return "";
  if (!estimate && !exact) return say("estimating");
  if (deal.pair) return say("estimated pair");
  const engine = theEngine();
  const { progress } = state;
  const model = estimate?.model;
  if (exact && !estimate) return say("exact");
  if (exact && !final) return say("exact so far", { model });
  if (exact) return say("exact compared", { model, n: exact.flat().filter((tricks, cell) => tricks !== estimate.tricks.flat()[cell]).length });
  const how = say("estimated", { model });
  if (engine && !engine.solves && final) return `${how} ${say("no solver")}`;
  const loading = progress ? say("loading", { what: progress.what, share: progress.share ? percent(progress.share) : "" }) : engine?.solves ? say("solving") : "";
  return `${how} ${loading}`;
}

/** Chances of game and slam by the better declarer, and the contracts that score best. */
function worthView({ probabilities, best, tricks }, seats) {
  const atLeast = (strain, count) => Math.max(...probabilities[strain].map((row) => row.slice(count).reduce((a, b) => a + b, 0)));
  const row = (name, count) => html`<tr><th scope="row">${say(name)}</th>${PRINTED_STRAINS.map((strain) => html`<td>${percent(atLeast(strain, count(strain)))}</td>`)}</tr>`;
  return html`<table class="worth"><caption>${say("pair makes", { side: sideName(seats) })}</caption>
    <thead><tr><td></td>${PRINTED_STRAINS.map((strain) => html`<th scope="col">${sign(strain)}</th>`)}</tr></thead>
    <tbody><tr><th scope="row">${say("tricks")}</th>${PRINTED_STRAINS.map((strain) => html`<td class="big">${Math.max(...tricks[strain])}</td>`)}</tr>
      ${row("game", (strain) => GAME[strain])}${row("slam", () => 12)}${row("grand", () => 13)}</tbody></table>
    ${best ? html`<h3>${say("best contracts")}</h3><ol class="best">${best.map(({ contract, by, making, expected_score: score }) =>
      html`<li><strong>${say("contract by", { contract: written(contract), seat: seatName(by === "N" ? seats[0] : seats[1]) })}</strong> <span>${say("makes and scores", { share: percent(making), points: Math.round(score) })}</span></li>`)}</ol>` : nothing}`;
}

/** The tab; `ask` turns to the question that one hand alone can be asked. */
export function makesView(ask) {
  const shown = board();
  const answer = answerOf(shown);
  if (shown.deal.empty) return html`<dl class="answers">${["Makes", "Chances", "Bidding"].map((name) => html`<dt>${say(name)}</dt><dd>${say(`about ${name}`)}</dd>`)}</dl>`;
  if (shown.deal.pair) return answer.pair ? worthView(answer.pair, shown.deal.pair) : nothing;
  if (!shown.deal.whole) return html`<p>${say("needs hands")}</p><p class="buttons"><button type="button" class="main" @click=${ask}>${say("ask chances")}</button></p>`;
  const was = state.before && answerOf({ ...shown, deal: state.before, exact: null });
  const before = was?.exact && answer.exact ? was.exact : null;
  const changed = before && answer.exact.flat().filter((tricks, i) => tricks !== before.flat()[i]).length;
  return html`${parView(answer)}
    ${answer.exact || answer.estimate ? tableOf(answer, before) : html`<div class="makes skeleton" aria-hidden="true"></div>`}
    ${before ? html`<p class="hint">${say("what if changed", { n: changed, par: scoreFor(was.par.ns) })}</p>` : nothing}
    <p class="note">${say("double dummy note")}</p>`;
}
