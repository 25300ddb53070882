// Calls as LIN and hand viewers spell them, and the contract that an auction leads to.

import { DealError, SEATS, quoted } from "./cards.js";

const EXPLAINED = String.raw`(?:\((?:[^()]|\([^()]*\))*\))?`; // in parentheses behind a call
const CALL = new RegExp(String.raw`^([1-7](?:NT?|[SHDC])|PASS|DBL|RDBL|XX|[PDXR])[!?*]*${EXPLAINED}[!?*]*[-,]*`, "i");
const CARD = /^[SHDC](?:10|[2-9TJQKA])/i;
const WORDS = { P: "PASS", PASS: "PASS", X: "X", D: "X", DBL: "X", XX: "XX", R: "XX", RDBL: "XX" };

function spelled(word, text, what) {
  const words = [];
  for (let rest = text.replace(/\s/g, ""); rest; ) {
    const match = word.exec(rest);
    if (!match) throw new DealError(`${quoted(rest)} should begin with ${what}`);
    words.push(match[1] ?? match[0]);
    rest = rest.slice(match[0].length);
  }
  return words;
}

/** One call as PASS, X, XX or 1C to 7N. */
export function callOf(text) {
  const call = text.trim().toUpperCase().replace(/[!?]+$/, "");
  if (call in WORDS) return WORDS[call];
  const bid = /^([1-7])([CDHSN])T?$/.exec(call);
  if (!bid) throw new DealError(`${quoted(text)} is not a call. Calls are Pass, X, XX and 1C to 7NT`);
  return bid[1] + bid[2];
}

/** Calls that stand one after the other: 1dp2hppp. */
export const callsOf = (text) => spelled(CALL, text, "a call").map(callOf);

/** Cards that stand one after the other: dqdkdad9. */
export const cardsOf = (text) =>
  spelled(CARD, text, "a card").map((card) => card.toUpperCase().replace("10", "T"));

const rankOf = (bid) => 5 * Number(bid[0]) + "CDHSN".indexOf(bid[1]);

/** How many calls stand before the first that is illegal, and what is wrong with it: empty where all are legal. */
export function legalPart(auction) {
  let highest = "";
  let last = -1; // the last that is no pass
  for (const [i, call] of auction.entries()) {
    if (i > 3 && auction.slice(i - 3, i).every((each) => each === "PASS")) return [i, `${call} comes after the auction has ended`];
    if (call === "PASS") continue;
    if (/^[1-7]/.test(call)) {
      if (highest && rankOf(call) <= rankOf(highest)) return [i, `${call} is not higher than ${highest}`];
      highest = call;
    } else {
      const before = last < 0 ? "" : auction[last];
      if (call === "X" ? !/^[1-7]/.test(before) : before !== "X") return [i, `${call} has no ${call === "X" ? "bid" : "double"} before it`];
      if ((i - last) % 2 === 0) return [i, `${call} of its own side’s ${before}`];
    }
    last = i;
  }
  return [auction.length, ""];
}

/** Contract (4HX, PASS) and declarer (0-3) of an auction; nulls before its end. */
export function contractOf(dealer, auction) {
  if (auction.length < 4 || auction.slice(-3).some((call) => call !== "PASS")) return [null, null];
  const bids = auction.flatMap((call, i) => (/^[1-7]/.test(call) ? [i] : []));
  if (!bids.length) return ["PASS", null];
  const last = bids.at(-1);
  const strain = auction[last][1];
  const doubling = auction.slice(last + 1).reverse().find((call) => call !== "PASS") ?? "";
  const first = bids.find((i) => auction[i][1] === strain && (last - i) % 2 === 0);
  return [auction[last] + doubling, (dealer + first) % SEATS.length];
}
