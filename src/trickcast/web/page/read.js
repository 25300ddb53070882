// What people paste, drop or open, as boards: PBN, LIN, RBN, CSV, addresses of hand viewers, Pavlicek's .zrd,
// diagrams, and hands in any usual spelling with other text around them. What the package reads too is
// tested with the same cases.

import { callOf, callsOf, cardsOf, contractOf, legalPart } from "./auction.js";
import { cardOf, playState } from "./bridge.js";
import { Deal, DealError, SEATS, SEAT_NAMES, SUITS, boardFacts, quoted } from "./cards.js";
import { handBoards } from "./hands.js";

/** What can be typed, as a whole example. */
export const EXAMPLE = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98";

const VULNERABLE = {
  __proto__: null, "": "none", "-": "none", 0: "none", o: "none", none: "none", love: "none",
  n: "ns", ns: "ns", e: "ew", ew: "ew", b: "both", all: "both", both: "both",
};
const LIN_SEATS = [2, 3, 0, 1]; // South, West, North, East

/**
 * One board: a deal, and what is known of it: seats 0-3, calls and cards as text, or null; and notes, which
 * say what of it was not read as it stands. A contract that is stated counts before that of the auction, but
 * where `called` is true.
 */
function board(deal, { number = null, dealer = null, vulnerable = null, ...known } = {}) {
  const notes = [deal.told, ...(known.notes ?? [])].filter(Boolean);
  const [stand, wrong] = legalPart(known.auction ?? []);
  if (wrong) notes.push(`Call ${stand + 1} of the auction is impossible: ${wrong}. The calls before it are kept.`);
  const auction = (known.auction ?? []).slice(0, stand);
  const called = dealer === null ? [null, null] : contractOf(dealer, auction);
  const stated = [known.contract ?? null, known.declarer ?? null];
  const differs = called[0] && stated.some((said, i) => said !== null && said !== called[i]);
  if (differs) notes.push(`The auction leads to ${outcome(called)}, and the board says ${outcome(stated)}: ${known.called ? "the auction counts" : "that is shown"}.`);
  const shown = known.called && called[0] ? called : [stated[0] ?? called[0], stated[1] ?? called[1]];
  const played = known.play ?? [];
  const again = played.findIndex((card, i) => played.indexOf(card) < i);
  if (again >= 0) notes.push(`Card ${again + 1} of the play, ${played[again]}, was already played. The cards before it are kept.`);
  const facts = number ? boardFacts(number) : {};
  return {
    deal,
    number,
    dealer: dealer ?? facts.dealer ?? null,
    vulnerable: vulnerable ?? facts.vulnerable ?? null,
    contract: shown[0],
    declarer: shown[1],
    result: known.result ?? null,
    auction,
    play: again < 0 ? played : played.slice(0, again),
    players: known.players ?? {},
    exact: known.exact ?? null,
    source: known.source ?? null,
    notes,
  };
}

