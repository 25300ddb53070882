// All that the page knows: boards, the one in view, what is shown of it. Every change goes through
// `change`; those of the boards can be undone. The address has the board in view, after the #, where no
// server sees it; this browser keeps the boards of a file.

import { contractOf } from "./auction.js";
import { Deal, DealError, SEATS, quoted } from "./cards.js";

export const blank = () => ({
  deal: new Deal(), number: null, dealer: null, vulnerable: null, contract: null, declarer: null,
  result: null, auction: [], play: [], players: {}, exact: null, source: null, notes: [],
});

export const state = {
  boards: [blank()],
  skipped: [],
  chosen: 0,
  tab: "makes",
  cell: null, // [strain, seat] whose chances are shown
  line: null, // {contract, declarer, cards, at}: the play on the table
  mode: "look", // or "swap": cards change hands
  picked: null, // a card that is to change hands
  before: null, // the deal that was there before cards changed hands
  filter: "all",
  status: "",
  problem: "",
  notice: null, // {text, undo}
  progress: null,
};

const listeners = new Set();
const past = [];

/** Call when something has changed. */
export const listen = (use) => listeners.add(use);

export const board = () => state.boards[state.chosen];

/** Change what is shown. */
export function change(parts) {
  Object.assign(state, parts);
  for (const use of listeners) use();
}

/** Change boards, so that it can be undone. */
export function edit(parts, told = null) {
  const { boards, skipped, chosen, line, before } = state;
  past.push({ boards, skipped, chosen, line, before });
  change({ ...parts, notice: told && { text: told, undo: true } });
  remember();
}

export function undo() {
  const before = past.pop();
  if (!before) return;
  change({ ...before, picked: null, notice: null });
  remember();
}

export const canUndo = () => past.length > 0;

/** Change facts of the board in view. */
export function editBoard(facts, told = null) {
  const boards = [...state.boards];
  boards[state.chosen] = { ...board(), ...facts };
  edit({ boards }, told);
}

/** Give the board in view an auction; contract and declarer follow, and results of another contract go. */
export function editAuction(dealer, auction) {
  const [contract, declarer] = contractOf(dealer, auction);
  editBoard({ auction, dealer, contract, declarer, result: null, play: [], source: null, notes: [] });
  change({ line: lineOf(board()) });
}

/** Show another board. */
export function choose(place) {
  if (place < 0 || place >= state.boards.length) return;
  change({ chosen: place, cell: null, picked: null, before: null, notice: null, mode: "look", line: lineOf(state.boards[place]) });
  remember();
}

/** Take boards that were read. */
export function open({ boards, skipped }, told = null, first = false) {
  const parts = { boards, skipped, chosen: 0, cell: null, picked: null, before: null, mode: "look", problem: "", filter: "all", line: lineOf(boards[0]) };
  if (!first) return edit(parts, told);
  change(parts);
  remember();
}

/** The play of a board that has a contract. */
export const lineOf = ({ contract, declarer, play, deal }) =>
  deal.whole && /^[1-7]/.test(contract ?? "") && SEATS[declarer] ? { contract, declarer, cards: play, at: 0 } : null;

const KEYS = { number: "board", dealer: "dealer", vulnerable: "vul", contract: "contract", declarer: "by", result: "tricks" };

/** The address of a board, from # on; empty without a card. */
export function addressOf(shown) {
  const { deal } = shown;
  if (deal.empty) return "";
  const hands = SEATS.map((_, seat) => (deal.count(seat) ? deal.hand(seat) : "-")); // parts of hands too
  const parts = [["deal", `N:${hands.join(" ")}`]];
  for (const [fact, key] of Object.entries(KEYS)) {
    const value = shown[fact];
    if (value !== null && value !== undefined) parts.push([key, fact === "dealer" || fact === "declarer" ? SEATS[value] : value]);
  }
  if (shown.auction?.length) parts.push(["auction", shown.auction.map((call) => (call === "PASS" ? "P" : call)).join("-")]);
  if (shown.play?.length) parts.push(["play", shown.play.join("")]);
  return `#${parts.map(([key, value]) => `${key}=${String(value).replaceAll(" ", "+")}`).join("&")}`;
}

/** The board of an address; null where it has none. Throws DealError. */
export function boardOf(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const text = given.get("deal");
  if (!text) return null;
  const seat = (key) => {
    const place = SEATS.indexOf((given.get(key) ?? "").toUpperCase());
    return place < 0 ? null : place;
  };
  const auction = (given.get("auction") ?? "").split("-").filter(Boolean).map((call) => (call === "P" ? "PASS" : call));
  const call = auction.find((each) => !/^([1-7][SHDCN]|PASS|XX?)$/.test(each));
  if (call) throw new DealError(`the auction in the address has ${quoted(call)} in it, which is not a call. Calls are 1C to 7N, P, X and XX`);
  const number = (key, most) => (/^\d{1,6}$/.test(given.get(key) ?? "") && Number(given.get(key)) <= most ? Number(given.get(key)) : null);
  const found = {
    ...blank(),
    deal: Deal.parse(text),
    number: number("board", 999999),
    dealer: seat("dealer"),
    vulnerable: /^(none|ns|ew|both)$/.test(given.get("vul") ?? "") ? given.get("vul") : null,
    contract: /^([1-7][SHDCN]X{0,2}|PASS)$/.test(given.get("contract") ?? "") ? given.get("contract") : null,
    declarer: seat("by"),
    result: number("tricks", 13),
    auction,
    play: (given.get("play") ?? "").match(/[SHDC][2-9TJQKA]/g) ?? [],
  };
  if (found.deal.told) found.notes = [found.deal.told];
  if (!found.contract && found.dealer !== null) [found.contract, found.declarer] = contractOf(found.dealer, auction);
  return found;
}

let own = ""; // the address that this page wrote last

/** Keep the board in the address, and the boards of a file in this browser. */
export function remember() {
  own = addressOf(board());
  history.replaceState(history.state, "", `${location.pathname}${location.search}${own}`);
  keep().catch(() => {}); // a browser that keeps nothing is one all the same
}

/** Whether the address is that which this page wrote. */
export const isOwn = (hash) => hash === own;

function database() {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open("trickcast", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("boards");
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

const request = (asked) => new Promise((resolve, reject) => {
  asked.onsuccess = () => resolve(asked.result);
  asked.onerror = () => reject(asked.error);
});

let keeping = 0;
let wrote = false;

async function keep() {
  if (state.boards.length < 2 && !wrote) return;
  wrote = true;
  clearTimeout(keeping);
  await new Promise((resolve) => (keeping = setTimeout(resolve, 300)));
  const plain = state.boards.map(({ deal, answer, ...facts }) => ({ ...facts, owners: deal.owners }));
  const boards = (await database()).transaction("boards", "readwrite").objectStore("boards");
  await request(boards.put({ plain, skipped: state.skipped, chosen: state.chosen }, "last"));
}

/** Show the boards of the file that was open before, if the address is one of them or none. */
export async function restore(hash) {
  const boards = (await database()).transaction("boards").objectStore("boards");
  const kept = await request(boards.get("last"));
  if (!kept || kept.plain.length < 2) return false;
  const read = kept.plain.map(({ owners, ...facts }) => ({ ...facts, deal: new Deal(owners) }));
  if (hash && addressOf(read[kept.chosen]) !== hash) return false;
  wrote = true;
  change({ boards: read, skipped: kept.skipped, chosen: kept.chosen, line: lineOf(read[kept.chosen]) });
  remember();
  return true;
}
