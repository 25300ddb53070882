// What people paste, drop or open, as boards: PBN, LIN, addresses of hand viewers, plain deals,
// Pavlicek's .zrd. And boards as PBN, LIN, CSV and JSON. The package's readers know more formats; what
// both read is tested with one file of cases.

import { callOf, callsOf, cardsOf, contractOf } from "./auction.js";
import { Deal, DealError, SEATS, SEAT_NAMES, SUITS, STRAIN_NAMES, boardFacts, quoted } from "./cards.js";

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
    auction,
    play: known.play ?? [],
    players: known.players ?? {},
    exact: null,
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
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  if (!trimmed) throw new DealError("nothing to read (expected a deal, PBN, LIN or an address)");
  if (/^https?:\/\//i.test(trimmed)) return readAddress(trimmed);
  if (/\[\s*Deal\s+"/i.test(trimmed)) return collected(pbnBoards(trimmed));
  if (/(^|\|)\s*md\|/i.test(trimmed)) return collected(linBoards(trimmed));
  return collected(
    trimmed.split(/\r\n?|\n/).filter((line) => line.trim()).map((line, i, lines) => ({
      name: lines.length > 1 ? `line ${i + 1}: ` : "",
      read: () => board(Deal.parse(line)),
    })),
  );
}

function collected(candidates) {
  const boards = [];
  const skipped = [];
  for (const { name, read } of candidates) {
    try {
      const one = read();
      if (one.deal.empty) throw new DealError("no cards");
      boards.push(one);
    } catch (error) {
      if (!(error instanceof DealError)) throw error;
      skipped.push(`${name}${error.message}`);
    }
  }
  if (!boards.length) throw new DealError(skipped[0] ?? "no deal was found");
  return { boards, skipped };
}

/** Yield the boards of PBN text; a value “#” is that of the board before. */
function* pbnBoards(text) {
  let tags = {};
  let before = {};
  const boards = [];
  const close = () => {
    if (tags.deal !== undefined) boards.push(tags);
    before = tags;
    tags = {};
  };
  for (const line of text.split(/\r\n?|\n/)) {
    const match = /^\s*\[\s*(\w+)\s+"([^"]*)"\s*\]/.exec(line);
    if (match) {
      const name = match[1].toLowerCase();
      if (name in tags && ["event", "board", "deal"].includes(name)) close();
      tags[name] = match[2] === "#" ? (before[name] ?? "") : match[2];
    } else if (!line.trim() && tags.deal !== undefined) {
      close();
    }
  }
  close();
  for (const found of boards) {
    yield {
      name: `board ${found.board ?? "?"}: `,
      read: () =>
        board(Deal.parse(found.deal), {
          number: whole(found.board),
          dealer: seat(found.dealer),
          vulnerable: VULNERABLE[(found.vulnerable ?? "?").toLowerCase()] ?? null,
        }),
    };
  }
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
    else if (suit === null) throw new DealError(`${quoted(text)}: a rank before any suit letter`);
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
    throw new DealError(`${quoted(text)} is no address`);
  }
  const shared = new URLSearchParams(address.hash.slice(1)).get("deal");
  if (shared) return { boards: [board(Deal.parse(shared))], skipped: [] };
  if (!/\/(handviewer|ddummy)[^/]*$/i.test(address.pathname)) {
    throw new DealError(`${quoted(text)} (expected an address of BBO's hand viewer or of Bridge Solver Online)`);
  }
  const given = new URLSearchParams(address.search || address.hash.slice(1));
  const values = new Map([...given].map(([key, value]) => [KEYS[key.toLowerCase()] ?? key.toLowerCase(), value]));
  if (values.get("lin")) return collected(linBoards(values.get("lin")));
  const letters = SEATS.map((letter) => letter.toLowerCase());
  if (!letters.some((letter) => values.get(letter))) {
    const where = values.has("myhand") || values.has("file") ? "the site has them" : "expected n= e= s= w=";
    throw new DealError(`${quoted(text)}: there are no cards in the address (${where})`);
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
  if (!(vulnerable in VULNERABLE)) throw new DealError(`v=${quoted(vulnerable)} (expected -, n, e or b)`);
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
    throw new DealError(`${bytes.length} bytes (expected records of ${ZRD} bytes)`);
  }
  const boards = [];
  for (let start = 0; start < bytes.length; start += ZRD) {
    const record = bytes.subarray(start, start + ZRD);
    const owners = new Uint8Array(52);
    for (let card = 0; card < 52; card += 1) {
      owners[card] = [3, 0, 1, 2][(record[card >> 2] >> (2 * (card & 3))) & 3];
    }
    const deal = new Deal(owners);
    if (!deal.whole) throw new DealError(`record ${start / ZRD + 1} is no deal of 13 cards a hand`);
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

/** Write boards as PBN, with exact tricks where they are known. */
export function toPbn(boards) {
  const blocks = boards.map((one, i) => {
    const number = one.number ?? i + 1;
    const facts = boardFacts(number);
    const dealer = SEATS[one.dealer ?? facts.dealer];
    const vulnerable = { none: "None", ns: "NS", ew: "EW", both: "All" };
    const lines = [
      `[Board "${number}"]`,
      `[Dealer "${dealer}"]`,
      `[Vulnerable "${vulnerable[one.vulnerable ?? facts.vulnerable]}"]`,
      `[Deal "${one.deal.pbn}"]`,
    ];
    if (one.exact) {
      // declarers N S E W, strains NT S H D C, as BridgeComposer writes them
      const digits = [0, 2, 1, 3].flatMap((seatOf) =>
        [4, 0, 1, 2, 3].map((strain) => one.exact[strain][seatOf].toString(16)),
      );
      lines.push(`[DoubleDummyTricks "${digits.join("")}"]`);
    }
    return lines.join("\n");
  });
  return `% PBN 2.1\n% EXPORT\n\n${blocks.join("\n\n")}\n`;
}

/** Write boards as LIN: cards, dealer and vulnerability; LIN holds no tricks. */
export function toLin(boards) {
  const lines = boards.map((one, i) => {
    const number = one.number ?? i + 1;
    const facts = boardFacts(number);
    const dealer = LIN_SEATS.indexOf(one.dealer ?? facts.dealer) + 1;
    const hands = LIN_SEATS.map((place) =>
      one.deal.count(place) === 13 ? SUITS.map((suit, s) => suit + one.deal.holding(place, s)).join("") : "");
    const vulnerable = { none: "o", ns: "n", ew: "e", both: "b" }[one.vulnerable ?? facts.vulnerable];
    return `qx|o${number}|md|${dealer}${hands.join(",")}|sv|${vulnerable}|ah|Board ${number}|pg||`;
  });
  return `${lines.join("\n")}\n`;
}

/** Write boards and their expected tricks as CSV. */
export function toCsv(boards) {
  const cells = STRAIN_NAMES.flatMap((strain) => SEATS.map((letter) => `${strain}_${letter}`));
  const rows = boards.map((one, i) => [
    one.number ?? i + 1,
    one.deal.pbn,
    ...(one.estimate ? one.estimate.expected.flat().map((n) => n.toFixed(2)) : cells.map(() => "")),
  ]);
  return [["board", "deal", ...cells], ...rows].map((row) => row.join(",")).join("\n") + "\n";
}

/** Write boards with all that is known of them as JSON. */
export function toJson(boards) {
  const lines = boards.map((one, i) => ({
    board: one.number ?? i + 1,
    deal: one.deal.pbn,
    strains: ["S", "H", "D", "C", "N"],
    declarers: SEATS,
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
