// Hands as people write them: a deal in a line, N: … S: …, a hand a line, four words, suits with their
// signs or letters, diagrams around a compass or with it between the hands, with any other text around them.

import { Deal, DealError, SEATS, quoted } from "./cards.js";

const RANK = "(?:10|[2-9TJQKA])";
const SUIT = `(?:${RANK}+|[-–—x])`;
const DOTTED = `(?:${RANK}*\\.${RANK}*\\.${RANK}*\\.${RANK}*|-(?!\\S))`;
const SEAT = "north|east|south|west|[NESW]";
const DEAL = new RegExp(`(?<![\\w])(?:(${SEAT})\\s*:\\s*)?([^\\s:"'.]*\\.[^\\s"'.]*\\.[^\\s"'.]*\\.[^\\s"'.]*|-)((?:[ \\t]+(?:${DOTTED})){1,3})(?![.\\w])`, "gi");
const LABELLED = new RegExp(
  `(?<![\\w.])(${SEAT})\\b(?:'s hand)?[ \\t]*[:=]?[ \\t]*(${DOTTED}|${SUIT}(?:[ \\t]+${SUIT}){3}(?![ \\t]+${SUIT}))(?![.\\w])`, "gi");
const SIGNS = { "♠": 0, "♥": 1, "♦": 2, "♣": 3, "♤": 0, "♡": 1, "♢": 2, "♧": 3, S: 0, H: 1, D: 2, C: 3 };
const RANKS = `${RANK}(?:[ ,]?${RANK})*(?![\\w.])`;
const ITEM = new RegExp(
  `(?:([♠♥♦♣♤♡♢♧])\\ufe0e?\\ufe0f?[ :]?|(?<![\\w.])(spades|hearts|diamonds|clubs|[SHDC])[ :.-]{0,3}(?=${RANKS}|[-–—](?!\\S)))` +
    `(?: ?(${RANKS})|[ ]?[-–—]+(?!\\S))?`, "gi");
