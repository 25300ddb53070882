// Cards, hands and deals, as the package has them: 52 owners, spades first, the ace first in each
// suit; seats N E S W are 0 to 3, and 255 is a card whose owner is unknown.

export const SEATS = ["N", "E", "S", "W"];
export const SEAT_NAMES = ["North", "East", "South", "West"];
export const SUITS = ["S", "H", "D", "C"];
const SYMBOLS = "♠♥♦♣";
export const RANKS = "AKQJT98765432";
export const UNKNOWN = 255;
const HAND = 13;

/** A deal that is not one: what is wrong, where, and what was expected. */
export class DealError extends Error {}

/** Shorten quoted input, so that no message is longer than a line or two. */
export function quoted(text) {
  const flat = String(text).replace(/\s+/g, " ").trim();
  return `“${flat.length > 40 ? `${flat.slice(0, 39)}…` : flat}”`;
}

/** Return the cards (0 to 51) of one dotted hand, such as AKQ2.QJT987.32.2. */
export function parseHand(text) {
  const holdings = text.trim().toUpperCase().replaceAll("10", "T").split(".");
  if (holdings.length !== 4) {
    throw new DealError(`${quoted(text)} is not a hand. Write spades, hearts, diamonds and clubs with dots between them, such as AKQ2.J93.T94.A52`);
  }
  const cards = [];
  holdings.forEach((holding, suit) => {
    for (const rank of holding === "-" ? "" : holding) {
      const place = RANKS.indexOf(rank);
      if (place < 0) {
        throw new DealError(`${quoted(rank)} in ${quoted(text)} is not a card. Write ${RANKS}`);
      }
      cards.push(HAND * suit + place);
    }
  });
  return cards;
}

/** Name a card as people do: ♠A. */
export const cardName = (card) => SYMBOLS[Math.floor(card / HAND)] + RANKS[card % HAND];

/** Four hands, any card of which may be unknown. Immutable. */
export class Deal {
  #owners;
  told = ""; // which cards `filled` put into a hand that was given in part

  constructor(owners = new Uint8Array(52).fill(UNKNOWN)) {
    this.#owners = Uint8Array.from(owners);
  }

  /** Read “N:hand hand hand hand”, clockwise from the seat named; “-” is an unknown hand. */
  static parse(text) {
    const match = /^\s*(?:([NESW])\s*:)?\s*(\S[\s\S]*)$/i.exec(text);
    if (!match) throw new DealError("there is nothing to read. Write the four hands, starting with North");
    const first = match[1] ? SEATS.indexOf(match[1].toUpperCase()) : 0;
    const hands = match[2].trim().split(/\s+/);
    if (hands.length > 4) {
      throw new DealError(`there are ${hands.length} hands in ${quoted(text)}. A deal has four`);
    }
    return Deal.ofHands(hands.map((hand, i) => [(first + i) % 4, hand]));
  }

  /** Make a deal of (seat, dotted hand) pairs. */
  static ofHands(hands) {
    const owners = new Uint8Array(52).fill(UNKNOWN);
    for (const [seat, text] of hands) {
      if (text === "-" || text === "") continue;
      const cards = parseHand(text);
      for (const card of cards) {
        if (owners[card] === seat) {
          throw new DealError(`${SEAT_NAMES[seat]} has ${cardName(card)} twice`);
        }
        if (owners[card] !== UNKNOWN) {
          throw new DealError(
            `${cardName(card)} is held by ${SEAT_NAMES[owners[card]]} and by ${SEAT_NAMES[seat]}`,
          );
        }
        owners[card] = seat;
      }
      if (cards.length > HAND) {
        throw new DealError(`${SEAT_NAMES[seat]} has ${cards.length} cards. A hand has 13`);
      }
    }
    return new Deal(owners).filled();
  }

  get owners() {
    return Uint8Array.from(this.#owners);
  }

  owner(card) {
    return this.#owners[card];
  }

  count(seat) {
    return this.#owners.reduce((held, owner) => held + (owner === seat), 0);
  }

  /** Whether all four hands are known. */
  get whole() {
    return SEATS.every((_, seat) => this.count(seat) === HAND);
  }

  get empty() {
    return this.#owners.every((owner) => owner === UNKNOWN);
  }

  /** The seats of a partnership whose hands are known while its opponents' are not, or null. */
  get pair() {
    const known = SEATS.map((_, seat) => this.count(seat) === HAND);
    const gone = SEATS.map((_, seat) => this.count(seat) === 0);
    for (const first of [0, 1]) {
      if (known[first] && known[first + 2] && gone[1 - first] && gone[3 - first]) {
        return [first, first + 2];
      }
    }
    return null;
  }

  /** Return the deal with a card given to a seat, or taken from all. */
  with(card, seat) {
    const owners = this.owners;
    owners[card] = seat;
    return new Deal(owners);
  }

  /** Return the deal with its fourth hand, where three are known. */
  filled() {
    const short = SEATS.map((_, seat) => seat).filter((seat) => this.count(seat) < HAND);
    if (short.length !== 1) return this;
    const [seat] = short;
    const filled = new Deal(this.#owners.map((owner) => (owner === UNKNOWN ? seat : owner)));
    const held = this.count(seat);
    const added = [...filled.#owners.keys()].filter((card) => this.owner(card) === UNKNOWN).map(cardName);
    if (held) filled.told = `${SEAT_NAMES[seat]} was given ${held} of 13 cards: ${added.join(" ")}, which no other hand has, ${added.length === 1 ? "is" : "are"} put in.`;
    return filled;
  }

  /** Ranks of a seat in a suit, highest first. */
  holding(seat, suit) {
    return [...RANKS].filter((_, i) => this.#owners[HAND * suit + i] === seat).join("");
  }

  hand(seat) {
    return SUITS.map((_, suit) => this.holding(seat, suit)).join(".");
  }

  /** PBN text from North; hands that are not whole are “-”. */
  get pbn() {
    const hands = SEATS.map((_, seat) => (this.count(seat) === HAND ? this.hand(seat) : "-"));
    return `N:${hands.join(" ")}`;
  }

  /** High-card points of a seat. */
  points(seat) {
    const worth = { A: 4, K: 3, Q: 2, J: 1 };
    return SUITS.flatMap((_, suit) => [...this.holding(seat, suit)]).reduce(
      (sum, rank) => sum + (worth[rank] ?? 0),
      0,
    );
  }
}

const DEALERS = [3, 0, 1, 2]; // of boards 0, 1, 2, 3 of every four
const VULNERABLE = "none ns ew both ns ew both none ew both none ns both none ns ew".split(" ");

/** Dealer (0-3) and vulnerability of a board number. */
export function boardFacts(number) {
  return { dealer: DEALERS[number % 4], vulnerable: VULNERABLE[(number + 15) % 16] };
}

/** The place of a declarer in estimates of a deal: those of two hands have only these two; -1 for the others. */
export const estimatedPlace = (deal, seat) => (deal.pair ? deal.pair.indexOf(seat) : seat);

/** Dealer of a board: as it says, or as its number does. */
export const dealerOf = ({ dealer, number }) => dealer ?? (number ? boardFacts(number).dealer : 0);
