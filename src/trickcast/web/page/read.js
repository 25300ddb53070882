// What people paste, drop or open, as boards: PBN, LIN, RBN, addresses of hand viewers, Pavlicek's .zrd,
// diagrams, and hands in any usual spelling with other text around them. What the package reads too is
// tested with the same cases.

import { callOf, callsOf, cardsOf, contractOf } from "./auction.js";
import { playState } from "./bridge.js";
import { Deal, DealError, SEATS, SEAT_NAMES, SUITS, boardFacts, quoted } from "./cards.js";
import { handBoards } from "./hands.js";

/** What can be typed, as a whole example. */
export const EXAMPLE = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98";

const VULNERABLE = {
  "": "none", "-": "none", 0: "none", o: "none", none: "none", love: "none",
  n: "ns", ns: "ns", e: "ew", ew: "ew", b: "both", all: "both", both: "both",
};
const LIN_SEATS = [2, 3, 0, 1]; // South, West, North, East

/** One board: a deal, and what is known of it: seats 0-3, calls and cards as text, or null. */
function board(deal, { number = null, dealer = null, vulnerable = null, ...known } = {}) {
  const auction = known.auction ?? [];
  const [contract, declarer] = dealer === null ? [null, null] : contractOf(dealer, auction);
  const facts = number ? boardFacts(number) : {};
  return {
    deal,
    number,
    dealer: dealer ?? facts.dealer ?? null,
    vulnerable: vulnerable ?? facts.vulnerable ?? null,
    contract: contract ?? known.contract ?? null,
    declarer: contract ? declarer : (known.declarer ?? null),
    result: known.result ?? null,
    auction,
    play: known.play ?? [],
    players: known.players ?? {},
    exact: known.exact ?? null,
    source: known.source ?? null,
  };
}

const whole = (text) => (/^\d{1,4}$/.test(text ?? "") ? Number(text) : null);
const seat = (text) => {
  const place = SEATS.indexOf((text ?? "").trim().slice(0, 1).toUpperCase());
  return place < 0 ? null : place;
};

/**
 * Read any text. Returns {boards, skipped}: boards that were read, and a sentence for each that
 * was not. Throws DealError when nothing could be read.
 */
