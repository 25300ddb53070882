// The rules that the page needs: who plays which card when, what a contract scores, and the par.

export const STRAINS = "SHDCN";
const RANKS = "AKQJT98765432";
const TRICK = 4;

/** The number (0-51) of a card as text, such as SA. */
export const cardOf = (text) => 13 * "SHDC".indexOf(text[0]) + RANKS.indexOf(text[1]);
/** The text of a card's number. */
export const textOf = (card) => "SHDC"[Math.floor(card / 13)] + RANKS[card % 13];
const suitOf = (card) => Math.floor(card / 13);

/** Tricks that a contract such as 4HX asks for. */
export const needed = (contract) => Number(contract[0]) + 6;

/**
 * Where a play stands after some cards (texts): whose turn it is, the trick on the table, the tricks
 * of either side, the owners of the cards that are left, and which of them can be played. A card that
 * cannot be played ends the play before it; `played` are those that could.
 */
export function playState(deal, contract, declarer, cards) {
  const strain = STRAINS.indexOf(contract[1]);
  const owners = deal.owners;
  const state = { leader: (declarer + 1) % 4, turn: (declarer + 1) % 4, trick: [], last: [], won: [0, 0], owners, played: [] };
  const legal = () => {
    const held = [...owners.keys()].filter((card) => owners[card] === state.turn);
    const following = state.trick.length ? held.filter((card) => suitOf(card) === suitOf(state.trick[0])) : [];
    return following.length ? following : held;
  };
  for (const text of cards) {
    const card = cardOf(text);
    if (!legal().includes(card)) break;
    owners[card] = 255;
    state.trick.push(card);
    state.played.push(text);
    if (state.trick.length < TRICK) {
      state.turn = (state.turn + 1) % 4;
      continue;
    }
    const winner = (state.leader + winning(state.trick, strain)) % 4;
    state.won[winner % 2] += 1;
    state.last = state.trick.map((each, place) => [(state.leader + place) % 4, each]);
    state.trick = [];
    state.leader = state.turn = winner;
  }
  return { ...state, strain, legal: legal() };
}

/** The place of the card that wins a trick. */
function winning(trick, strain) {
  let best = 0;
  trick.forEach((card, place) => {
    const same = suitOf(card) === suitOf(trick[best]);
    if (same ? card < trick[best] : suitOf(card) === strain) best = place;
  });
  return best;
}

/** Declarer's points for a contract such as 4HX that takes so many tricks. */
export function scoreOf(contract, tricks, vulnerable) {
  if (contract === "PASS") return 0;
  const level = Number(contract[0]);
  const strain = STRAINS.indexOf(contract[1]);
  const doubling = contract.length - 2;
  const over = tricks - level - 6;
  if (over < 0) return -penalty(-over, doubling, vulnerable);
  const minor = strain === 2 || strain === 3;
  const each = minor ? 20 : 30;
  const bid = (each * level + (strain === 4 ? 10 : 0)) * 2 ** doubling;
  const game = bid >= 100 ? (vulnerable ? 500 : 300) : 50;
  const slam = level < 6 ? 0 : (level === 6 ? 500 : 1000) * (vulnerable ? 1.5 : 1);
  const extra = doubling ? 100 * doubling * (vulnerable ? 2 : 1) : each;
  return bid + game + slam + 50 * doubling + over * extra;
}

function penalty(down, doubling, vulnerable) {
  if (!doubling) return down * (vulnerable ? 100 : 50);
  const doubled = vulnerable ? 300 * down - 100 : down < 4 ? 200 * down - 100 : 300 * down - 400;
  return doubled * doubling;
}

const VULNERABLE = { none: [false, false], ns: [true, false], ew: [false, true], both: [true, true] };
/** Whether a seat is vulnerable. */
export const isVulnerable = (vulnerable, seat) => VULNERABLE[vulnerable ?? "none"][seat % 2];

/**
 * The par of a table (strains × declarers): the score for North and South, and the contracts that reach
 * it, {contract, side, by, result}. Each side bids on while that gains; what fails is doubled.
 */
export function parOf(tricks, dealer, vulnerable) {
  const bids = [];
  for (let place = 34; place >= 0; place -= 1) {
    const [level, strain] = [Math.floor(place / 5) + 1, [3, 2, 1, 0, 4][place % 5]];
    for (const side of [0, 1]) {
      const most = Math.max(tricks[strain][side], tricks[strain][side + 2]);
      const contract = `${level}${STRAINS[strain]}${most < level + 6 ? "X" : ""}`;
      const points = scoreOf(contract, most, isVulnerable(vulnerable, side));
      bids.push({ place, side, strain, contract, over: most - level - 6, score: side ? -points : points });
    }
  }
  const better = (side, a, b) => (side ? a < b : a > b);
  // what a bid is worth once both sides know all: the other side leaves it, or bids what is better for it
  const above = [null, null]; // the best bid of each side among those higher
  for (let i = 0; i < bids.length; i += 2) {
    for (const bid of [bids[i], bids[i + 1]]) {
      const answer = above[1 - bid.side];
      bid.worth = answer && better(1 - bid.side, answer.worth, bid.score) ? answer.worth : bid.score;
    }
    for (const bid of [bids[i], bids[i + 1]]) {
      if (!above[bid.side] || better(bid.side, bid.worth, above[bid.side].worth)) above[bid.side] = bid;
    }
  }
  const first = dealer % 2;
  let worth = 0; // passed out
  if (better(1 - first, above[1 - first].worth, worth)) ({ worth } = above[1 - first]);
  if (better(first, above[first].worth, worth)) ({ worth } = above[first]);
  if (worth === 0) return { ns: 0, contracts: [] };
  const last = (bid) =>
    !bids.some(({ place, side, score }) => place > bid.place && side !== bid.side && better(side, score, worth));
  const contracts = bids
    .filter((bid) => bid.score === worth && last(bid) && better(bid.side, worth, 0) === bid.over >= 0)
    .map(({ side, strain, contract, over }) => {
      const most = Math.max(tricks[strain][side], tricks[strain][side + 2]);
      const by = [side, side + 2].filter((seat) => tricks[strain][seat] === most);
      return { contract, by, result: over };
    });
  return { ns: worth, contracts: lowest(contracts) };
}

/** Of the contracts in a strain and by the same hands, the highest that makes: with fewest overtricks. */
function lowest(contracts) {
  const kept = new Map();
  for (const each of contracts) {
    const key = each.contract[1] + each.by.join("");
    if (!kept.has(key)) kept.set(key, each);
  }
  return [...kept.values()];
}

/** A result against its contract: =, +1, −2. */
export const signed = (over) => (over === 0 ? "=" : over > 0 ? `+${over}` : `−${-over}`);
