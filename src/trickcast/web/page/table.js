// The middle of the page: the board's head, the cross with a result on every card, the play.

import { html, nothing, percent, sideName, sign, svg, written } from "./dom.js";
import { cardOf, isVulnerable, needed, playState, scoreOf, signed, textOf } from "./bridge.js";
import { RANKS, SEATS, dealerOf } from "./cards.js";
import { costsOf, playedOf, resultsOf, theEngine } from "./answers.js";
import { compassView, crossView, factsOf, spokenCard } from "./diagram.js";
import { rankText, say, seatName, strainSign } from "./settings.js";
import { board, change, choose, edit, editAuction, editBoard, state } from "./store.js";

const VULNERABLE = ["none", "ns", "ew", "both"];

const cardText = (card) => html`<span class="bid">${sign(Math.floor(card / 13))}${rankText(RANKS[card % 13])}</span>`;

/** Let a card be played on the table, if it is its turn; what was recorded from there on is left. */
export function play(card) {
  const { line } = state;
  if (!playState(board().deal, line.contract, line.declarer, line.cards.slice(0, line.at)).legal.includes(card)) return;
  const text = textOf(card);
  const cards = line.cards[line.at] === text ? line.cards : [...line.cards.slice(0, line.at), text];
  change({ line: { ...line, cards, at: line.at + 1 } });
}

export function stepTo(at) {
  const { line } = state;
  if (line) change({ line: { ...line, at: Math.max(0, Math.min(line.cards.length, at)) } });
}

/** Go so many cards on, or back. */
export const stepBy = (count) => stepTo((state.line?.at ?? 0) + count);

function switchMode() {
  const swaps = state.mode === "swap";
  change({ mode: swaps ? "look" : "swap", picked: null, line: swaps ? state.line : null });
}

/** Try a contract such as 4H, and its declarer, on the table. */
export function setContract(contract, declarer) {
  const same = contract === board().contract && declarer === board().declarer;
  const line = contract ? { contract, declarer, cards: same ? board().play : [], at: 0 } : null;
  change({ line, mode: "look", picked: null });
}

/** Whether a board has more than a contract, so that another one is only tried. */
const isRecorded = ({ auction, play, result }) => auction.length > 0 || play.length > 0 || result !== null;

/** Put the contract that was chosen on the board, so that link, files and Undo have it; or only try it. */
function chooseContract(contract, declarer = null) {
  if (!isRecorded(board())) editBoard({ contract, declarer });
  setContract(contract, declarer);
}

/** Make a seat the dealer; the calls move with it. */
function setDealer(seat) {
  const { auction } = board();
  if (auction.length && seat !== dealerOf(board())) editAuction(seat, auction);
  else editBoard({ dealer: seat });
}

/** Give a card to a seat, for another of its cards. */
export function swap(card, other) {
  const { deal } = board();
  const [from, to] = [deal.owner(card), deal.owner(other)];
  if (from === to) return change({ picked: null });
  const before = state.before ?? deal;
  const changed = deal.with(card, to).with(other, from);
  const name = (each) => `${strainSign(Math.floor(each / 13))}${rankText(RANKS[each % 13])}`;
  const boards = [...state.boards];
  boards[state.chosen] = { ...board(), deal: changed, exact: null, play: [], result: null, notes: [] };
  edit({ boards, before: changed.pbn === before.pbn ? null : before, picked: null, line: state.line && { ...state.line, cards: [], at: 0 } },
    say("swapped", { card: name(card), to: seatName(to), other: name(other), from: seatName(from) }));
}

/** The card that a seat gives for another: its lowest of that suit, else of its longest. */
function inExchange(seat, card) {
  const { deal } = board();
  const held = (suit) => [...Array(13).keys()].map((rank) => 13 * suit + rank).filter((each) => deal.owner(each) === seat);
  const same = held(Math.floor(card / 13));
  const longest = [0, 1, 2, 3].map(held).sort((a, b) => b.length - a.length)[0];
  return (same.length ? same : longest).at(-1);
}

function drop(event, seat) {
  event.preventDefault();
  const card = Number(event.dataTransfer.getData("text/card"));
  const { deal } = board();
  if (!event.dataTransfer.types.includes("text/card") || deal.owner(card) === seat) return;
  event.stopPropagation();
  const under = event.target.closest("[data-card]");
  const other = under ? Number(under.dataset.card) : inExchange(seat, card);
  if (deal.whole) swap(card, other);
}

function touched(card) {
  if (state.picked === null) change({ picked: card });
  else if (state.picked === card) change({ picked: null });
  else swap(state.picked, card);
}