const outcome = ([contract, declarer]) => [contract, SEATS[declarer]].filter(Boolean).join(" by ");

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
  if (/\[\s*Deal\s+"/i.test(plain)) return collected(pbnBoards(plain));
  const address = ADDRESS.exec(plain);
  if (address) return readAddress(/^https?:/i.test(address[0]) ? address[0] : `https://${address[0]}`);
  if (/(^|[|\s])md\|/i.test(plain)) return collected(linBoards(plain));
  if (/^H [NESW][:;]/m.test(plain)) return collected(rbnBoards(plain));
  const rows = csvBoards(plain);
  if (rows) return collected(rows);
  return collected(handBoards(plain).map(({ name, read }) => ({ name, read: () => { const { deal, ...facts } = read(); return board(deal, facts); } })));
}

// an address that has a deal, among other text; or any that stands alone
const ADDRESS = /(?:https?:\/\/|(?:\w[\w-]*\.)+[a-z]{2,}\/)[^\s"<>]*(?:handviewer|ddummy|#deal=)[^\s"<>]*|^https?:\/\/[^\s"<>]+$/i;

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

const TAG = /\s*\[\s*(\w+)\s*"((?:[^"\\]|\\.)*)"\s*\]/y;
const ROW = /^\s*(?:(?:[1-7](?:NT?|[SHDC])[!?*]*|pass|all|ap|dbl|rdbl|double|redouble|[PDXR]|XX|[SHDC](?:10|[2-9TJQKA])|NT|[NESWHC]|1?\d|[-*+]|[!?]+|=\d+=|\$\d+)(?:\s+|$))+$/i;
const OF_THE_DEAL = ["deal", "board", "dealer", "vulnerable"]; // what another table's record shares with the one before
const OF_A_TABLE = ["declarer", "contract", "result", "auction", "play", "score"];
const OF_A_BOARD = ["board", "west", "north", "east", "south", "room"];
const OF_ONE_BOARD = ["dealer", "vulnerable", "scoring", "declarer", "contract", "result"]; // an empty one beside its like says nothing
const ONCE = ["event", "site", "date", "west", "north", "east", "south", "board", "deal", ...OF_ONE_BOARD];
const EMPTY = /^[?-]?$/;
const hasRows = (name) => /^(auction|play|\w+table)$/.test(name) && name !== "table";

