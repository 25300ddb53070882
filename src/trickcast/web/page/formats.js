// What people paste, drop or open, as boards: PBN, LIN, addresses of hand viewers, plain deals,
// Pavlicek's .zrd. And boards as PBN, CSV and JSON. The package's readers know more formats; what
// both read is tested with one file of cases.

import { Deal, DealError, SEATS, SUITS, STRAIN_NAMES, boardFacts, quoted } from "./cards.js";

const VULNERABLE = {
  "": "none", "-": "none", 0: "none", o: "none", none: "none", love: "none",
  n: "ns", ns: "ns", e: "ew", ew: "ew", b: "both", all: "both", both: "both",
};
const LIN_SEATS = [2, 3, 0, 1]; // South, West, North, East

/** One board: a deal, and what is known of its number, dealer (0-3) and vulnerability. */
function board(deal, { number = null, dealer = null, vulnerable = null } = {}) {
  const facts = number ? boardFacts(number) : {};
  return {
    deal,
    number,
    dealer: dealer ?? facts.dealer ?? null,
    vulnerable: vulnerable ?? facts.vulnerable ?? null,
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
  let pending = null;
  const boards = [];
  const parts = text.split("|");
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const name = parts[i].trim().toLowerCase();
    const value = parts[i + 1].trim();
    if (name === "md") boards.push((pending = { md: value, number, sv: null }));
    else if (name === "sv" && pending) pending.sv = value.toLowerCase();
    else if (name === "ah" && pending) pending.number = whole(/(\d+)\s*$/.exec(value)?.[1]);
    else if (name === "qx") number = whole(/(\d+)/.exec(value)?.[1]);
  }
  for (const [i, { md, number: told, sv }] of boards.entries()) {
    yield {
      name: `board ${told ?? i + 1}: `,
      read: () =>
        board(linDeal(md), {
          number: told,
          dealer: LIN_SEATS[Number(md[0]) - 1] ?? null,
          vulnerable: sv === null ? null : (VULNERABLE[sv] ?? null),
        }),
    };
  }
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
    else holdings[suit] += letter;
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
  const fields = new Map([...address.searchParams].map(([key, value]) => [key.toLowerCase(), value]));
  const shared = new URLSearchParams(address.hash.slice(1)).get("deal");
  if (shared) return { boards: [board(Deal.parse(shared))], skipped: [] };
  if (fields.has("lin")) return collected(linBoards(fields.get("lin")));
  const hands = [];
  SEATS.forEach((letter, place) => {
    const dotted = fields.get(["north", "east", "south", "west"][place]);
    const letters = fields.get(letter.toLowerCase());
    if (dotted) hands.push([place, dotted]);
    else if (letters) hands.push([place, lettersToHand(letters)]);
  });
  if (!hands.length) {
    throw new DealError(`${quoted(text)}: an address without hands (expected lin=, n= e= s= w= or north= …)`);
  }
  const facts = {
    number: whole(fields.get("board") ?? fields.get("b")),
    dealer: seat(fields.get("dealer") ?? fields.get("d")),
    vulnerable: VULNERABLE[(fields.get("vul") ?? fields.get("v") ?? "?").toLowerCase()] ?? null,
  };
  return { boards: [board(Deal.ofHands(hands), facts)], skipped: [] };
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
