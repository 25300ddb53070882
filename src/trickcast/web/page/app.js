// The page: one board in view, its answers as they come, the boards of a file beside it.

import { Deal, DealError, SEATS } from "./cards.js";
import { EngineError, openEngine } from "./engine.js";
import { readText, readZrd, toCsv, toJson, toLin, toPbn } from "./formats.js";
import "./diagram.js";
import "./facts.js";
import "./grid.js";
import "./whatif.js";
import { printable } from "./boards.js";

const $ = (id) => document.getElementById(id);
const blank = () => ({ deal: new Deal(), number: null, dealer: null, vulnerable: null, exact: null });

let engine = null;
let boards = [blank()];
let skipped = [];
let chosen = 0;
let asked = new AbortController(); // of the questions about the board in view

const current = () => boards[chosen];

function tell(text) {
  $("status").textContent = text;
}

function complain(text) {
  $("problem").textContent = text;
}

/** Show the board in view; ask for what is not known yet. */
function show() {
  const board = current();
  $("diagram").show(board);
  $("picker").show(board.deal);
  $("grid").show(board.answer ?? null);
  $("facts").show(board.facts);
  $("whatif").show(board);
  document.querySelector(".boards").hidden = boards.length < 2 && !skipped.length;
  $("boards").show(boards, chosen, skipped);
  if (board.answer?.final && (!engine?.solves || (board.facts?.par && board.facts.openings))) {
    asked.abort();
    tell(spoken(board.answer));
  } else ask(board);
}

function spoken({ estimate, seats, exact }) {
  const best = seats.map((seat, place) => `${SEATS[seat]} ${estimate.tricks[4][place]}`).join(", ");
  const text = `Estimated by ${estimate.model}. Likeliest tricks in notrump: ${best}.`;
  if (!exact) return text;
  const wrong = exact.flat().filter((tricks, cell) => tricks !== estimate.tricks.flat()[cell]).length;
  return `${text} Solved: ${wrong ? `${wrong} of 20 counts are` : "no count is"} other than estimated.`;
}

/** Ask the engine about a board: a quick estimate first, the best one, then exact tricks. */
async function ask(board) {
  asked.abort();
  asked = new AbortController();
  const { signal } = asked;
  if (!engine || board.deal.empty) {
    tell(board.deal.empty ? "Put in a deal: paste it, open a file, or choose cards." : "Loading…");
    return;
  }
  const below = engine.solves ? " Chances over unknown hands are below." : "";
  tell(board.deal.whole || board.deal.pair ? "Estimating…" : `Give all four hands, or two of a side, to see tricks.${below}`);
  const questions = [askTricks(board, signal)];
  if (engine.solves) questions.push(askOpenings(board, signal));
  await answered(questions, signal);
}

/** Wait for answers; what goes wrong is told. */
async function answered(questions, signal) {
  try {
    await Promise.all(questions);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof EngineError)) throw error;
    if (!signal.aborted) tell(error.message);
  }
}

async function askTricks(board, signal) {
  const { deal } = board;
  const answer = (estimate, seats, final) => {
    board.answer = { estimate, seats, exact: board.exact, final };
    if (final) board.estimate = estimate;
    if (signal.aborted) return;
    $("grid").show(board.answer);
    tell(final ? spoken(board.answer) : `Estimated by ${estimate.model}; a better estimate is coming.`);
  };
  if (deal.pair) {
    const seats = deal.pair;
    const pair = await engine.pair(deal, seats, ofSide(board.vulnerable ?? "none", seats), signal);
    answer(pair, seats, true);
    learn(board, { pair, seats }, signal);
  }
  if (!deal.whole) return;
  for (const [i, model] of engine.models.entries()) {
    answer(await engine.estimate(deal, model, signal), [0, 1, 2, 3], i === engine.models.length - 1);
    if (signal.aborted) return;
  }
  if (!engine.solves) return;
  if (!board.exact) {
    board.exact = await engine.solve(deal, signal);
    answer(board.estimate, [0, 1, 2, 3], true);
  }
  const question = { deals: [deal.pbn], vulnerable: board.vulnerable ?? "none", dealer: SEATS[board.dealer ?? 0] };
  learn(board, { par: (await engine.ask("par", question, signal))[0] }, signal);
}

/** What each known hand opens. */
async function askOpenings(board, signal) {
  const { deal } = board;
  const seats = [0, 1, 2, 3].filter((seat) => deal.count(seat) === 13);
  if (!seats.length) return;
  const { system } = $("facts");
  const question = { hands: seats.map((seat) => deal.hand(seat)), nearest: 0, system };
  const results = await engine.ask("open", question, signal);
  if (system !== $("facts").system) return; // another was chosen meanwhile
  const openings = results.map((result, i) => ({ seat: seats[i], ...result }));
  learn(board, { openings }, signal);
}

/** Ask again what each hand opens, of the other boards when they are shown. */
function changeSystem() {
  for (const { facts } of boards) if (facts) delete facts.openings;
  answered([askOpenings(current(), asked.signal)], asked.signal);
}

function learn(board, facts, signal) {
  board.facts = { ...board.facts, ...facts };
  if (!signal.aborted) $("facts").show(board.facts);
}

/** The vulnerability as the pair's answer has it: its own side is NS there. */
function ofSide(vulnerable, [first]) {
  return first === 0 ? vulnerable : ({ ns: "ew", ew: "ns" }[vulnerable] ?? vulnerable);
}

function open({ boards: read, skipped: told }) {
  boards = read;
  skipped = told;
  chosen = 0;
  complain("");
  remember();
  show();
}

