// The tab Bidding: the auction, from the file or by touch; what each hand would open, and why.

import { html, nothing, percent, sign, spoken, written } from "./dom.js";
import { answerOf, shownBy, theEngine } from "./answers.js";
import { contractOf } from "./auction.js";
import { SEATS, dealerOf } from "./cards.js";
import { say, seatName } from "./settings.js";
import { board, change, editAuction, state } from "./store.js";

export const SYSTEMS = [
  "polish-club", "sayc", "2/1", "acol", "polish-club-rules", "polish-club-book", "standard-american", "52-60-7", "52-60-12", "cascade-1996",
];
const ORDER = [3, 0, 1, 2]; // West first, as auctions are written
const STRAINS = "CDHSN";

/** Calls that may follow: {double, redouble, above} – above is the place of the last bid. */
export function possible(auction) {
  const over = auction.length >= 4 && auction.slice(-3).every((call) => call === "PASS");
  const place = auction.findLastIndex((call) => call !== "PASS");
  const last = auction[place];
  const theirs = (auction.length - place) % 2 === 1;
  const bid = auction.findLast((call) => /^[1-7]/.test(call));
  return {
    over,
    double: !over && /^[1-7]/.test(last ?? "") && theirs,
    redouble: !over && last === "X" && theirs,
    above: bid ? 5 * (Number(bid[0]) - 1) + STRAINS.indexOf(bid[1]) : -1,
  };
}

const allows = ({ over, double, redouble, above }, text) =>
  text === "X" ? double : text === "XX" ? redouble : !over && (text === "PASS" || 5 * (Number(text[0]) - 1) + STRAINS.indexOf(text[1]) > above);

/** Make a call, if it is allowed; null takes the last one back. */
function call(text) {
  const shown = board();
  if (text && !allows(possible(shown.auction), text)) return;
  const auction = text === null ? shown.auction.slice(0, -1) : [...shown.auction, text];
  editAuction(dealerOf(shown), auction);
}

function auctionTable({ auction }, dealer) {
  const before = ORDER.indexOf(dealer);
  const cells = [...Array(before).fill(null), ...auction];
  const rows = Array.from({ length: Math.max(1, Math.ceil((cells.length + 1) / 4)) }, (_, row) => [0, 1, 2, 3].map((column) => cells[4 * row + column]));
  return html`<table class="auction"><caption class="spoken">${say("auction")}</caption>
    <thead><tr>${ORDER.map((seat) => html`<th scope="col"><abbr title=${seatName(seat)}>${SEATS[seat]}</abbr></th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((text) => html`<td>${text ? written(text) : nothing}</td>`)}</tr>`)}</tbody></table>`;
}

function bidBox({ auction }) {
  const may = possible(auction);
  const button = (text, content, label) => html`<button type="button" class="call" ?disabled=${!allows(may, text)} aria-label=${label} @click=${() => call(text)}>${content}</button>`;
  return html`<div class="bid-box" role="group" aria-label=${say("calls")}>
    <div class="others">${button("PASS", say("Pass"), say("Pass"))}${button("X", say("Dbl"), say("Double"))}${button("XX", say("Rdbl"), say("Redouble"))}
      <button type="button" class="call" ?disabled=${!auction.length} @click=${() => call(null)}>${say("back")}</button></div>
    <div class="bids" ?hidden=${may.over}>${[1, 2, 3, 4, 5, 6, 7].map((level) => [...STRAINS].map((strain, i) => {
      const text = `${level}${strain}`;
      return button(text, html`<span aria-hidden="true">${level}${sign("SHDCN".indexOf(strain))}</span>`, spoken(text));
    }))}</div></div>`;
}

/** Why a hand opens so: how many players do, and the rule that fits. Other reasons stay as they are. */
function whyOf({ call: opened, reason, probabilities }) {
  const [, name, asks] = /^(?:[^;]*; )?rule \d+, (.+?): (.*)$/.exec(reason) ?? [];
  if (!name) return reason;
  const shares = Object.entries(probabilities).map(([text, share], i) => html`${i ? ", " : ""}${text === opened ? "" : html`${written(text)} `}${percent(share)}`);
  return html`${probabilities[opened] < 1 ? html`${shares}; ` : ""}${name}${asks === "any hand" ? "" : `: ${asks}`}`;
}

function openingsView(openings) {
  return html`<label class="field">${say("opening system")} <select @change=${({ target }) => change({ system: target.value })}>
      ${SYSTEMS.map((name) => html`<option ?selected=${name === (state.system ?? SYSTEMS[0])}>${name}</option>`)}</select></label>
    ${openings ? html`<table class="openings"><caption>${say("opening bids")}</caption>
      <thead><tr><th scope="col">${say("the hand")}</th><th scope="col">${say("opens")}</th><th scope="col" class="why">${say("why")}</th></tr></thead>
      <tbody>${openings.calls.map((each) => html`<tr><th scope="row">${seatName(each.seat)}</th><td>${written(each.call)}</td><td class="why">${whyOf(each)}</td></tr>`)}</tbody></table>` : nothing}`;
}

const plain = ([from, to]) => (from === to ? String(from) : `${from}–${to}`);

/** What each call shows: points and lengths of nine hands in ten. */
function callsView(all) {
  const calls = all.slice(0, all.findLastIndex(({ call }) => call !== "PASS") + 1 || all.length); // the passes that end it show little
  return html`<table class="calls"><caption>${say("calls show")}</caption>
    <thead><tr><th scope="col">${say("call")}</th><th scope="col">${say("points")}</th>${[0, 1, 2, 3].map((suit) => html`<th scope="col">${sign(suit)}</th>`)}<th scope="col">${say("chance")}</th></tr></thead>
    <tbody>${calls.map(({ call: text, by, points, lengths, chance, unusual, typical }) => html`<tr title=${say("for instance", { hand: typical[0] })}>
      <th scope="row"><small>${by}</small> ${written(text)}</th><td>${plain(points)}</td>${lengths.map((length) => html`<td>${plain(length)}</td>`)}
      <td class=${unusual ? "fails" : ""}>${chance === undefined ? "" : percent(chance)}</td></tr>`)}</tbody></table>
    <p class="note">${say(calls.some(({ chance }) => chance !== undefined) ? "calls judged" : "calls alone")}</p>`;
}

export function biddingView() {
  const shown = board();
  const { openings } = answerOf(shown);
  const engine = theEngine();
  const dealer = dealerOf(shown);
  const [contract, declarer] = contractOf(dealer, shown.auction ?? []);
  const calls = shownBy(shown);
  return html`${auctionTable(shown, dealer)}
    ${contract ? html`<p class="hint">${contract === "PASS" ? say("was passed out") : html`${say("contract by", { contract: written(contract), seat: seatName(declarer) })}.`}</p>` : nothing}
    ${bidBox(shown)}
    ${calls ? callsView(calls) : nothing}
    ${engine?.simulates ? openingsView(openings) : html`<p class="note">${say("bidding needs server")}</p>`}`;
}