export function readText(text) {
  const plain = text.replace(/^\uFEFF/, "").replace(/[“”„«»]/g, '"').replace(/\u00a0/g, " ").trim();
  if (!plain) throw new DealError("there is nothing to read. Paste a deal, or type one");
  const address = ADDRESS.exec(plain);
  if (address) return readAddress(/^https?:/i.test(address[0]) ? address[0] : `https://${address[0]}`);
  if (/\[\s*Deal\s+"/i.test(plain)) return collected(pbnBoards(plain));
  if (/(^|\|)\s*md\|/i.test(plain)) return collected(linBoards(plain));
  if (/^H [NESW][:;]/m.test(plain)) return collected(rbnBoards(plain));
  return collected(handBoards(plain).map(({ name, read }) => ({ name, read: () => { const { deal, ...facts } = read(); return board(deal, facts); } })));
}

const ADDRESS = /https?:\/\/[^\s"<>]+|(?:\w[\w-]*\.)+[a-z]{2,}\/[^\s"<>]*(?:handviewer|ddummy|#deal=)[^\s"<>]*/i;

function collected(candidates) {
  const boards = [];
  const skipped = [];
  for (const { name, read } of candidates) {
    try {
      const one = read();
      if (one.deal.empty) throw new DealError("it has no cards");
      boards.push(one);
    } catch (error) {
      if (!(error instanceof DealError)) throw error;
      skipped.push(`${name}${error.message}`);
    }
  }
  if (!boards.length) throw new DealError(skipped[0] ?? "no cards were found in it");
  return { boards, skipped };
}

/** Yield the boards of PBN text; a value “#” is that of the board before. */
function* pbnBoards(text) {
  let current = { tags: {}, sections: {}, lines: [] };
  let before = {};
  const found = [];
  const close = () => {
    if (current.tags.deal !== undefined) found.push(current);
    before = current.tags;
    current = { tags: {}, sections: {}, lines: [] };
  };
  let section = null;
  for (const line of text.split(/\r\n?|\n/)) {
    const match = /^\s*\[\s*(\w+)\s+"([^"]*)"\s*\]/.exec(line);
    if (match) {
      section = match[1].toLowerCase();
      if (section in current.tags && ["event", "board", "deal"].includes(section)) close();
      current.tags[section] = match[2] === "#" ? (before[section] ?? "") : match[2];
      current.sections[section] = [];
    } else if (!line.trim()) {
      if (current.tags.deal !== undefined) close();
      continue;
    } else if (section && !/^\s*[%;]/.test(line)) current.sections[section]?.push(line.replace(/\{[^}]*\}/g, " "));
    if (!/^\s*%/.test(line)) current.lines.push(line);
  }
  close();
  for (const [i, { tags, sections, lines }] of found.entries()) {
    yield { name: `board ${tags.board || i + 1}: `, read: () => pbnBoard(tags, sections, lines) };
  }
}

function pbnBoard(tags, sections, lines) {
  const deal = Deal.parse(tags.deal);
  const words = (name) => (sections[name] ?? []).join(" ").split(/\s+/).filter(Boolean);
  const contract = /^([1-7])([SHDCN])T?(X{0,2})$/i.exec(tags.contract ?? "");
  const known = {
    number: whole(tags.board),
    dealer: seat(tags.dealer),
    vulnerable: VULNERABLE[(tags.vulnerable ?? "?").toLowerCase()] ?? null,
    contract: contract ? contract.slice(1).join("").toUpperCase() : /^pass$/i.test(tags.contract ?? "") ? "PASS" : null,
    declarer: seat(tags.declarer?.replace("^", "")),
    result: /^\d+$/.test(tags.result ?? "") ? Number(tags.result) : null,
    auction: seat(tags.auction) === null ? [] : pbnCalls(words("auction")),
    players: playersOf(SEAT_NAMES.map((name, place) => [place, tags[name.toLowerCase()] ?? ""])),
    exact: pbnTable(tags, sections),
    source: { deal: deal.pbn, lines },
  };
  const made = board(deal, known);
  made.play = pbnPlay(made, seat(tags.play), words("play"));
  return made;
}

function pbnCalls(words) {
  const calls = [];
  for (const word of words) {
    if (/^(=\d+=|\$\d+|[!?]+|-|\+)$/.test(word)) continue;
    if (/^\*$/.test(word)) break;
    if (/^AP$/i.test(word)) {
      calls.push(...Array(calls.length ? 3 : 4).fill("PASS"));
      break;
    }
    try {
      calls.push(callOf(word.replace(/=\d+=$/, "")));
    } catch {
      return calls;
    }
  }
  return calls;
}

/** Cards in the order played, of rows of four that all begin with the first leader's. */
function pbnPlay({ deal, contract, declarer }, first, words) {
  if (first === null || declarer === null || !/^[1-7]/.test(contract ?? "")) return [];
  const cards = words.filter((word) => /^([SHDC][2-9TJQKA]|-)$/i.test(word)).map((word) => word.toUpperCase());
  const play = [];
  for (let row = 0; row < cards.length; row += 4) {
    const { leader } = playState(deal, contract, declarer, play);
    for (let turn = 0; turn < 4; turn += 1) {
      const card = cards[row + ((leader + turn - first + 4) % 4)];
      if (!card || card === "-") return play;
      play.push(card);
    }
  }
  return play;
}

/** The exact tricks of a board, strains × declarers, where its table is whole. */
function pbnTable({ doubledummytricks: digits }, { optimumresulttable: rows = [] }) {
  const table = [0, 1, 2, 3, 4].map(() => Array(4).fill(null));
  if (/^[0-9a-d]{20}$/i.test(digits ?? "")) {
    [...digits].forEach((digit, i) => (table[[4, 0, 1, 2, 3][i % 5]][[0, 2, 1, 3][Math.floor(i / 5)]] = parseInt(digit, 16)));
  }
  for (const row of rows) {
    const match = /^\s*([NESW])\s+([SHDC]|NT?)\s+(\d+)/i.exec(row);
    if (match) table["SHDCN".indexOf(match[2][0].toUpperCase())][seat(match[1])] = Number(match[3]);
  }
  return table.flat().every((tricks) => tricks !== null && tricks <= 13) ? table : null;
}

/** Yield the boards of RBN text: a letter, a blank and data on each line. */
function* rbnBoards(text) {
  let fields = {};
  const found = [];
  const close = () => {
    if (fields.H) found.push(fields);
    fields = { B: undefined, ...fields, A: undefined, C: undefined, P: undefined, R: undefined, H: undefined };
  };
  for (const line of [...text.replace(/\{[^}]*\}/g, "").split(/\r\n?|\n/), ""]) {
    const match = /^([A-Z]) (.*)$/.exec(line.trim());
    if (match) fields[match[1]] = match[2].trim();
    else if (!line.trim()) close();
  }
  for (const [i, record] of found.entries()) yield { name: `board ${record.B || i + 1}: `, read: () => rbnBoard(record) };
}