/** Keep the deal in the address, after the #, where no server sees it. */
function remember() {
  const { deal } = current();
  const hash = deal.whole || deal.pair ? `#deal=${deal.pbn.replaceAll(" ", "+")}` : "";
  history.replaceState(null, "", `${location.pathname}${location.search}${hash}`);
}

/** Run what a person asked for; what cannot be read is told beside the input. */
function attempt(action) {
  try {
    action();
  } catch (error) {
    if (!(error instanceof DealError)) throw error;
    complain(`${error.message[0].toUpperCase()}${error.message.slice(1)}.`);
  }
}

function readBox() {
  attempt(() => open(readText($("text").value)));
}

async function openFile(file) {
  if (file.size > 20_000_000) {
    complain(`${file.name} has ${Math.round(file.size / 1e6)} MB (expected at most 20).`);
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const binary = /\.zrd$/i.test(file.name);
  attempt(() => open(binary ? readZrd(bytes) : readText(new TextDecoder().decode(bytes))));
}

function dealAtRandom() {
  const cards = Array.from({ length: 52 }, (_, card) => card);
  for (let last = 51; last > 0; last -= 1) {
    const [word] = crypto.getRandomValues(new Uint32Array(1));
    const other = word % (last + 1); // 2³² is so much larger that the remainder's bias is nothing
    [cards[last], cards[other]] = [cards[other], cards[last]];
  }
  const owners = new Uint8Array(52);
  cards.forEach((card, place) => (owners[card] = place % 4));
  open({ boards: [{ ...blank(), deal: new Deal(owners) }], skipped: [] });
}

async function copyLink() {
  remember();
  if (!location.hash) {
    complain("There is no whole deal to share yet.");
    return;
  }
  try {
    await navigator.clipboard.writeText(location.href);
    tell("The link is copied; it holds the whole deal, and nothing was sent anywhere.");
  } catch {
    $("text").value = location.href;
    tell("The link stands in the box above.");
  }
}

function save(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Estimate, and solve where that can be done, what has no answer yet, to be saved or printed. */
async function answerAll() {
  if (!engine) throw new EngineError("Still loading: try again in a moment.");
  const unsolved = boards.filter((board) => engine.solves && !board.exact && board.deal.whole);
  for (const [i, board] of unsolved.entries()) {
    tell(`Solving board ${i + 1} of ${unsolved.length}…`);
    board.exact = await engine.solve(board.deal);
    if (board.answer) board.answer.exact = board.exact;
  }
  const model = engine.models.at(-1);
  for (const [i, board] of boards.entries()) {
    if (board.estimate || !board.deal.whole) continue;
    tell(`Estimating board ${i + 1} of ${boards.length}…`);
    board.estimate = await engine.estimate(board.deal, model);
    board.answer = { estimate: board.estimate, seats: [0, 1, 2, 3], exact: board.exact, final: true };
  }
  tell(`${boards.length} boards are estimated${engine.solves ? " and solved" : ""}.`);
}

async function withAll(use) {
  try {
    await answerAll();
    use();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    tell(error.message);
  }
}

function fromAddress() {
  const text = new URLSearchParams(location.hash.slice(1)).get("deal");
  if (!text) return false;
  attempt(() => open({ boards: [{ ...blank(), deal: Deal.parse(text) }], skipped: [] }));
  return true;
}

function listen() {
  $("read").addEventListener("click", readBox);
  $("text").addEventListener("paste", () => setTimeout(readBox));
  $("text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      readBox();
    }
  });
  $("file").addEventListener("change", ({ target }) => target.files[0] && openFile(target.files[0]));
  $("deal").addEventListener("click", dealAtRandom);
  $("clear").addEventListener("click", () => {
    $("text").value = "";
    open({ boards: [blank()], skipped: [] });
  });
  $("share").addEventListener("click", copyLink);
  $("picker").addEventListener("pick", ({ detail }) => {
    boards[chosen] = { ...current(), deal: detail, exact: null, estimate: null, answer: null, facts: undefined };
    remember();
    show();
  });
  $("facts").addEventListener("system", changeSystem);
  $("boards").addEventListener("choose", ({ detail }) => {
    chosen = detail;
    remember();
    show();
  });
  $("save-pbn").addEventListener("click", () => withAll(() => save("boards.pbn", toPbn(boards))));
  $("save-lin").addEventListener("click", () => save("boards.lin", toLin(boards)));
  $("save-csv").addEventListener("click", () => withAll(() => save("boards.csv", toCsv(boards))));
  $("save-json").addEventListener("click", () => withAll(() => save("boards.json", toJson(boards))));
  $("print").addEventListener("click", () => withAll(() => window.print()));
  window.addEventListener("beforeprint", () => printable($("paper"), boards));
  window.addEventListener("hashchange", fromAddress);
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const { files } = event.dataTransfer;
    if (files.length) openFile(files[0]);
    else attempt(() => open(readText(event.dataTransfer.getData("text"))));
  });
  const colours = $("four-colours");
  colours.checked = localStorage.getItem("four-colours") === "yes";
  const paint = () => document.documentElement.classList.toggle("four-colours", colours.checked);
  colours.addEventListener("change", () => {
    localStorage.setItem("four-colours", colours.checked ? "yes" : "no");
    paint();
  });
  paint();
}

async function start() {
  listen();
  if (!fromAddress()) show();
  try {
    engine = await openEngine();
  } catch {
    tell("The page is not whole: engine.json cannot be read.");
    return;
  }
  $("about").textContent =
    engine.name === "browser"
      ? "All is computed in this browser; cards are sent nowhere. Nothing is exact here: that takes a trickcast server."
      : "Answers come from the trickcast server of this page.";
  $("whatif").use(engine);
  if (engine.name === "browser") navigator.serviceWorker?.register("./sw.js").catch(() => {});
  show();
}

start();
