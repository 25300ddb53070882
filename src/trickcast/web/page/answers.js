// What the engine says of deals and positions, each asked once: estimates, exact tables, par, results
// of cards. The page draws what is known; `follow` asks for what is missing of the board in view.

import { parOf, playState, textOf } from "./bridge.js";
import { EngineError, openEngine } from "./engine.js";
import { SEATS, boardFacts, dealerOf } from "./cards.js";
import { say } from "./settings.js";
import { board, change, state } from "./store.js";

const AGAIN = 5000; // milliseconds after which a server is asked again that was busy or could not be reached
const REFUSED = /^4(?!29)/; // it would say the same again

let engine = null;
const pursued = Object.fromEntries(["line", "tricks", "calls"].map((kind) => [kind, { about: "", asked: new AbortController(), fault: "" }]));
const known = new Map(); // by deal: {estimate, final, pair, openings, exact}
const positions = new Map(); // by play: results of cards
const explained = new Map(); // by auction: what its calls show
const tables = new Map(); // by contract: what players take in it at the table

export const theEngine = () => engine;

/** Start the engine; its first network loads while the page is drawn. */
export async function start() {
  engine = await openEngine();
  engine.warm();
  engine.progress = (what, share) => change({ progress: share === 1 ? null : { what, share } });
  follow();
}

/** What is known of a board: {estimate, final, exact, par, pair, openings}. */
export function answerOf({ deal, exact, dealer, vulnerable, number }) {
  const answer = { ...known.get(deal.pbn) };
  answer.exact = exact ?? answer.exact ?? null;
  const facts = number ? boardFacts(number) : {};
  const opens = dealer ?? facts.dealer ?? 0;
  const sides = vulnerable ?? facts.vulnerable ?? "none";
  const tricks = answer.exact ?? answer.estimate?.tricks;
  answer.par = deal.whole && tricks?.every(Boolean) ? parOf(tricks, opens, sides) : null;
  return answer;
}

function learn(deal, facts) {
  known.set(deal.pbn, { ...known.get(deal.pbn), ...facts });
  change({});
}

const keyOf = ({ contract, declarer, cards }, at) => `${board().deal.pbn} ${contract} ${declarer} ${cards.slice(0, at).join("")}`;

/** Results of the cards that can be played, by text; undefined until known. */
export const resultsOf = (line, at = line.at) => positions.get(keyOf(line, at));

const keyOfContract = ({ deal, vulnerable }, { contract, declarer }) => `${deal.pbn} ${contract} ${declarer} ${vulnerable ?? "none"}`;

/** What players take in the contract on the table; undefined until known, or where no server says it. */
export const playedOf = (shown, line) => (line ? tables.get(keyOfContract(shown, line)) : undefined);

const keyOfAuction = (shown) => `${shown.deal.pbn} ${dealerOf(shown)} ${shown.vulnerable} ${shown.auction.join(" ")}`;

/** What the calls of a board's auction show; undefined until known. */
export const shownBy = (shown) => (shown.auction?.length ? explained.get(keyOfAuction(shown)) : undefined);

/** Tricks that a card of the recorded play gave away, by its place. */
export function costsOf(line) {
  const costs = new Map();
  line.cards.forEach((card, place) => {
    const results = resultsOf(line, place);
    if (!results?.has(card)) return;
    const { turn } = playState(board().deal, line.contract, line.declarer, line.cards.slice(0, place));
    const best = turn % 2 === line.declarer % 2 ? Math.max(...results.values()) : Math.min(...results.values());
    if (results.get(card) !== best) costs.set(place, { seat: turn, card, tricks: Math.abs(best - results.get(card)) });
  });
  return costs;
}

/** Ask for what is missing of the board in view; what is no longer asked for is given up. */
export function follow() {
  const shown = board();
  const { line } = state;
  pursue("line", line && shown.deal.whole ? `${keyOf(line, line.at)} ${shown.vulnerable}` : "", (signal) => askLine(shown, line, signal));
  pursue("tricks", `${shown.deal.pbn} ${shown.deal.pair ? shown.vulnerable : ""}`, (signal) => askTricks(shown, signal));
  pursue("calls", `${keyOfAuction(shown)} ${state.system}`, (signal) => askCalls(shown, signal));
}