function rbnBoard({ H, A, B, C, P, R }) {
  const [first, ...hands] = H.split(/[:;]/);
  const deal = Deal.parse(`${first}:${hands.filter((_, i) => i < 4).map((hand) => hand || "-").join(" ")}`);
  const opened = /^([NESW])([ZNEB?]):(.*)$/.exec(A ?? "");
  const calls = opened ? opened[3].replace(/A$/, "PPP").match(/[1-7][CDHSN]|[PXR]/g) ?? [] : [];
  const contract = /^([1-7])([CDHSN])T?(X{0,2}|R)[ :]*([NESW])?/i.exec(C ?? "");
  const made = board(deal, {
    number: whole(B),
    dealer: opened ? seat(opened[1]) : null,
    vulnerable: opened ? ({ Z: "none", N: "ns", E: "ew", B: "both" }[opened[2]] ?? null) : null,
    auction: calls.map(callOf),
    contract: contract ? `${contract[1]}${contract[2]}${contract[3].replace("R", "XX")}`.toUpperCase() : null,
    declarer: seat(contract?.[4]),
  });
  if (made.contract && /^(=|[+-]?\d+)$/.test(R ?? "")) {
    const wanted = Number(made.contract[0]) + 6;
    made.result = R === "=" ? wanted : /^[+-]/.test(R) ? wanted + Number(R) : Number(R);
  }
  let suit = "";
  for (const [i, [, named, rank]] of [...(P ?? "").replace(/^[NESW]:/, "").matchAll(/([SHDC]?)([2-9TJQKA])/g)].entries()) {
    if (named || i % 4 === 0) suit = named || suit;
    made.play.push((named || suit) + rank);
  }
  return made;
}

/** Yield the boards of LIN text. */
function* linBoards(text) {
  let number = null;
  let players = {};
  let current = null;
  const boards = [];
  const parts = text.split("|");
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const name = parts[i].trim().toLowerCase();
    const value = parts[i + 1].trim();
    if (name === "md") boards.push((current = { md: value, number, sv: null, players, calls: [], cards: [] }));
    else if (name === "sv" && current) current.sv = value.toLowerCase();
    else if (name === "ah" && current) current.number = whole(/(\d+)\s*$/.exec(value)?.[1]);
    else if (name === "mb" && current) current.calls.push(value);
    else if (name === "pc" && current) current.cards.push(value);
    else if (name === "mc" && current) current.claimed = whole(value);
    else if (name === "qx") number = whole(/(\d+)/.exec(value)?.[1]);
    else if (name === "pn") players = playersOf(value.split(",").map((player, i) => [LIN_SEATS[i], player]));
  }
  for (const [i, found] of boards.entries()) {
    yield {
      name: `board ${found.number ?? i + 1}: `,
      read: () =>
        board(linDeal(found.md), {
          number: found.number,
          dealer: LIN_SEATS[Number(found.md[0]) - 1] ?? null,
          vulnerable: found.sv === null ? null : (VULNERABLE[found.sv] ?? null),
          auction: found.calls.map(callOf),
          play: found.cards.flatMap(cardsOf),
          players: found.players,
          result: found.claimed ?? null,
        }),
    };
  }
}

/** Names by seat: {North: "Nora"}. */
function playersOf(pairs) {
  const named = pairs.filter(([place, player]) => SEAT_NAMES[place] && player?.trim());
  return Object.fromEntries(named.map(([place, player]) => [SEAT_NAMES[place], player.trim()]));
}

function linDeal(md) {
  const hands = md.replace(/^\d/, "").split(",");
  return Deal.ofHands(hands.slice(0, 4).map((hand, i) => [LIN_SEATS[i], lettersToHand(hand)]));
}

/** Turn SAKHQ.. (suit letters, ranks in any order) into a dotted hand; “-” for no cards. */
function lettersToHand(text) {
  const holdings = { S: "", H: "", D: "", C: "" };
  let suit = null;
  for (const letter of text.toUpperCase().replaceAll("10", "T").replace(/\s/g, "")) {
    if (letter in holdings) suit = letter;
    else if (suit === null) throw new DealError(`${quoted(text)} begins without a suit. Write S, H, D or C before the cards of each suit`);
    else if (letter !== "-") holdings[suit] += letter;
  }
  const hand = SUITS.map((letter) => holdings[letter]).join(".");
  return hand === "..." ? "-" : hand;
}

