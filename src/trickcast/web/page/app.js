// The page: a box that reads what is pasted, the boards of a file, the table, and three tabs of answers.

import { DealError } from "./cards.js";
import { html, nothing, percent, render } from "./dom.js";
import { EngineError } from "./engine.js";
import { EXAMPLE, readText, readZrd, textOf } from "./read.js";
import { answerAll, answerOf, follow, playedOf, start, theEngine } from "./answers.js";
import "./diagram.js";
import { makesView, wordsOf } from "./makes.js";
import { printable, railView } from "./rail.js";
import { LANGUAGES, paint, say, set, setting } from "./settings.js";
import { stepBy, tableView } from "./table.js";
import { addressOf, blank, board, boardOf, canUndo, change, choose, editBoard, isOwn, listen, open, remember, restore, state, undo } from "./store.js";

const $ = (id) => document.getElementById(id);
const TABS = ["makes", "chances", "bidding"];
const views = {}; // of the tabs that are loaded when they are first shown

let drawing = false;

function draw() {
  drawing = false;
  const shown = board();
  const file = state.boards.length > 1 || state.skipped.length > 0;
  document.body.classList.toggle("with-rail", file);
  document.body.classList.toggle("empty", shown.deal.empty);
  render(railView(), $("rail"));
  render(tableView({ read, enter }), $("table"));
  render(tabView(), $("tab"));
  for (const tab of TABS) {
    $(`tab-${tab}`).setAttribute("aria-selected", String(tab === state.tab));
    $(`tab-${tab}`).tabIndex = tab === state.tab ? 0 : -1;
  }
  $("tab").setAttribute("aria-labelledby", `tab-${state.tab}`);
  $("whatif").hidden = state.tab !== "chances" || shown.deal.empty;
  if (!$("whatif").hidden && views.grid) $("whatif").show(theEngine(), shown);
  if ($("picking").open) $("picker").show(shown.deal);
  $("status").textContent = state.status || wordsOf(shown, answerOf(shown));
  render(problemView(), $("problem"));
  $("undo").disabled = !canUndo();
  const { notice, progress } = state;
  render(notice ? html`<p>${notice.text}${notice.undo ? html` <button type="button" class="quiet" @click=${undo}>${say("undo")}</button>` : nothing}
    <button type="button" class="quiet" aria-label=${say("close")} @click=${() => change({ notice: null })}>×</button></p>`
    : progress && state.tab !== "makes" ? html`<p>${say("loading", { what: progress.what, share: progress.share ? percent(progress.share) : "" })}</p>` : nothing, $("notice"));
}

function tabView() {
  const shown = board();
  if (state.tab === "makes") return makesView(() => showTab("chances"));
  if (!views.grid) return html`<p class="hint">${say("loading tab")}</p>`;
  if (state.tab === "bidding") return views.bidding();
  const { pair, estimate, exact } = answerOf(shown);
  if (pair) return views.grid({ estimate: pair, seats: shown.deal.pair, exact: null });
  const played = playedOf(shown, state.line);
  return estimate ? html`${played ? views.played(played) : nothing}${views.grid({ estimate, exact, seats: [0, 1, 2, 3] })}`
    : html`<p class="hint">${say(shown.deal.empty ? "put in" : shown.deal.whole ? "estimating" : "once known")}</p>`;
}

async function showTab(tab) {
  change({ tab });
  await loadTabs();
  draw();
}

/** The tabs that the first answer does not need. */
async function loadTabs() {
  if (views.grid) return;
  const [{ gridView }, { biddingView }, { playedView }] = await Promise.all([import("./grid.js"), import("./bidding.js"), import("./chances.js"), import("./whatif.js")]);
  Object.assign(views, { grid: gridView, bidding: biddingView, played: playedView });
}

/** Run what a person asked for; what cannot be read is told beside the input, with what can be. */
function attempt(action) {
  try {
    action();
    change({ problem: "" });
    return true;
  } catch (error) {
    if (!(error instanceof DealError)) throw error;
    const text = `${error.message[0].toUpperCase()}${error.message.slice(1)}`.replace(/\.$/, "");
    change({ problem: `${text}.` });
    return false;
  }
}

function take(found) {
  const before = state.boards.length;
  const count = found.boards.length;
  open(found, before > 1 ? say("replaced", { n: before }) : count > 1 ? say(found.skipped.length ? "read some" : "read all", { n: count, skipped: found.skipped.length }) : null);
  $("text").value = ""; // what was read is on the table
  $("text").blur();
}

