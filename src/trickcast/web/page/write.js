// Boards as PBN, LIN, CSV and JSON. What a PBN file said of a board is written again as it was.

import { contractOf } from "./auction.js";
import { playState } from "./bridge.js";
import { SEATS, SEAT_NAMES, SUITS, boardFacts, estimatedPlace } from "./cards.js";

const LIN_SEATS = [2, 3, 0, 1]; // South, West, North, East
const VULNERABLE = { none: "None", ns: "NS", ew: "EW", both: "All" };

/** Number, dealer and vulnerability of a board, as it says or as its number does. */
function factsOf(board, place) {
  const number = board.number ?? place + 1;
  const facts = boardFacts(number);
  return { number, dealer: board.dealer ?? facts.dealer, vulnerable: board.vulnerable ?? facts.vulnerable };
}

/** Write boards as PBN, with exact tricks where they are known. */
export function toPbn(boards) {
  return `% PBN 2.1\n% EXPORT\n\n${boards.map((board, place) => pbnLines(board, factsOf(board, place)).join("\n")).join("\n\n")}\n`;
}

function pbnLines(board, { number, dealer, vulnerable }) {
  const tricks = board.exact ? [`[DoubleDummyTricks "${digitsOf(board.exact)}"]`] : [];
  if (board.source?.deal === board.deal.pbn) {
    const lines = changedLines(board);
    return lines.some((line) => /^\s*\[\s*DoubleDummyTricks/i.test(line)) ? lines : afterDeal(lines, tricks);
  }
  const lines = [`[Board "${number}"]`];
  for (const name of ["West", "North", "East", "South"]) {
    if (board.players?.[name]) lines.push(`[${name} "${board.players[name].replaceAll('"', "'")}"]`);
  }
  lines.push(`[Dealer "${SEATS[dealer]}"]`, `[Vulnerable "${VULNERABLE[vulnerable]}"]`, `[Deal "${board.deal.pbn}"]`);
  if (board.contract === "PASS") lines.push('[Contract "Pass"]');
  else if (board.contract && SEATS[board.declarer]) {
    lines.push(`[Declarer "${SEATS[board.declarer]}"]`, `[Contract "${pbnCall(board.contract)}"]`);
    if (board.result !== null && board.result !== undefined) lines.push(`[Result "${board.result}"]`);
  }
  lines.push(...tricks);
  if (board.auction?.length) {
    lines.push(`[Auction "${SEATS[dealer]}"]`);
    for (let i = 0; i < board.auction.length; i += 4) lines.push(board.auction.slice(i, i + 4).map(pbnCall).join(" "));
  }
  if (board.play?.length && SEATS[board.declarer]) lines.push(...playLines(board));
  return lines;
}

/** The lines of a board's file, with the tags of what was changed by hand since. */
function changedLines({ source, dealer, vulnerable, declarer, contract }) {
  const now = { dealer, vulnerable, declarer, contract };
  const texts = { dealer: SEATS[dealer], vulnerable: VULNERABLE[vulnerable], declarer: SEATS[declarer], contract: contract && pbnCall(contract) };
  let { lines } = source;
  for (const name of ["contract", "declarer", "vulnerable", "dealer"]) {
    if (now[name] === source.read?.[name]) continue;
    const tag = texts[name] ? `[${name[0].toUpperCase()}${name.slice(1)} "${texts[name]}"]` : "";
    const old = new RegExp(`\\[\\s*${name}\\s*"[^"]*"\\s*\\]`, "i");
    const held = lines.some((line) => old.test(line));
    lines = held ? lines.map((line) => line.replace(old, tag)).filter(Boolean) : afterDeal(lines, tag ? [tag] : []);
  }
  return lines;
}

/** Lines of a board with others after its deal. */
function afterDeal(lines, more) {
  const place = lines.findIndex((line) => /^\s*\[\s*Deal\s/i.test(line)) + 1;
  return [...lines.slice(0, place), ...more, ...lines.slice(place)];
}

const pbnCall = (call) => (call === "PASS" ? "Pass" : call.replace(/^([1-7])N/, "$1NT"));

/** Rows of a trick each, all beginning with the first leader's card. */
function playLines({ deal, contract, declarer, play }) {
  const first = (declarer + 1) % 4;
  const lines = [`[Play "${SEATS[first]}"]`];
  for (let row = 0; row < play.length; row += 4) {
    const { leader } = playState(deal, contract, declarer, play.slice(0, row));
    const cards = Array(4).fill("-");
    play.slice(row, row + 4).forEach((card, turn) => (cards[(leader + turn - first + 4) % 4] = card));
    lines.push(cards.join(" "));
  }
  return play.length < 52 ? [...lines, "*"] : lines;
}

/** Exact tricks as BridgeComposer writes them: declarers N S E W, strains NT S H D C. */
const digitsOf = (exact) =>
  [0, 2, 1, 3].flatMap((seat) => [4, 0, 1, 2, 3].map((strain) => exact[strain][seat].toString(16))).join("");

/** A name without what would end it in LIN. */
const linText = (text) => text.replace(/[\s\0-\x1f,]+/g, " ").replaceAll("|", "/").trim();

/** Write boards as LIN; LIN holds no tables. */
export function toLin(boards) {
  const lines = boards.map((board, place) => {
    const { number, dealer, vulnerable } = factsOf(board, place);
    const hands = LIN_SEATS.map((seat) =>
      board.deal.count(seat) === 13 ? SUITS.map((suit, s) => suit + board.deal.holding(seat, s)).join("") : "");
    const names = Object.keys(board.players ?? {}).length ? `pn|${LIN_SEATS.map((seat) => linText(board.players[SEAT_NAMES[seat]] ?? "")).join(",")}|` : "";
    const calls = (board.auction ?? []).map((call) => `mb|${{ PASS: "p", X: "d", XX: "r" }[call] ?? call}|`).join("");
    const [called, caller] = contractOf(dealer, board.auction ?? []);
    const by = board.contract === "PASS" ? null : board.declarer;
    const stated = !board.contract || (board.contract === called && by === caller) ? "" : `rs|${board.contract}${SEATS[by] ?? ""}|`;
    const cards = (board.play ?? []).map((card) => `pc|${card}|`).join("");
    const claimed = board.result === null || board.result === undefined || board.play?.length === 52 ? "" : `mc|${board.result}|`;
    return `qx|o${number}|${names}md|${LIN_SEATS.indexOf(dealer) + 1}${hands.join(",")}|sv|${{ none: "o", ns: "n", ew: "e", both: "b" }[vulnerable]}|ah|Board ${number}|${calls}${stated}${cards}${claimed}pg||`;
  });
  return `${lines.join("\n")}\n`;
}

/** Write boards and their expected tricks as CSV. */
export function toCsv(boards) {
  const cells = ["spades", "hearts", "diamonds", "clubs", "notrump"].flatMap((strain) => SEATS.map((letter) => `${strain}_${letter}`));
  const rows = boards.map((one, i) => [
    one.number ?? i + 1,
    one.deal.pbn,
    ...[0, 1, 2, 3, 4].flatMap((strain) => SEATS.map((_, seat) => one.estimate?.expected[strain][estimatedPlace(one.deal, seat)]?.toFixed(2) ?? "")),
  ]);
  return [["board", "deal", ...cells], ...rows].map((row) => row.join(",")).join("\n") + "\n";
}

/** Write boards with all that is known of them as JSON. */
export function toJson(boards) {
  const lines = boards.map((one, i) => ({
    board: one.number ?? i + 1,
    deal: one.deal.pbn,
    strains: ["S", "H", "D", "C", "N"],
    declarers: one.deal.pair ? one.deal.pair.map((seat) => SEATS[seat]) : SEATS,
    ...(one.estimate && {
      model: one.estimate.model,
      expected: one.estimate.expected,
      tricks: one.estimate.tricks,
      probabilities: one.estimate.probabilities,
    }),
    ...(one.exact && { exact: one.exact }),
  }));
  return `${JSON.stringify(lines, null, 1)}\n`;
}