/** How a card is drawn: to be played with its result, to be moved, or alone. */
function cardView(legal, results) {
  const { line, mode, picked } = state;
  const most = results?.size ? [...results.values()] : [];
  return (card, seat) => {
    const drag = (event) => event.dataTransfer.setData("text/card", String(card));
    const rank = rankText(RANKS[card % 13]);
    if (mode === "swap") {
      return html`<button type="button" class="card ${picked === card ? "picked" : ""}" data-card=${card} draggable="true" @dragstart=${drag}
        aria-pressed=${picked === card} aria-label=${say("card of", { card: spokenCard(card), seat: seatName(seat) })} @click=${() => touched(card)}>${rank}</button>`;
    }
    if (!line || !legal.has(card)) {
      return html`<span class="card ${line ? "waits" : ""}" data-card=${card} draggable="true" @dragstart=${drag}>${rank}</span>`;
    }
    const tricks = results?.get(textOf(card));
    const over = tricks === undefined ? null : tricks - needed(line.contract);
    const ours = seat % 2 === line.declarer % 2;
    const best = tricks !== undefined && tricks === (ours ? Math.max(...most) : Math.min(...most));
    const label = `${spokenCard(card)}${over === null ? "" : `, ${say(over === 0 ? "exactly" : over > 0 ? "over" : "down", { n: Math.abs(over) })}`}`;
    return html`<button type="button" class="card plays ${best ? "best" : ""} ${over === null ? "" : over < 0 ? "fails" : "makes"}" data-card=${card} draggable="true"
      @dragstart=${drag} aria-label=${label} @click=${() => play(card)}>${rank}<span class="result" aria-hidden="true">${over === null ? "\u00a0" : signed(over)}</span></button>`;
  };
}

/** The trick on the table, where the compass was. */
function trickView({ trick, leader, last, turn }) {
  const shown = trick.length ? trick.map((card, place) => [(leader + place) % 4, card]) : [];
  const cards = shown.length ? shown : last;
  return html`<div class="compass trick ${shown.length ? "" : "past"}" role="group" aria-label=${say(shown.length ? "this trick" : "last trick")}>
    ${cards.map(([seat, card]) => html`<span class="arm arm-${SEATS[seat]}">${cardText(card)}</span>`)}
    <span class="centre turn-${SEATS[turn]}" role="img" aria-label=${say("to play", { seat: seatName(turn) })}>${"↑→↓←"[turn]}</span></div>`;
}

const contractBy = ({ contract, declarer }) => say("contract by", { contract: written(contract), seat: seatName(declarer) });

function chooser() {
  const { line } = state;
  const contract = line?.contract ?? "";
  const read = (event) => {
    const value = (name) => event.target.closest("form").elements[name].value;
    if (!value("level") || (event.target.name === "level" && !event.target.value)) return chooseContract(null);
    chooseContract(`${value("level")}${value("strain")}${value("doubled")}`, Number(value("by")));
  };
  const select = (name, label, options, value) => html`<select name=${name} class=${value === "" && name === "level" ? "none" : ""} aria-label=${label} @change=${read}>
    ${options.map(([key, text]) => html`<option value=${key} ?selected=${String(key) === String(value)} .selected=${String(key) === String(value)}>${text}</option>`)}</select>`;
  return html`<form class="chooser" @submit=${(event) => event.preventDefault()}>
    <span class="label">${say("contract")}</span>
    ${select("level", say("level"), [["", say("no contract")], ...[..."1234567"].map((level) => [level, level])], contract[0] ?? "")}
    <span class="rest" ?hidden=${!line}>
      ${select("strain", say("strain"), [..."SHDCN"].map((strain, i) => [strain, strainSign(i)]), contract[1] ?? "N")}
      ${select("doubled", say("doubling"), [["", "–"], ["X", "×"], ["XX", "××"]], contract.slice(2))}
      <span>${say("by")}</span>
      ${select("by", say("declarer"), SEATS.map((_, seat) => [seat, seatName(seat)]), line?.declarer ?? 2)}
    </span></form>`;
}

function playBar(now, results) {
  const { line } = state;
  const costs = costsOf(line);
  const total = line.cards.length;
  const done = now.won[0] + now.won[1];
  const ends = done === 13 ? now.won[line.declarer % 2] : results?.size ? (now.turn % 2 === line.declarer % 2 ? Math.max(...results.values()) : Math.min(...results.values())) : null;
  const given = costs.get(line.at - 1);
  const played = playedOf(board(), line);
  const tried = line.contract !== board().contract || line.declarer !== board().declarer;
  const move = (by, text, label) => html`<button type="button" class="step" aria-label=${label} ?disabled=${by < 0 ? line.at === 0 : line.at === total} @click=${() => stepBy(by)}>${text}</button>`;
  return html`<div class="play">
    <p class="now"><strong>${contractBy(line)}</strong>
      ${ends === null ? (state.silent ? say("newer server") : theEngine()?.solves === false ? say("results need solver") : "…")
        : html`<span class="verdict ${ends < needed(line.contract) ? "fails" : "makes"}">${say("some tricks", { n: ends })}, ${signed(ends - needed(line.contract))}</span>
          <span class="points">${scoreText(line, ends)}</span>`}</p>
    ${tried && (board().contract || isRecorded(board())) ? html`<p class="hint">${say("only tried")}</p>` : nothing}
    ${played ? html`<p class="as-played">${say("as played here", { share: percent(played.making), tricks: played.expected.toFixed(1) })}</p>` : nothing}
    <div class="scrub">${move(-Infinity, "«", say("first card"))}${move(-1, "‹", say("card back"))}
      <span class="slide"><input type="range" min="0" max=${Math.max(total, 1)} .value=${String(line.at)} ?disabled=${!total} aria-label=${say("card of the play")} aria-valuetext=${say("card number", { at: line.at, total })} @input=${({ target }) => stepTo(Number(target.value))}>
        <svg class="marks" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">${[...costs.keys()].map((place) => markAt((100 * (place + 0.5)) / Math.max(total, 1)))}</svg></span>
      ${move(1, "›", say("card on"))}${move(Infinity, "»", say("last card"))}</div>
    <p class="hint">${given ? html`<span class="fails">${say("gave away", { seat: seatName(given.seat), card: cardText(cardOf(given.card)), n: given.tricks })}</span> `
      : [say("trick number", { number: Math.min(13, done + 1) }), `${sideName([0, 2])} ${now.won[0]}, ${sideName([1, 3])} ${now.won[1]}`, done === 13 ? say("all played") : say("to play", { seat: seatName(now.turn) })].join(" · ")}</p>
  </div>`;
}