const read = (text) => attempt(() => take(readText(text)));

async function openFile(file) {
  if (file.size > 20_000_000) {
    change({ notice: { text: say("too large", { name: file.name, size: Math.round(file.size / 1e6) }) } });
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  attempt(() => take(/\.zrd$/i.test(file.name) ? readZrd(bytes) : readText(textOf(bytes))));
}

/** Ways to deal at random; the module that deals comes when they are first shown. */
async function showRandom() {
  if (!$("random").open) return;
  const { drawRandom } = await import("./random.js");
  drawRandom($("random").querySelector(".sheet"), theEngine(), (deal) => {
    $("random").open = false;
    take({ boards: [{ ...blank(), deal }], skipped: [] });
  });
}

/** What is wrong with what was put in, and what works. */
function problemView() {
  return state.problem ? html`<p>${state.problem}</p><small>${say("this works")} <code>${EXAMPLE}</code></small>` : nothing;
}

/** Open the cards, to be chosen one by one. */
function enter() {
  $("picking").open = true;
  $("picking").scrollIntoView({ block: "nearest" });
  $("picker").querySelector("button")?.focus();
}

/** Ways to share, save and print what is in view, or all boards. */
function shareView() {
  const done = (use) => () => {
    $("share").open = false;
    use();
  };
  const button = (key, use) => html`<button type="button" class="quiet" @click=${done(use)}>${say(key)}</button>`;
  return html`${button("copy link", share)}
    <h3>${say("picture")}</h3><p class="buttons">${["png", "svg"].map((kind) => html`<button type="button" class="quiet" @click=${done(() => picture(kind))}>${kind.toUpperCase()}</button>`)}</p>
    <h3>${say(state.boards.length > 1 ? "all boards" : "the board")}</h3><p class="buttons">${["pbn", "lin", "csv", "json"].map((kind) => html`<button type="button" class="quiet" aria-label=${say("save as", { kind: kind.toUpperCase() })} @click=${done(() => save(kind))}>${kind.toUpperCase()}</button>`)}
      ${button("print", () => withAll(() => window.print()))}</p>`;
}

async function share() {
  remember();
  if (!addressOf(board())) return change({ notice: { text: say("nothing to share") } });
  try {
    await navigator.clipboard.writeText(location.href);
    change({ notice: { text: say("copied") } });
  } catch {
    $("text").value = location.href;
    change({ notice: { text: say("in the box") } });
  }
}

/** Let the browser store something as a file. */
function store(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function save(kind) {
  const { toCsv, toJson, toLin, toPbn } = await import("./write.js");
  const write = { pbn: toPbn, lin: toLin, csv: toCsv, json: toJson }[kind];
  const whole = (boards) => store(write(boards), `boards.${kind}`);
  if (kind === "lin") whole(state.boards);
  else await withAll(whole);
}

/** Save the board in view as a picture: SVG or PNG. */
async function picture(kind) {
  const { pngOf, shapesOf, svgOf } = await import("./picture.js");
  const shown = board();
  const shapes = shapesOf(shown, answerOf(shown), state.cell);
  store(kind === "svg" ? svgOf(shapes) : await pngOf(shapes), `board${shown.number ? `-${shown.number}` : ""}.${kind}`);
}

async function withAll(use) {
  try {
    use(await answerAll((status) => change({ status })));
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    change({ status: error.message });
  }
}

/** Open the board of the address; false where it has none. */
function fromAddress(first = false) {
  let found = null;
  attempt(() => {
    found = boardOf(location.hash);
    if (found) open({ boards: [found], skipped: [] }, null, first);
  });
  return Boolean(found);
}

function settingsView() {
  const choice = (name, label, options) => html`<label class="field">${label} <select @change=${({ target }) => {
    set(name, target.value);
    change({});
  }}>${options.map(([value, text]) => html`<option value=${value} ?selected=${setting(name) === value}>${text}</option>`)}</select></label>`;
  return html`${choice("theme", say("theme"), [["", say("as the device")], ["light", say("light")], ["dark", say("dark")]])}
    ${choice("colours", say("suits in"), [["four", say("four colours")], ["two", say("two colours")]])}
    ${choice("ten", say("the ten"), [["T", "T"], ["10", "10"]])}
    ${choice("language", say("cards in"), LANGUAGES.map(([code, name, ranks]) => [code, `${name} (${ranks})`]))}`;
}

const SHOWN = 8000; // milliseconds of a notice; what it undoes can be undone after it too
let noticed = null;

/** Let a notice go after some seconds. */
function passNotice() {
  if (state.notice === noticed) return;
  noticed = state.notice;
  if (noticed) setTimeout((old) => state.notice === old && change({ notice: null }), SHOWN, noticed);
}

const typing = ({ target }) => /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

function onKey(event) {
  if (event.key === "Escape") {
    for (const menu of document.querySelectorAll(".menu")) menu.open = false;
    return change({ problem: "", picked: null });
  }
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !typing(event)) {
    event.preventDefault();
    return undo();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event) || event.target.closest?.("[role=tablist]")) return;
  const step = { ArrowRight: 1, ArrowDown: 1, j: 1, ArrowLeft: -1, ArrowUp: -1, k: -1 }[event.key];
  if (step && state.boards.length > 1) {
    event.preventDefault();
    choose(state.chosen + step);
  } else if (event.key === ".") stepBy(1);
  else if (event.key === ",") stepBy(-1);
}

