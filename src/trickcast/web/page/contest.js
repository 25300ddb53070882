// Beat the net: the deal of the day, rounds of five, and the test of 2009: a chunk of deals, so many
// seconds each, against the networks and the printed rows.

import { Deal, SEATS } from "./cards.js";
import { element } from "./dom.js";
import { paint, say, seatName, strainSign } from "./settings.js";
import "./diagram.js";
import { dateOf, dayNumber, forgetKept, keep, kept, ofDay, right, shareLine, streak } from "./marks.js";
import { ContestError, PracticeRounds, ServerRounds } from "./rounds.js";

const STRAINS = ["N", "S", "named"];
const OF_2009 = "(52x4)-(26x4)-26-13-1";
const TICK = 200; // milliseconds
const SECOND_DIGIT = 800; // milliseconds in which a 1 may become 10 to 13
const kindName = ({ hands, strain }) => `${say(`asked ${strain}`)}, ${say(`${hands} hands`)}`;
const netName = (name) => (name === OF_2009 ? say("net of 2009") : name);

/** A button; a press while it is still busy with the one before is none. */
function button(text, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, text);
  let busy = false;
  made.addEventListener("click", async () => {
    if (busy) return;
    busy = true;
    try {
      await act();
    } finally {
      busy = false;
    }
  });
  return made;
}

const went = (tricks) => (tricks === null ? say("none") : String(tricks));

/** <beat-the-net>: plays round after round. */
export class BeatTheNet extends HTMLElement {
  #quick = new PracticeRounds(); // the deal of the day, and rounds of five
  #chunks = null; // the test of 2009: the server's, or practice
  #rounds = null; // what is played now
  #rules = null;
  #timer = 0;
  #mode = "chunk";
  #said = []; // the answers of this round that count
  #typed = "";
  #typing = 0;
  #give = null; // answers the deal in view

  async connectedCallback() {
    await this.#attempt(async () => {
      const answer = await fetch(new URL("./engine.json", import.meta.url)).catch(() => null);
      if (!answer?.ok) throw new ContestError(say("not whole"));
      const { contest } = await answer.json();
      this.#chunks = contest ? new ServerRounds() : this.#quick;
      document.addEventListener("keydown", this.#onKey);
      const { result } = history.state ?? {};
      if (result) this.#score(result);
      else await this.#start();
    });
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
    document.removeEventListener("keydown", this.#onKey);
  }

  /** Digits answer: 0 and 2 to 9 at once, 1 when no second digit follows. */
  #onKey = (event) => {
    if (!this.#give || event.ctrlKey || event.metaKey || event.altKey || !/^\d$/.test(event.key)) return;
    clearTimeout(this.#typing);
    const typed = this.#typed + event.key;
    const answer = (tricks) => {
      this.#typed = "";
      this.#give?.(tricks);
    };
    if (typed === "1") {
      this.#typed = typed;
      this.#typing = setTimeout(() => answer(1), SECOND_DIGIT);
    } else answer(Number(typed) > 13 ? Number(event.key) : Number(typed));
  };

  /** Do what is asked for; what goes wrong is told, with a way on. */
  async #attempt(action) {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof ContestError)) throw error;
      clearInterval(this.#timer);
      if (error.status === 403) this.#rounds.strange();
      const retry = error.status === 503 ? action : () => this.#start();
      this.#show(
        element("p", { role: "alert", class: "alarm" }, error.message),
        element("p", { class: "buttons" }, button(say("try again"), () => this.#attempt(retry), { class: "go" })),
      );
    }
  }

  /** Show parts; focus goes to what a person does next. */
  #show(...parts) {
    this.#give = null;
    this.replaceChildren(...parts);
    this.querySelector("[data-first]")?.focus({ preventScroll: true });
  }