/** Ask of one kind what is not asked already; other kinds go on beside it. */
async function pursue(kind, what, ask) {
  const about = `${what} ${Boolean(engine)}`;
  if (pursued[kind].about === about) return;
  pursued[kind].asked.abort();
  Object.assign(pursued[kind], { about, asked: new AbortController() });
  const { signal } = pursued[kind].asked;
  if (!engine) return;
  if (!what) return tell(kind, "", signal);
  try {
    await ask(signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof EngineError)) throw error;
    tell(kind, error.message, signal);
    if (!REFUSED.test(error.status)) setTimeout(again, AGAIN, kind, about);
  }
}

/** Say what is wrong with the questions of a kind, or nothing where they are answered. */
function tell(kind, fault, signal) {
  if (signal.aborted) return;
  pursued[kind].fault = fault;
  change({ status: Object.values(pursued).map((each) => each.fault).find(Boolean) ?? "" });
}

/** Ask again what could not be answered, if it is still asked. */
function again(kind, about) {
  if (pursued[kind].about !== about) return;
  pursued[kind].about = "";
  follow();
}

async function askTricks(shown, signal) {
  const { deal } = shown;
  const sides = deal.pair && ofSide(shown.vulnerable ?? "none", deal.pair);
  if (deal.pair && known.get(deal.pbn)?.sides !== sides) { // the best contracts are those at this vulnerability
    const pair = await engine.pair(deal, deal.pair, sides, signal);
    learn(deal, { pair, sides, estimate: pair, final: true });
  }
  if (!deal.whole) return tell("tricks", "", signal);
  const ask = async () => {
    if (known.get(deal.pbn)?.final) return;
    for (const [i, model] of engine.models.entries()) {
      const estimate = await engine.estimate(deal, model, signal);
      learn(deal, { estimate, final: i === engine.models.length - 1 });
    }
  };
  const solve = async () => {
    if (!engine.solves || answerOf(shown).exact) return;
    learn(deal, { exact: await engine.solve(deal, signal) });
  };
  if (engine.models.length > 1 && !known.get(deal.pbn)) {
    learn(deal, { estimate: await engine.estimate(deal, engine.models[0], signal), final: false });
  }
  await Promise.all([ask(), solve()]);
  tell("tricks", "", signal);
  await askOthers(signal);
}

async function askCalls(shown, signal) {
  if (!engine.simulates) return;
  await askOpenings(shown, signal);
  if (shown.auction?.length) await askAuction(shown, signal);
  tell("calls", "", signal);
}

/** What each known hand opens. */
async function askOpenings({ deal }, signal) {
  const seats = [0, 1, 2, 3].filter((seat) => deal.count(seat) === 13);
  const system = state.system ?? "polish-club";
  if (!seats.length || known.get(deal.pbn)?.openings?.system === system) return;
  const question = { hands: seats.map((seat) => deal.hand(seat)), nearest: 0, system };
  const results = await engine.ask("open", question, signal);
  learn(deal, { openings: { system, calls: results.map((result, i) => ({ seat: seats[i], ...result })) } });
}

/** What the calls show; a server that does not know the question is not asked again. */
async function askAuction(shown, signal) {
  const key = keyOfAuction(shown);
  if (state.unexplained || explained.has(key)) return;
  const question = { auction: shown.auction.map((call) => (call === "PASS" ? "P" : call)).join(" "), dealer: SEATS[dealerOf(shown)], vulnerable: shown.vulnerable ?? "none" };
  try {
    const [{ calls }] = await engine.ask("auction", shown.deal.whole ? { ...question, deal: shown.deal.pbn } : question, signal);
    explained.set(key, calls);
  } catch (error) {
    if (error.status !== 404 && error.status !== 405) throw error;
    state.unexplained = true;
  }
  change({});
}