const scoreText = ({ contract, declarer }, tricks) => {
  const points = scoreOf(contract, tricks, isVulnerable(board().vulnerable, declarer));
  return `${sideName([declarer, (declarer + 2) % 4])} ${points < 0 ? "−" : "+"}${Math.abs(points)}`;
};

const markAt = (x) => svg`<rect x=${x - 0.6} y="0" width="1.2" height="4"></rect>`;

/** Deals to try, where there are no cards yet. */
const EXAMPLES = [
  ["example game", "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"],
  ["example notrump", "N:KQ95.J62.96.QT54 A742.843.JT73.K9 JT86.AK7.AQ82.J6 3.QT95.K54.A8732"],
  ["example pair", "N:AQ864.K75.A3.KJ4 - KJ5.A64.KQ92.A83 -"],
];

function emptyView({ read, enter }) {
  const choice = (key, use) => html`<li><button type="button" class="quiet" @click=${use}><strong>${say(key)}</strong><small>${say(`about ${key}`)}</small></button></li>`;
  return html`<div class="welcome"><h2>${say("welcome")}</h2><p>${say("paste or try")}</p>
    <ul>${EXAMPLES.map(([key, deal]) => choice(key, () => read(deal)))}${choice("enter cards", enter)}</ul>
    <p><a href="./contest.html">${say("deal of the day")}</a></p></div>`;
}

/** Head, cross and play of the board in view; what is done where there is none: `read` a text, or `enter` cards. */
export function tableView(start) {
  const shown = board();
  if (shown.deal.empty && state.boards.length === 1) return emptyView(start);
  const { line, mode, boards, chosen } = state;
  const now = line && playState(shown.deal, line.contract, line.declarer, line.cards.slice(0, line.at));
  const results = line && resultsOf(line);
  const legal = new Set(now?.legal ?? []);
  const touch = {
    dealer: setDealer,
    vulnerable: () => editBoard({ vulnerable: VULNERABLE[(VULNERABLE.indexOf(board().vulnerable ?? "none") + 1) % 4] }),
  };
  const compass = now && (now.trick.length || now.last.length) ? trickView(now) : compassView(shown, touch);
  const file = boards.length > 1;
  return html`
    <div class="board-head">
      ${file ? html`<button type="button" class="step" aria-label=${say("board before")} ?disabled=${chosen === 0} @click=${() => choose(state.chosen - 1)}>◀</button>
        <span class="place" aria-live="polite">${chosen + 1}/${boards.length}</span>
        <button type="button" class="step" aria-label=${say("next board")} ?disabled=${chosen === boards.length - 1} @click=${() => choose(state.chosen + 1)}>▶</button>` : nothing}
      <h2 class="facts">${factsOf(shown) || say(shown.deal.whole ? "a deal" : shown.deal.pair ? "two hands" : "part of a deal")}</h2>
      ${shown.contract ? html`<span class="recorded">${SEATS[shown.declarer] ? say("contract by", { contract: written(shown.contract), seat: SEATS[shown.declarer] }) : written(shown.contract)}${shown.result === null || shown.contract === "PASS" ? "" : `, ${signed(shown.result - needed(shown.contract))}`}</span>` : nothing}
    </div>
    ${crossView(shown, { card: cardView(legal, results), compass, drop, owners: now?.owners ?? shown.deal.owners, turn: now?.legal.length ? now.turn : null, playing: Boolean(line) })}
    <div class="table-tools">
      ${shown.deal.whole ? html`${chooser()}
      <button type="button" class="quiet" aria-pressed=${mode === "swap"} @click=${switchMode}>${say("what if")}</button>` : nothing}
    </div>
    ${mode === "swap" ? html`<p class="hint" role="status">${state.picked === null ? say("what if how") : say("what if with", { card: cardText(state.picked) })}</p>` : nothing}
    ${line ? playBar(now, results) : nothing}`;
}