const LEADING = new RegExp(`(?<![\\w.])(${SEAT})\\b[^\\w♠♥♦♣]*$`, "i");
const FACTS = {
  number: /\b(?:board|bd)\.?\s*(?:no\.?|nr\.?|number|#)?\s*:?\s*(\d{1,6})\b/i,
  dealer: /\b(?:dealer|dlr)\b\s*[:=.]?\s*(north|east|south|west|[NESW])\b|\b(north|east|south|west|[NESW])\s+deals\b/i,
  vulnerable:
    /\bvul(?:n|nerable|nerability)?\b\s*[:=.]?\s*(N-?\/?S|E-?\/?W|none|nil|both|all|neither)\b|\b(N-?\/?S|E-?\/?W|none|nil|both|all|neither)\s+vul/i,
};

const place = (text) => SEATS.indexOf(text[0].toUpperCase());

/** What stands around a deal: its number, dealer and vulnerability. */
function factsIn(text) {
  const found = (name) => {
    const match = FACTS[name].exec(text);
    return match ? (match[1] ?? match[2]) : null;
  };
  const [number, dealer, vulnerable] = [found("number"), found("dealer"), found("vulnerable")];
  return {
    number: number && Number(number),
    dealer: dealer && place(dealer),
    vulnerable: vulnerable && ({ N: "ns", E: "ew", B: "both", A: "both" }[/^ne|^no|^ni/i.test(vulnerable) ? "" : vulnerable[0].toUpperCase()] ?? "none"),
  };
}

const dotted = (text) =>
  /[.]/.test(text) || text === "-" ? text : text.trim().split(/\s+/).map((suit) => suit.replace(/^[-–—x]$/, "")).join(".");

/** Find the deals of a text: [{name, read}], as they stand; reading may raise DealError. */
export function handBoards(text) {
  const lines = text.split(/\r\n?|\n/);
  const whole = [...text.matchAll(DEAL)];
  if (whole.length) return dealsOf(lines, whole, text);
  const labelled = [...text.matchAll(LABELLED)].filter(([, , hand]) => rankCount(hand) > 6 || hand === "-");
  if (labelled.length > 1 || (labelled.length === 1 && !/[♠♥♦♣]/.test(text))) {
    return [one(text, () => Deal.ofHands(labelled.map(([, seat, hand]) => [place(seat), dotted(hand)])))];
  }
  const drawn = drawnHands(lines);
  if (drawn.length) return [one(text, () => Deal.ofHands(drawn))];
  const written = writtenHands(lines);
  if (written.length) return [one(text, () => Deal.ofHands(written))];
  const single = text.trim();
  throw new DealError(/\./.test(single) ? reasonOf(single) : `no cards were found in ${quoted(single)}`);
}

const rankCount = (text) => (text.match(new RegExp(RANK, "gi")) ?? []).length;
const one = (text, read) => ({ name: "", read: () => ({ deal: read(), ...factsIn(text) }) });

/** What is wrong with a text that looks like a deal. */
function reasonOf(text) {
  try {
    Deal.parse(text);
  } catch (error) {
    return error.message;
  }
  return `no cards were found in ${quoted(text)}`;
}

function dealsOf(lines, found, text) {
  if (found.length === 1) {
    const [[, seat, first, rest]] = found;
    return [one(text.replace(found[0][0], " "), () => dealOf(seat, first, rest))];
  }
  const several = lines.filter((line) => line.trim());
  return several.map((line, i) => {
    const [match] = line.matchAll(DEAL);
    return {
      name: `line ${i + 1}: `,
      read: () => (match ? { deal: dealOf(match[1], match[2], match[3]) } : { deal: Deal.parse(line) }),
    };
  });
}

function dealOf(seat, first, rest) {
  const start = seat ? place(seat) : 0;
  return Deal.ofHands([first, ...rest.trim().split(/\s+/)].map((hand, i) => [(start + i) % 4, hand]));
}

const WORDS = `(${DOTTED}|${SUIT}(?:\\s+${SUIT}){3})`;
const A_LINE = new RegExp(`^\\W*${WORDS}(?:\\s+${WORDS})?\\W*$`, "i");
const A_WORD = new RegExp(`^${SUIT}$`, "i");

/** Hands in words or with dots: one a line, or West's and East's on one line: [seat, dotted]. */
function writtenHands(lines) {
  const hands = [];
  lines.forEach((line, row) => {
    const found = (A_LINE.exec(line)?.slice(1) ?? []).filter((hand) => hand && rankCount(hand) > 6);
    hands.push(...found.map((hand) => ({ row, hand: dotted(hand) })));
    const left = !found.length && line.split(/\s+/).filter((word) => A_WORD.test(word)).join("");
    if (left && rankCount(left) > 12) throw new DealError(`${quoted(line)} cannot be read as a hand or two. Write each hand on a line of its own, after its seat`);
  });
  const around = compassOf(lines, hands);
  if (!around && new Set(hands.map(({ row }) => row)).size < hands.length) throw new DealError(UNSEATED);
  const seats = around ?? { 1: [2], 2: [0, 2], 3: [0, 1, 2], 4: [0, 1, 2, 3] }[hands.length] ?? [];
  if (hands.length > seats.length) throw new DealError(`there are ${hands.length} hands. A deal has four`);
  return hands.map(({ hand }, i) => [seats[i], hand]);
}

const UNSEATED = "nothing says whose the hands are. Write N, E, S or W before each of them";
const COMPASS = /^[\s:|+*.-]*(?:(?:north|east|south|west|[NESW])\b[\s:|+*.-]*)+$/i;

/** The seats of four hands around a compass, or of North, West, East, South with one between them; else null. */
function compassOf(lines, hands) {
  if (hands.length !== 4) return null;
  const [first, second, third, last] = hands.map(({ row }) => row);
  const between = first < second && second < third && third < last && lines.slice(first, last).some((line) => COMPASS.test(line));
  return between || (first < second && second === third && third < last) ? [0, 3, 1, 2] : null;
}

/** Hands whose suits have signs or letters: [seat, dotted] of a diagram, of lines, or of one hand. */
function drawnHands(lines) {
  const hands = [];
  lines.forEach((line, row) => {
    let end = 0;
    for (const match of line.matchAll(ITEM)) {
      const suit = SIGNS[(match[1] ?? match[2][0]).toUpperCase()];
      const label = LEADING.exec(line.slice(end, match.index))?.[1];
      end = match.index + match[0].length;
      let hand;
      if (suit === 0) {
        const above = lines.slice(Math.max(0, row - 1), row).map((text) => near(text, match.index)).find(Boolean);
        hand = { row, column: match.index, suits: [], seat: label ?? above };
        hands.push(hand);
      } else {
        const open = hands.filter(({ suits }) => suits.length === suit);
        hand = open.sort((a, b) => Math.abs(a.column - match.index) - Math.abs(b.column - match.index))[0];
        if (!hand) continue;
      }
      hand.suits.push((match[3] ?? "").replace(/[ ,]/g, ""));
    }
  });
  const full = hands.filter(({ suits }) => suits.length === 4 && suits.join("").length > 6);
  const named = full.every(({ seat }) => seat) && new Set(full.map(({ seat }) => place(seat))).size === full.length;
  const begun = hands.filter(({ suits }) => suits.length > 2 || suits.join("").length > 6).length;
  if (full.length && begun > full.length) throw new DealError(`of ${begun} hands ${full.length} can be read. Write the four suits of each, with a sign or a letter`);
  const seats = { 0: [], 1: [2], 2: [0, 2] }[full.length] ?? compassOf(lines, full);
  if (!named && !seats) throw new DealError(UNSEATED);
  return full.map(({ seat, suits }, i) => [named ? place(seat) : seats[i], suits.join(".")]);
}

/** A seat's name that stands over a hand. */
function near(line, column) {
  const names = [...line.matchAll(/\b(north|east|south|west)\b/gi)];
  const close = names.filter(({ index }) => Math.abs(index - column) < 8);
  const alone = /^\W*([NESW])\W*$/.exec(line);
  return close[0]?.[1] ?? alone?.[1] ?? (names.length === 1 && line.trim().length < 24 ? names[0][1] : undefined);
}