/** What can be done on the table: results of its cards, then of those that come after each of them. */
async function askLine(shown, line, signal) {
  await askPosition(shown, line, line.at, signal);
  tell("line", "", signal);
  if (signal.aborted) return;
  await Promise.all([askAhead(shown, line, signal), engine.simulates && askPlayed(shown, line, signal)]);
  await askPlay(shown, line, signal);
}

async function askPosition(shown, line, at, signal) {
  const key = keyOf(line, at);
  if (positions.has(key)) return;
  const cards = line.cards.slice(0, at);
  if (!engine.solves || playState(shown.deal, line.contract, line.declarer, cards).played.length < cards.length) return;
  try {
    positions.set(key, await engine.position({ ...line, deal: shown.deal, cards }, signal));
  } catch (error) {
    if (error.status !== 404 && error.status !== 405) throw error;
    positions.set(key, new Map()); // a server that does not know the question
    change({ silent: true });
  }
  change({});
}

/** Results after each card that can be played, to be there when it is; without them they are asked for then. */
async function askAhead(shown, line, signal) {
  const cards = line.cards.slice(0, line.at);
  const here = keyOf(line, line.at);
  const { legal } = playState(shown.deal, line.contract, line.declarer, cards);
  if (!engine.solves || state.silent || legal.every((card) => positions.has(here + textOf(card)))) return;
  try {
    await engine.ahead({ ...line, deal: shown.deal, cards }, signal, (card, results) => positions.set(here + card, results));
  } catch (error) {
    if (!(error instanceof EngineError) && error.name !== "AbortError") throw error;
  }
  change({});
}

/** What players take in the contract at the table; a server that does not know it is not asked again. */
async function askPlayed(shown, line, signal) {
  const key = keyOfContract(shown, line);
  if (state.unplayed || tables.has(key)) return;
  const { contract, declarer } = line;
  try {
    tables.set(key, await engine.played({ deal: shown.deal, contract, declarer, vulnerable: shown.vulnerable ?? "none" }, signal));
  } catch (error) {
    if (error.status !== 404 && error.status !== 405) throw error;
    state.unplayed = true;
  }
  change({});
}

/** Results along the recorded play, from its end, where they come at once. */
async function askPlay(shown, line, signal) {
  for (let at = line.cards.length; at >= 0 && !state.silent && !signal.aborted; at -= 1) {
    await askPosition(shown, line, at, signal);
  }
}

/** The other boards of a file, one by one. */
async function askOthers(signal) {
  for (const other of state.boards) {
    if (!engine.solves || !other.deal.whole || answerOf(other).exact) continue;
    const exact = await engine.solve(other.deal, signal);
    learn(other.deal, { exact });
  }
}

/** The vulnerability as the pair's answer has it: its own side is NS there. */
function ofSide(vulnerable, [first]) {
  return first === 0 ? vulnerable : ({ ns: "ew", ew: "ns" }[vulnerable] ?? vulnerable);
}

/** Estimate, and solve where that can be done, what has no answer yet: to be saved or printed. */
export async function answerAll(tell) {
  if (!engine) throw new EngineError(say("still loading"));
  const whole = state.boards.filter(({ deal }) => deal.whole);
  for (const [i, each] of whole.entries()) {
    tell(say("board of", { number: i + 1, total: whole.length }));
    if (engine.solves && !answerOf(each).exact) learn(each.deal, { exact: await engine.solve(each.deal) });
    if (!known.get(each.deal.pbn)?.final) {
      learn(each.deal, { estimate: await engine.estimate(each.deal, engine.models.at(-1)), final: true });
    }
  }
  tell(say(engine.solves ? "all solved" : "all estimated", { n: whole.length }));
  return state.boards.map((each) => {
    const { estimate, exact } = answerOf(each);
    return { ...each, exact, estimate, answer: { estimate, exact, seats: [...SEATS.keys()] } };
  });
}