/** The blocks of tags of PBN text: {tags, sections, lines}, cut at blank lines and where a tag comes again. */
function pbnBlocks(text) {
  const blocks = [];
  const fresh = () => ({ tags: { __proto__: null }, sections: { __proto__: null }, lines: [] });
  let block = fresh();
  let section = "";
  const close = () => {
    if (Object.keys(block.tags).length) blocks.push(block);
    block = fresh();
  };
  const lines = text.split(/\r\n?|\n/);
  for (const [i, line] of lines.entries()) {
    if (!line.trim()) {
      if (lines[i + 1]?.trim() === "") continue; // the last of them tells
      if (!hasRows(section) || !ROW.test(lines[i + 1] ?? "")) {
        close();
        section = "";
      }
      continue;
    }
    let at = 0;
    for (let match; (TAG.lastIndex = at, (match = TAG.exec(line))); at = TAG.lastIndex) {
      section = match[1].toLowerCase();
      const value = match[2].replace(/\\([\\"])/g, "$1");
      if (section in block.tags && ONCE.includes(section)) {
        const twice = !OF_ONE_BOARD.includes(section) || (!EMPTY.test(value) && !EMPTY.test(block.tags[section]));
        if (twice) close();
        else if (EMPTY.test(value)) continue;
      } else if (block.sections[section]?.trim()) {
        section = "";
        continue;
      }
      block.tags[section] = value;
      block.sections[section] = "";
    }
    if (!/^\s*%/.test(line)) {
      if (section && at < line.length && section in block.sections) block.sections[section] += `${line.slice(at)}\n`;
      block.lines.push(line);
    } else if (/^%\s*(PBN|EXPORT|IMPORT)/i.test(line)) close(); // another file
  }
  close();
  return blocks;
}

/**
 * The records of boards in blocks: only that of another table at the same board has no Deal tag of its own.
 * One that is `lost` has none though it is of another board.
 */
function pbnRecords(blocks) {
  const records = [];
  const joined = (one, two) => one ? { tags: { ...one.tags, ...two.tags }, sections: { ...one.sections, ...two.sections }, lines: [...one.lines, ...two.lines] } : two;
  let record = null;
  let before = null; // what stands before a deal
  for (const block of blocks) {
    const { tags } = block;
    if (before && ONCE.some((name) => name in tags && name in before.tags)) {
      records.push({ ...before, lost: true });
      before = null;
    }
    const other = record && "board" in tags && tags.board !== "#" && tags.board !== record.tags.board;
    if (record && ("deal" in tags || other)) {
      const says = (names) => names.some((name) => name in record.tags);
      const twice = ONCE.some((name) => name in tags && name in record.tags);
      if (says(["deal", ...OF_A_TABLE]) || (twice && says(OF_A_BOARD))) records.push(record);
      else before = before ? joined(record, before) : record;
      record = null;
    } else if (record && Object.keys(tags).some((name) => name !== "note" && name in record.tags)) {
      records.push(record);
      record = joined(before, block);
      before = null;
      continue;
    }
    if ("deal" in tags) {
      record = joined(before, block);
      before = null;
    } else if (record) record = joined(record, block);
    else before = joined(before, block);
  }
  if (record) records.push(record);
  if (before) records.push({ ...before, lost: true });
  return records;
}

/** Yield the boards of PBN text; a value “#” is that of the board before. */
function* pbnBoards(text) {
  let before = {};
  const found = pbnRecords(pbnBlocks(text)).map((record) => {
    const tags = { ...record.tags };
    for (const name of Object.keys(tags)) if (tags[name] === "#") tags[name] = before[name] ?? "";
    const missing = record.lost || "deal" in tags || !("deal" in before) ? [] : OF_THE_DEAL.filter((name) => !(name in tags) && name in before);
    for (const name of missing) tags[name] = before[name];
    if ("deal" in tags) before = tags;
    const shared = missing.map((name) => `[${name[0].toUpperCase()}${name.slice(1)} "${tags[name]}"]`);
    return { tags, sections: record.sections, lines: [...shared, ...record.lines] };
  });
  for (const [i, { tags, sections, lines }] of found.entries()) {
    yield { name: `board ${tags.board || i + 1}: `, read: () => pbnBoard(tags, sections, lines) };
  }
}

const COMMENT = /\{[^}]*(?:\}|$)|;.*/g;

function pbnBoard(tags, sections, lines) {
  if (tags.deal === undefined) throw new DealError('it has no Deal tag. Write one, such as [Deal "N:…"]');
  const deal = dealOfTag(tags.deal);
  const words = (name) => (sections[name] ?? "").replace(COMMENT, " ").split(/\s+/).filter(Boolean);
  const contract = /^([1-7])([SHDCN])T?(X{0,2})$/i.exec(tags.contract ?? "");
  const notes = [];
  const caller = seat(tags.auction);
  const skipped = words("auction").findIndex((word) => word !== "-"); // places of seats before the first to call
  const first = caller === null ? null : (caller + Math.max(skipped, 0)) % 4;
  const dealer = seat(tags.dealer) ?? first;
  const begun = first !== null && first === dealer;
  if (first !== null && !begun) notes.push(`The auction begins with ${SEAT_NAMES[first]}, not with the dealer, and is left out.`);
  const declarer = seat(tags.declarer?.replace("^", ""));
  const known = {
    number: whole(tags.board),
    dealer,
    vulnerable: VULNERABLE[(tags.vulnerable ?? "?").toLowerCase()] ?? null,
    contract: contract ? contract.slice(1).join("").toUpperCase() : /^pass$/i.test(tags.contract ?? "") ? "PASS" : null,
    declarer,
    result: pbnResult(tags.result ?? "", declarer),
    auction: begun ? pbnCalls(words("auction"), notes) : [],
    players: playersOf(SEAT_NAMES.map((name, place) => [place, tags[name.toLowerCase()] ?? ""])),
    exact: pbnTable(tags, sections, notes),
    source: { deal: deal.pbn, lines },
    notes,
  };
  const made = board(deal, known);
  made.source.read = { dealer: made.dealer, vulnerable: made.vulnerable, declarer: made.declarer, contract: made.contract };
  made.play = pbnPlay(made, seat(tags.play), words("play"));
  return made;
}

/** Declarer's tricks: 9, by an irregularity ^9, or of a side: NS 9 EW 4. */
function pbnResult(text, declarer) {
  const clean = text.replace("^", "").trim();
  if (/^\d+$/.test(clean)) return Number(clean);
  const side = /^(NS|EW)\s*(\d+)/i.exec(clean);
  if (!side || declarer === null) return null;
  return (side[1].toUpperCase() === "NS") === (declarer % 2 === 0) ? Number(side[2]) : 13 - Number(side[2]);
}

/** A deal whose hands may have the letters of their suits: SAK3.HQT95.DKJ4.CQ62. */
const dealOfTag = (text) =>
  Deal.parse(text.replace(/(?<![^\s:])S[^\s.]*\.H[^\s.]*\.D[^\s.]*\.C[^\s.]*/gi, (hand) => hand.replace(/[SHDC]/gi, "")));

function pbnCalls(words, notes) {
  const calls = [];
  const ends = () => {
    const passed = calls.slice(calls.findLastIndex((call) => call !== "PASS") + 1).length;
    return Array(Math.max(0, (calls.length === passed ? 4 : 3) - passed)).fill("PASS");
  };
  for (const [i, word] of words.entries()) {
    if (/^(=\d+=|\$\d+|[!?]+|-|\+)$/.test(word)) continue;
    if (/^\*$/.test(word)) break;
    if (/^AP$/i.test(word) || /^all-?pass$/i.test(word) || (/^all$/i.test(word) && /^pass$/i.test(words[i + 1] ?? ""))) {
      calls.push(...ends());
      break;
    }
    try {
      calls.push(callOf(word.replace(/=\d+=$/, "")));
    } catch (error) {
      if (!(error instanceof DealError)) throw error;
      notes.push(`In the auction ${error.message}. The calls before it are kept.`);
      break;
    }
  }
  return calls;
}

/** Cards in the order played, of rows of four that all begin with the first leader's, or stand in any order. */
function pbnPlay({ deal, contract, declarer }, first, words) {
  if (first === null || declarer === null || !/^[1-7]/.test(contract ?? "")) return [];
  const cards = words.filter((word) => /^([SHDC][2-9TJQKA]|-)$/i.test(word)).map((word) => word.toUpperCase());
  const play = [];
  for (let at = 0; at < cards.length; at += 4) {
    const { leader } = playState(deal, contract, declarer, play);
    const row = cards.slice(at, at + 4);
    const places = row.map((card) => (card === "-" ? -1 : (deal.owner(cardOf(card)) - first + 4) % 4));
    if ([0, 1, 2, 3].every((place) => places.includes(place))) row.sort((a, b) => places[cards.indexOf(a) - at] - places[cards.indexOf(b) - at]);
    for (let turn = 0; turn < 4; turn += 1) {
      const card = row[(leader + turn - first + 4) % 4];
      if (!card || card === "-") return play;
      play.push(card);
    }
  }
  return play;
}

/** The exact tricks of a board, strains × declarers, where its tables are whole. */
function pbnTable({ doubledummytricks: digits }, { optimumresulttable: rows = "" }, notes) {
  const table = blankTable();
  for (const row of rows.replace(COMMENT, " ").split("\n")) {
    const match = /^\s*([NESW])\s+([SHDC]|NT?)\s+(\d+)/i.exec(row);
    if (match) table["SHDCN".indexOf(match[2][0].toUpperCase())][seat(match[1])] = Number(match[3]);
  }
  const own = rows.includes("; every 1 is a result") ? table : believed(table, "OptimumResultTable", notes);
  const other = blankTable();
  if (/^[0-9a-df*-]{20}$/i.test(digits ?? "")) {
    [...digits].forEach((digit, i) => (other[[4, 0, 1, 2, 3][i % 5]][[0, 2, 1, 3][Math.floor(i / 5)]] = /[0-9a-d]/i.test(digit) ? parseInt(digit, 16) : null));
  }
  const more = believed(other, "DoubleDummyTricks", notes);
  const both = own.map((row, strain) => row.map((tricks, declarer) => tricks ?? more[strain][declarer]));
  return both.flat().every((tricks) => tricks !== null && tricks <= 13) ? both : null;
}

const blankTable = () => [0, 1, 2, 3, 4].map(() => Array(4).fill(null));

/** A table without its placeholders: programs write 1 for fewer than 7, and 0 for all that is not solved. */
function believed(table, name, notes) {
  const known = table.flat().filter((tricks) => tricks !== null);
  if (known.some((tricks) => tricks >= 2 && tricks <= 6)) return table;
  if (known.includes(1)) notes.push(`1 in ${name} without any 2 to 6 means “fewer than 7, not solved”: taken as unknown.`);
  const nothing = known.every((tricks) => tricks === 0);
  return table.map((row) => row.map((tricks) => (tricks === 1 || nothing ? null : tricks)));
}

const COLUMNS = { __proto__: null, pbn: "deal", "board number": "board", number: "board", bd: "board", vul: "vulnerable", vulnerability: "vulnerable" };
const HANDS = ["north", "east", "south", "west"];
const SUIT_COLUMNS = [...Array(16).keys()].map((place) => `suit ${place}`);
const OUTCOME = /^([1-7])\s*([SHDCN])T?\s*(X{0,2})\s*([NESW](?!\w))?\s*(=|[+-]\s*\d+)?$/i;

/** The boards of CSV: a deal in one column, in four hands or in sixteen suits; null where it is no CSV. */
function csvBoards(text) {
  const lines = text.split(/\r\n?|\n/);
  const mark = [",", ";", "\t"].sort((a, b) => lines[0].split(b).length - lines[0].split(a).length)[0];
  const cellsOf = (line) => [...line.matchAll(new RegExp(`(?:^|${mark})\\s*(?:"((?:[^"]|"")*)"|([^${mark}]*))`, "g"))].map(([, quotes, plain]) => (quotes?.replaceAll('""', '"') ?? plain).trim());
  const first = cellsOf(lines[0]);
  const header = columnsOf(first);
  const names = header ?? (isSixteen(first) ? [...SUIT_COLUMNS, ...["board", "dealer", "vulnerable"].slice(0, first.length - 16)] : null);
  if (!names) return null;
  return lines.flatMap((line, i) => (line.trim() && !(header && i === 0) ? [{ name: `line ${i + 1}: `, read: () => csvBoard(names, cellsOf(line)) }] : []));
}

/** What the columns of a header are, where they hold a deal; else null. */
function columnsOf(header) {
  const names = header.map((name) => {
    const lower = name.toLowerCase();
    const suit = /^(n|north|e|east|s|south|w|west)(?:'s)?[ _.:-]?(spades?|hearts?|diamonds?|clubs?|[shdc])$/.exec(lower);
    if (suit) return SUIT_COLUMNS[4 * seat(suit[1]) + "shdc".indexOf(suit[2][0])];
    return /^[nesw]$/.test(lower) ? HANDS[seat(lower)] : (COLUMNS[lower] ?? lower);
  });
  const hasAll = (wanted) => wanted.every((name) => names.includes(name));
  return hasAll(["deal"]) || hasAll(HANDS) || hasAll(SUIT_COLUMNS) ? names : null;
}

const isSixteen = (cells) => cells.length >= 16 && cells.slice(0, 16).every((cell) => /^(?:10|[2-9TJQKA-])*$/i.test(cell)) && cells.slice(0, 16).join("").replace(/10/g, "T").replaceAll("-", "").length === 52;

function csvBoard(names, cells) {
  const cell = (name) => cells[names.indexOf(name)] ?? "";
  const hands = names.includes(SUIT_COLUMNS[0])
    ? SEATS.map((_, place) => SUIT_COLUMNS.slice(4 * place, 4 * place + 4).map((name) => cell(name).replace(/^-$/, "")).join("."))
    : HANDS.map((name) => cell(name) || "-");
  const deal = cell("deal") ? Deal.parse(cell("deal")) : Deal.ofHands(hands.map((hand, place) => [place, hand]));
  const [dealer, sides] = cell("dealer").split("/"); // also as N/-
  const contract = OUTCOME.exec(cell("contract"));
  const wanted = contract && Number(contract[1]) + 6 + Number((contract[5] ?? "").replace("=", "0").replace(/\s/g, ""));
  return board(deal, {
    number: whole(cell("board")),
    dealer: seat(dealer),
    vulnerable: VULNERABLE[(cell("vulnerable") || sides || "?").toLowerCase()] ?? null,
    contract: contract ? contract.slice(1, 4).join("").toUpperCase() : /^pass$/i.test(cell("contract")) ? "PASS" : null,
    declarer: seat(contract?.[4]) ?? seat(cell("declarer")),
    result: contract?.[5] ? wanted : whole(cell("result")),
  });
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
    called: true,
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

const LIN_CODE = /^[a-z0-9*]{1,2}$/i;
const LIN_KNOWN = /^(pn|md|ah|sv|mb|an|rs|pc|mc|pg|rh|st|qx|ub|up)$/i;

/** The [code, value] pairs of LIN text; %% comments and other text before codes are left out. */
function linPairs(text) {
  const pairs = [];
  let code = "";
  let comment = false;
  for (const part of text.split("|")) {
    const end = part.indexOf("\n");
    const words = comment ? (end < 0 ? "" : part.slice(end + 1)) : part;
    comment &&= end < 0;
    if (comment) continue;
    const line = words.trim().split("\n").at(-1).trim();
    const last = line.split(/\s+/).at(-1);
    const word = LIN_KNOWN.test(last) ? last : line;
    if (code && !/^md$/i.test(word)) {
      pairs.push([code, words.replace(/[\r\n]/g, "").trim()]);
      code = "";
    } else if (LIN_CODE.test(word)) code = word.toLowerCase();
    else comment = /^\s*%%/.test(words.split("\n").at(-1));
  }
  return pairs;
}

/** Yield the boards of LIN text. */
function* linBoards(text) {
  const boards = [];
  let pairs = []; // of the board that is read
  let names = "";
  const has = (name) => pairs.some(([code]) => code === name);
  for (const pair of linPairs(text)) {
    if (["pn", "qx", "md"].includes(pair[0]) && has("md")) {
      boards.push(pairs);
      pairs = [];
    }
    if (pair[0] === "pn") names = pair[1];
    else if (pair[0] === "md" && !has("pn")) pairs.push(["pn", names]);
    pairs.push(pair);
  }
  if (has("md")) boards.push(pairs);
  for (const [i, found] of boards.entries()) {
    const number = linNumber(Object.fromEntries([...found].reverse()));
    yield { name: `board ${number ?? i + 1}: `, read: () => linBoard(found, number) };
  }
}

const linNumber = ({ ah, qx }) => whole(/^board\s*(?:#\s*)?(\d{1,9})$/i.exec(ah?.trim() ?? "")?.[1]) ?? whole(/^[oc]?(\d+)$/i.exec(qx ?? "")?.[1]);

function linBoard(pairs, number) {
  const notes = [];
  const { md, sv, mc, pn, qx, rs } = Object.fromEntries([...pairs].reverse()); // the first of each
  const dealer = LIN_SEATS[Number(/^[1-4]/.exec(md)?.[0]) - 1] ?? null;
  const { calls, begun } = linCalls(pairs, notes);
  if (!begun) notes.push("The auction does not begin with the dealer, and is left out.");
  const stated = /^([1-7])([SHDCN])T?(X{0,2})([NESW])/i.exec(rs ?? "");
  return board(linDeal(md), {
    number,
    dealer: begun ? dealer : null,
    vulnerable: sv === undefined ? null : (VULNERABLE[sv.toLowerCase()] ?? null),
    auction: begun ? calls : [],
    contract: stated && stated.slice(1, 4).join("").toUpperCase(),
    declarer: seat(stated?.[4]),
    play: linPlay(pairs, notes),
    players: linPlayers(pn ?? "", qx ?? "", notes),
    result: whole(mc),
    notes,
  });
}

/** How many calls or cards are taken back: one where it is not said. */
const takenBack = (value) => (/^\d{1,3}$/.test(value) ? Number(value) : 1);

/** The calls that were not taken back, and whether the first is the dealer's; “?” asks the reader and is none. */
function linCalls(pairs, notes) {
  const made = [];
  const last = pairs.findLastIndex(([code]) => code === "mb");
  for (const [i, [code, value]] of pairs.entries()) {
    if (code === "mb" && /^(ap|all\s*pass)$/i.test(value)) made.push(...pbnCalls([...made, "AP"], notes).slice(made.length));
    else if (code === "mb") made.push(...(/^[-?\s]*$/.test(value) ? [value.replace(/(?<=\?).*/, "")] : linCall(value)));
    else if (code === "ub" && (i < last || made.at(-1) === "?")) made.splice(Math.max(0, made.length - takenBack(value)));
  }
  while (made.at(-1) === "-") made.pop();
  const begun = made[0] !== "-";
  const calls = made.slice(Math.max(0, made.findIndex((call) => call !== "-"))).filter((call) => call && call !== "?");
  const wrong = calls.findIndex((call) => !/^([1-7][SHDCN]|PASS|XX?)$/.test(call));
  if (wrong < 0) return { calls, begun };
  notes.push(`${quoted(calls[wrong])} in the auction is not a call. The calls before it are kept.`);
  return { calls: calls.slice(0, wrong), begun };
}

/** The calls of a value; the value itself where it is none. */
function linCall(value) {
  try {
    return callsOf(value);
  } catch (error) {
    if (!(error instanceof DealError)) throw error;
    return [value];
  }
}

/** The cards that were not taken back; the last “up” only rewinds the show. */
function linPlay(pairs, notes) {
  const play = [];
  const last = pairs.findLastIndex(([code]) => code === "pc");
  for (const [code, value] of pairs.slice(0, last + 1)) {
    if (code === "up") play.splice(Math.max(0, play.length - takenBack(value)));
    if (code !== "pc") continue;
    try {
      play.push(...cardsOf(value));
    } catch (error) {
      if (!(error instanceof DealError)) throw error;
      notes.push(`In the play ${error.message}. The cards before it are kept.`);
      break;
    }
  }
  return play;
}

/** The players of a table: of eight names the last four play in the closed room. */
function linPlayers(pn, qx, notes) {
  const names = pn.replace(/[ ,]+$/, "").split(",");
  if (names.length > 4 && names.length !== 8) {
    notes.push(`${names.length} names of players are left out: a table has four, and two tables have eight.`);
    return {};
  }
  const own = names.length === 8 && /^c\d/i.test(qx) ? names.slice(4) : names.slice(0, 4);
  return playersOf(own.map((player, i) => [LIN_SEATS[i], player]));
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
  __proto__: null, north: "n", east: "e", south: "s", west: "w", dealer: "d", vul: "v", board: "b",
};
const DUTCH = { __proto__: null, o: "e", z: "s" }; // oost, zuid

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
    called: true,
    play: value("p").startsWith("{") ? [] : cardsOf(value("p")),
    players: playersOf(SEATS.map((letter, place) => [place, value(`${letter.toLowerCase()}n`)])),
  };
}

/** The text of a file: UTF-8, or UTF-16 where it begins with a mark of it. */
export function textOf(bytes) {
  const utf16 = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.subarray(0, 2).join()];
  return new TextDecoder(utf16 ?? "utf-8").decode(bytes);
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
    const impossible = one.exact.flat().find((tricks) => tricks > 13);
    if (impossible) throw new DealError(`deal ${start / ZRD + 1} of the file has ${impossible} tricks. It may not be a .zrd file`);
    boards.push(one);
  }
  return { boards, skipped: [] };
}