  async #start() {
    history.replaceState(null, "");
    this.#rounds = this.#chunks;
    this.#rules = await this.#chunks.overview();
    const { length, seconds, best } = this.#rules;
    const choice = (name, label, options) =>
      element(
        "fieldset",
        {},
        element("legend", {}, label),
        ...options.map(([value, text], i) =>
          element("label", {}, element("input", { type: "radio", name, value, checked: i === 0 }), text),
        ),
      );
    const name = element("input", { type: "text", id: "name", maxlength: 40, autocomplete: "nickname" });
    const asked = (key) => this.querySelector(`input[name="${key}"]:checked`).value;
    const begin = () =>
      this.#attempt(async () => {
        await this.#chunks.begin({ hands: Number(asked("hands")), strain: asked("strain"), name: name.value.trim() });
        [this.#mode, this.#said] = ["chunk", []];
        await this.#next();
      });
    const named = this.#rounds.practice
      ? [element("p", { class: "note" }, say("practice"))]
      : [element("p", {}, element("label", { for: "name" }, say("your name")), name)];
    this.#show(
      ...this.#quickly(seconds),
      element("h2", {}, say("test of 2009")),
      element(
        "p",
        {},
        say("about the test", { length, seconds }),
      ),
      choice("strain", say("a strain"), STRAINS.map((strain) => [strain, say(`choose ${strain}`)])),
      choice("hands", say("known hands"), [["4", say("all four")], ["2", say("two alone")]]),
      ...named,
      element(
        "p",
        { class: "buttons" },
        button(say("begin"), begin, { class: "go" }),
        ...(this.#rounds.begun ? [button(say("go on"), () => this.#attempt(() => this.#next()))] : []),
        ...(this.#rounds.known ? [button(say("delete me"), () => this.#attempt(() => this.#forget()))] : []),
      ),
      ...best.filter(({ players }) => players.length).map(bestTable),
    );
  }

  /** The deal of the day and rounds of five, with what came of them so far. */
  #quickly(seconds) {
    const day = dayNumber();
    const today = ofDay(day);
    const begin = (mode) => () =>
      this.#attempt(async () => {
        this.#rounds = this.#quick;
        [this.#mode, this.#said] = [mode, []];
        await this.#quick.begin({ hands: 4, strain: "named", mode, day });
        await this.#next();
      });
    const results = kept();
    const all = results.flatMap(({ deals }) => deals);
    const days = streak(day);
    const forget = () => {
      forgetKept();
      this.#attempt(() => this.#start());
    };
    return [
      element("h2", {}, say("day or five")),
      element("p", {}, say("about the day", { seconds })),
      element(
        "p",
        { class: "buttons" },
        today ? element("span", { class: "so-far" }, `${say("today")} `, squares(today.deals)) : button(say("day"), begin("day"), { class: "go", "data-first": true }),
        button(say("five"), begin("five"), today ? { class: "go", "data-first": true } : {}),
      ),
      ...(all.length
        ? [
            element("p", { class: "note" }, `${say(days > 1 ? "kept with days" : "kept", { right: right(all), all: all.length, days })} `,
              button(say("delete here"), forget)),
          ]
        : []),
    ];
  }

  async #forget() {
    await this.#rounds.forget();
    await this.#start();
  }

  /** Show the next deal, and run its clock: the server's, as far as this page can know it. */
  async #next() {
    let question;
    try {
      question = await this.#rounds.deal();
    } catch (error) {
      if (error.status !== 409) throw error;
      await this.#result(); // the last deal's time ran out while nobody looked
      return;
    }
    const { number, length, deal, strain, leader, seconds } = question;
    const end = performance.now() + 1000 * seconds;
    const left = element("span", { role: "timer" });
    const bar = element("progress", { max: this.#rules.seconds, "aria-hidden": "true" });
    let answered = false;
    const answer = (tricks) => {
      if (answered) return;
      answered = true;
      clearInterval(this.#timer);
      this.#attempt(async () => this.#told(strain, await this.#rounds.answer(number, tricks)));
    };
    const tick = () => {
      const rest = Math.max(0, (end - performance.now()) / 1000);
      left.textContent = say("seconds", { n: Math.ceil(rest) });
      bar.value = rest;
      if (rest === 0) answer(null);
    };
    this.#typed = "";
    const counts = Array.from({ length: 14 }, (_, tricks) =>
      button(String(tricks), () => answer(tricks), { "aria-label": say("some tricks", { n: tricks }) }),
    );
    const diagram = document.createElement("hand-diagram");
    diagram.show({ deal: Deal.parse(deal), number: null, dealer: null, vulnerable: null });
    this.#show(
      element("h2", { tabindex: -1, "data-first": true }, this.#heading(number, length)),
      element("p", { class: "task" }, task(strain, leader)),
      element("p", { class: "clock" }, left, bar),
      diagram,
      element("p", { id: "question" }, say("tricks of both")),
      element("div", { class: "counts", role: "group", "aria-labelledby": "question" }, ...counts),
      ...this.#soFar(),
    );
    this.#give = answer;
    clearInterval(this.#timer);
    this.#timer = setInterval(tick, TICK);
    tick();
  }

  #heading(number, length) {
    if (!number) return say("for training");
    return this.#mode === "day" ? say("deal of day", { date: dateOf(dayNumber()) }) : say("deal of", { number, length });
  }

  /** The score of the round as it stands. */
  #soFar() {
    if (!this.#said.length || this.#mode === "day") return [];
    const text = say("so far", { right: right(this.#said), all: this.#said.length });
    return [element("p", { class: "so-far" }, `${text} `, squares(this.#said))];
  }

  /** Show what was right, why, and what the networks said. */
  #told(strain, solution) {
    const { number, deal, leader, tricks, exact, networks, late, finished } = solution;
    if (number) this.#said.push({ tricks, exact });
    const verdict = late ? say("late") : tricks === null ? say("none given") : tricks === exact ? say("right") : say("you said", { n: tricks });
    const diagram = document.createElement("hand-diagram");
    diagram.show({ deal: Deal.parse(deal), number: null, dealer: null, vulnerable: null });
    const on = finished ? () => this.#result() : () => this.#next();
    const said = Object.entries(networks).map(([name, count]) =>
      element("li", {}, `${netName(name)}: ${count}, ${offBy(count - exact)}`));
    const declarer = (SEATS.indexOf(leader) + 3) % 4;
    const side = declarer % 2 ? 13 - exact : exact;
    const address = `./#deal=${deal.replaceAll(" ", "+")}&contract=${Math.max(1, side - 6)}${strain}&by=${SEATS[declarer]}`;
    this.#show(
      element("h2", {}, number ? say("deal", { number }) : say("for training")),
      element("p", { class: "task", role: "status" }, `${verdict} ${say("they take", { n: exact })}`),
      element("p", { class: "reason" }, reason(Deal.parse(deal), strain, exact)),
      element("p", { class: "buttons" }, button(say(finished ? "see score" : "next deal"), () => this.#attempt(on), { class: "go", "data-first": true }),
        element("a", { href: address, target: "_blank", class: "quiet button" }, say("every card"))),
      ...this.#soFar(),
      element("p", {}, say("networks said")),
      element("ul", { class: "said" }, ...said),
      element("p", { class: "note" }, task(strain, leader)),
      diagram,
    );
  }

  /** Show the score, and keep it for who goes to a deal and comes back. */
  async #result() {
    const result = await this.#rounds.result();
    history.replaceState({ result }, "");
    const deals = result.deals.filter(({ number }) => number).map(({ tricks, exact }) => ({ tricks, exact }));
    const { mode = "chunk", day = dayNumber() } = result;
    if (this.#rounds.practice) keep({ mode, day: mode === "day" ? day : dayNumber(), deals });
    this.#score(result);
  }

  #score(result) {
    const { player, networks, printed, deals, mode = "chunk", day } = result;
    const counted = deals.filter(({ number }) => number);
    const row = (who, { within_2, within_1, exact }, attributes = {}) =>
      element(
        "tr",
        attributes,
        element("th", { scope: "row" }, who, bars([within_2, within_1, exact].map((percent) => Number(percent?.[0] ?? percent)))),
        ...[within_2, within_1, exact].map((percent) => element("td", {}, Number(percent?.[0] ?? percent).toFixed(2))),
      );
    const interval = player.exact?.length === 3 ? ` ${say("interval", { from: player.exact[1], to: player.exact[2] })}` : "";
    const rows = [
      row(say("you"), player, { class: "you" }),
      ...Object.entries(networks).map(([name, scored]) => row(netName(name), scored)),
      ...printed.map((line) => row(`${say("printed", { who: line.who })}${line.note ? " *" : ""}`, line)),
    ];
    const line = shareLine({ mode, day, deals: counted }, location.href.replace(/[?#].*/, ""));
    const again = button(say(mode === "chunk" ? "another chunk" : "another round"), () => this.#attempt(() => this.#start()), { class: "go", "data-first": true });
    this.#show(
      element("h2", {}, mode === "day" ? say("deal of day", { date: dateOf(day) }) : mode === "five" ? say("your five") : say("your chunk", { kind: kindName(result) })),
      element("p", { class: "so-far" }, squares(counted)),
      table(say(printed.length ? "percent beside printed" : "percent", { n: player.deals }), ["", say("within two"), say("within one"), say("right count")], rows),
      element("p", { role: "status" }, `${say("deals count", { n: player.deals })}${interval}`),
      ...printed.filter(({ note }) => note).map(({ note }) => element("p", { class: "note" }, `* ${note}`)),
      element("p", { class: "buttons" }, again, sharing(line)),
      table(
        say("deal by deal"),
        ["", say("you"), say("right count"), ...Object.keys(networks).map((name) => (name === OF_2009 ? "2009" : name))],
        deals.map((deal) =>
          element(
            "tr",
            {},
            element(
              "th",
              { scope: "row" },
              element("a", { href: `./#deal=${deal.deal.replaceAll(" ", "+")}` }, deal.number ? String(deal.number) : say("first")),
              ...(result.strain === "named" ? [` ${strainSign("SHDCN".indexOf(deal.strain))}`] : []),
            ),
            ...[went(deal.tricks), deal.exact, ...Object.values(deal.networks)].map((text) => element("td", {}, String(text))),
          ),
        ),
      ),
    );
  }
}

/** A square for each deal, filled by how far the answer was off. */
function squares(deals) {
  const words = [say("square 0"), say("square 1"), say("square 2"), say("square 3")];
  const kind = ({ tricks, exact }) => (tricks === null ? 3 : Math.min(3, Math.abs(tricks - exact)));
  return element("span", { class: "squares", role: "img", "aria-label": deals.map((deal) => (deal.tricks === null ? say("square none") : words[kind(deal)])).join(", ") },
    ...deals.map((deal) => element("span", { class: `square off-${kind(deal)}`, title: words[kind(deal)] })));
}

/** How far a count is from the exact tricks, in words. */
function offBy(more) {
  return say(more === 0 ? "square 0" : more > 0 ? "too many" : "too few", { n: Math.abs(more) });
}

/** What North and South hold for their tricks, and what points alone would say. */
function reason(deal, strain, exact) {
  const points = deal.points(0) + deal.points(2);
  const rule = Math.round((13 / 40) * points); // work point count, as the papers have it
  const spades = [0, 2].reduce((sum, seat) => sum + deal.holding(seat, 0).length, 0);
  const held = say(strain === "S" ? "hold with spades" : "hold", { points, spades });
  const off = say(exact === rule ? "rule right" : exact > rule ? "rule fewer" : "rule more", { n: Math.abs(exact - rule) });
  return `${held} ${say("rule", { n: rule, off })}`;
}

/** Bars for the shares of answers within two, within one, and exact, one on the other. */
function bars(percents) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("class", "bars");
  picture.setAttribute("viewBox", "0 0 100 8");
  picture.setAttribute("preserveAspectRatio", "none");
  picture.setAttribute("aria-hidden", "true");
  percents.forEach((percent, place) => {
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    bar.setAttribute("class", `bar-${place}`);
    bar.setAttribute("width", String(percent || 0));
    bar.setAttribute("height", "8");
    picture.append(bar);
  });
  return picture;
}

/** A button that copies a line; where that is not allowed the line is shown to be copied. */
function sharing(line) {
  const place = element("span", { class: "sharing" });
  place.append(
    button(say("share"), async () => {
      try {
        await navigator.clipboard.writeText(line);
        place.append(element("span", { role: "status" }, ` ${say("line copied")}`));
      } catch {
        place.replaceChildren(element("input", { type: "text", readonly: true, value: line, "aria-label": say("line to share") }));
      }
    }),
  );
  return place;
}

function task(strain, leader) {
  const seat = SEATS.indexOf(leader);
  return say(seat % 2 ? "task declare" : "task defend", { strain: say(`task ${strain}`), seat: seatName(seat) });
}

function table(caption, heads, rows) {
  return element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...heads.map((text) => element(text ? "th" : "td", text ? { scope: "col" } : {}, text)))),
    element("tbody", {}, ...rows),
  );
}

function bestTable(kind) {
  const rows = kind.players.map(({ name, chunks, begun, within_2, within_1, exact }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, name || say("nameless")),
      element("td", {}, say("chunks of", { chunks, begun })),
      element("td", {}, within_2[0].toFixed(1)),
      element("td", {}, within_1[0].toFixed(1)),
      element("td", {}, `${exact[0].toFixed(1)} (${say("range", { from: exact[1].toFixed(0), to: exact[2].toFixed(0) })})`),
    ),
  );
  return table(say("the best", { kind: kindName(kind) }), ["", say("chunks"), say("within two"), say("within one"), say("right count")], rows);
}

paint();
customElements.define("beat-the-net", BeatTheNet);