/** Read an address: of this page, of BBO's hand viewer, of Bridge Solver Online. */
export function readAddress(text) {
  let address;
  try {
    address = new URL(text.replaceAll("&amp;", "&"));
  } catch {
    throw new DealError(`the address ${quoted(text)} cannot be read. Copy the whole address`);
  }
  const shared = new URLSearchParams(address.hash.slice(1)).get("deal");
  if (shared) return { boards: [board(Deal.parse(shared))], skipped: [] };
  if (!/\/(handviewer|ddummy)[^/]*$/i.test(address.pathname)) {
    throw new DealError(`${quoted(text)} has no deal that can be read. Addresses of this page, of BBO’s hand viewer and of Bridge Solver Online can`);
  }
  const given = new URLSearchParams(address.search || address.hash.slice(1));
  const values = new Map([...given].map(([key, value]) => [KEYS[key.toLowerCase()] ?? key.toLowerCase(), value]));
  if (values.get("lin")) return collected(linBoards(values.get("lin")));
  const letters = SEATS.map((letter) => letter.toLowerCase());
  if (!letters.some((letter) => values.get(letter))) {
    const why = values.has("myhand") || values.has("file") ? "the site has them: open the board there, and copy its cards or its LIN" : "they stand after n=, e=, s= and w=";
    throw new DealError(`there are no cards in the address ${quoted(text)}: ${why}`);
  }
  const hands = letters.map((letter, place) => {
    const hand = values.get(letter) ?? "";
    return [place, hand.includes(".") ? hand : lettersToHand(hand)];
  });
  return { boards: [board(Deal.ofHands(hands), addressFacts(values))], skipped: [] };
}

const KEYS = {
  north: "n", east: "e", south: "s", west: "w", dealer: "d", vul: "v", board: "b",
};
const DUTCH = { o: "e", z: "s" }; // oost, zuid

function addressFacts(values) {
  const value = (name) => (values.get(name) ?? "").trim();
  const seatIn = (name) => seat(DUTCH[value(name).toLowerCase()] ?? value(name));
  const vulnerable = value("v").toLowerCase();
  if (!(vulnerable in VULNERABLE)) throw new DealError(`the address says v=${quoted(vulnerable)}. For the vulnerability write -, n, e or b`);
  return {
    number: whole(value("b")),
    dealer: seatIn("d"),
    vulnerable: vulnerable ? VULNERABLE[vulnerable] : null,
    contract: /^[1-7][SHDCN]T?X{0,2}$/i.test(value("contract")) ? value("contract").toUpperCase().replace("NT", "N") : null,
    declarer: seatIn("declarer"),
    auction: callsOf(value("a")),
    play: value("p").startsWith("{") ? [] : cardsOf(value("p")),
    players: playersOf(SEATS.map((letter, place) => [place, value(`${letter.toLowerCase()}n`)])),
  };
}

const ZRD = 23;

/** Read Pavlicek's records: two bits a card (W N E S), then twenty nibbles of tricks. */
export function readZrd(bytes) {
  if (!bytes.length || bytes.length % ZRD) {
    throw new DealError(`the file has ${bytes.length} bytes, and a .zrd file has ${ZRD} for each deal. It may be cut off`);
  }
  const boards = [];
  for (let start = 0; start < bytes.length; start += ZRD) {
    const record = bytes.subarray(start, start + ZRD);
    const owners = new Uint8Array(52);
    for (let card = 0; card < 52; card += 1) {
      owners[card] = [3, 0, 1, 2][(record[card >> 2] >> (2 * (card & 3))) & 3];
    }
    const deal = new Deal(owners);
    if (!deal.whole) throw new DealError(`deal ${start / ZRD + 1} of the file does not have 13 cards in each hand. It may not be a .zrd file`);
    const one = board(deal, { number: start / ZRD + 1 });
    one.exact = [0, 1, 2, 3, 4].map((strain) =>
      SEATS.map((_, declarer) => {
        const nibble = 4 * ((strain + 1) % 5) + ((declarer + 1) % 4);
        return (record[13 + (nibble >> 1)] >> (4 * (nibble & 1))) & 15;
      }),
    );
    boards.push(one);
  }
  return { boards, skipped: [] };
}