function swipes(target) {
  let from = null;
  target.addEventListener("touchstart", ({ touches: [touch] }) => (from = [touch.clientX, touch.clientY]), { passive: true });
  target.addEventListener("touchend", ({ changedTouches: [touch], target: on }) => {
    const [across, down] = [touch.clientX - from[0], touch.clientY - from[1]];
    if (Math.abs(across) > 60 && Math.abs(across) > 2 * Math.abs(down) && !on.closest(".scrub")) choose(state.chosen + (across < 0 ? 1 : -1));
  }, { passive: true });
}

function connect() {
  listen(() => {
    if (!drawing) requestAnimationFrame(draw);
    drawing = true;
    passNotice();
    follow();
  });
  $("read").addEventListener("click", () => read($("text").value));
  $("text").addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text");
    if (!text.trim()) return;
    event.preventDefault();
    $("text").value = text.trim();
    read(text);
  });
  $("text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      read($("text").value);
    }
  });
  document.addEventListener("paste", (event) => {
    if (!typing(event)) read(event.clipboardData.getData("text"));
  });
  $("file").addEventListener("change", ({ target }) => {
    if (target.files[0]) openFile(target.files[0]);
    target.value = "";
  });
  $("random").addEventListener("toggle", showRandom);
  $("share").addEventListener("toggle", () => render(shareView(), $("share").querySelector(".sheet")));
  $("undo").addEventListener("click", undo);
  $("looks").addEventListener("toggle", () => render(settingsView(), $("looks").querySelector(".sheet")));
  document.addEventListener("pointerdown", ({ target }) => {
    for (const menu of document.querySelectorAll(".menu")) if (!menu.contains(target)) menu.open = false;
  });
  $("picking").addEventListener("toggle", () => change({}));
  $("picker").addEventListener("pick", ({ detail }) => {
    editBoard({ deal: detail, exact: null, play: [], result: null, source: null, notes: [] });
    change({ line: null });
  });
  for (const tab of TABS) $(`tab-${tab}`).addEventListener("click", () => showTab(tab));
  document.querySelector(".tabs").addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!step) return;
    const next = TABS[(TABS.indexOf(state.tab) + step + TABS.length) % TABS.length];
    showTab(next);
    $(`tab-${next}`).focus();
  });
  document.addEventListener("keydown", onKey);
  swipes($("table"));
  window.addEventListener("beforeprint", () => printable($("paper"), state.boards));
  window.addEventListener("hashchange", () => isOwn(location.hash) || fromAddress());
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const { files, types } = event.dataTransfer;
    if (files.length) openFile(files[0]);
    else if (!types.includes("text/card")) read(event.dataTransfer.getData("text"));
  });
}

async function begin() {
  paint();
  connect();
  const { hash } = location;
  if (!fromAddress(true)) change({});
  restore(hash).catch(() => {});
  try {
    await start();
  } catch {
    change({ status: say("not whole") });
    return;
  }
  const engine = theEngine();
  $("about").textContent = engine.name === "browser"
    ? say(engine.solves ? "all here exactly" : "all here")
    : say("by server");
  change({});
  loadTabs();
  if (engine.name === "browser") navigator.serviceWorker?.register("./sw.js").catch(() => {});
}

begin();
