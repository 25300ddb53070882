// The tab Bidding: the auction, from the file or by touch; what each hand would open, and why.

import { html, nothing, sign, spoken, written } from "./dom.js";
import { answerOf, changeSystem, theEngine } from "./answers.js";
import { contractOf } from "./auction.js";
import { SEATS, SEAT_NAMES, boardFacts } from "./cards.js";
import { board, editBoard, lineOf, change, state } from "./store.js";

export const SYSTEMS = [
  "polish-club", "sayc", "2/1", "acol", "polish-club-rules", "polish-club-book", "standard-american", "52-60-7", "52-60-12", "cascade-1996",
];
const ORDER = [3, 0, 1, 2]; // West first, as auctions are written
const STRAINS = "CDHSN";

const dealerOf = ({ dealer, number }) => dealer ?? (number ? boardFacts(number).dealer : 0);

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

function call(text) {
  const shown = board();
  const auction = text === null ? shown.auction.slice(0, -1) : [...shown.auction, text];
  const dealer = dealerOf(shown);
  const [contract, declarer] = contractOf(dealer, auction);
  editBoard({ auction, dealer, contract, declarer, result: null, play: [] });
  change({ line: lineOf(board()) });
}

function auctionTable({ auction }, dealer) {
  const before = ORDER.indexOf(dealer);
  const cells = [...Array(before).fill(null), ...auction];
  const rows = Array.from({ length: Math.max(1, Math.ceil((cells.length + 1) / 4)) }, (_, row) => [0, 1, 2, 3].map((column) => cells[4 * row + column]));
  return html`<table class="auction"><caption class="spoken">auction</caption>
    <thead><tr>${ORDER.map((seat) => html`<th scope="col"><abbr title=${SEAT_NAMES[seat]}>${SEATS[seat]}</abbr></th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((text) => html`<td>${text ? written(text === "X" ? "Dbl" : text === "XX" ? "Rdbl" : text) : nothing}</td>`)}</tr>`)}</tbody></table>`;
}

function bidBox({ auction }) {
  const { over, double, redouble, above } = possible(auction);
  const button = (text, allowed, content, label) => html`<button type="button" class="call" ?disabled=${!allowed} aria-label=${label} @click=${() => call(text)}>${content}</button>`;
  return html`<div class="bid-box" role="group" aria-label="Calls">
    <div class="others">${button("PASS", !over, "Pass", "Pass")}${button("X", double, "Dbl", "Double")}${button("XX", redouble, "Rdbl", "Redouble")}
      <button type="button" class="call" ?disabled=${!auction.length} @click=${() => call(null)}>Back</button></div>
    <div class="bids">${[1, 2, 3, 4, 5, 6, 7].map((level) => [...STRAINS].map((strain, i) => {
      const text = `${level}${strain}`;
      return button(text, !over && 5 * (level - 1) + i > above, html`<span aria-hidden="true">${level}${sign("SHDCN".indexOf(strain))}</span>`, spoken(text));
    }))}</div></div>`;
}

function openingsView(openings) {
  return html`<label class="field">Opening system <select @change=${({ target }) => changeSystem(target.value)}>
      ${SYSTEMS.map((name) => html`<option ?selected=${name === (state.system ?? SYSTEMS[0])}>${name}</option>`)}</select></label>
    ${openings ? html`<table class="openings"><caption>Opening bids, each hand as if first to call</caption>
      <thead><tr><th scope="col">hand</th><th scope="col">opens</th><th scope="col">why</th></tr></thead>
      <tbody>${openings.calls.map(({ seat, call: text, reason }) => html`<tr><th scope="row">${SEAT_NAMES[seat]}</th><td>${written(text)}</td><td class="why">${reason}</td></tr>`)}</tbody></table>` : nothing}`;
}

export function biddingView() {
  const shown = board();
  const { openings } = answerOf(shown);
  const engine = theEngine();
  const [contract, declarer] = contractOf(dealerOf(shown), shown.auction ?? []);
  return html`${auctionTable(shown, dealerOf(shown))}
    ${contract ? html`<p class="hint">${contract === "PASS" ? "Passed out." : html`${written(contract)} by ${SEAT_NAMES[declarer]}.`}</p>` : nothing}
    ${bidBox(shown)}
    ${engine?.simulates ? openingsView(openings) : html`<p class="note">What each hand opens, and why, needs a trickcast server.</p>`}`;
}
