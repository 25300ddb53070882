// Questions about hands that are not seen: how often a contract makes, and what to lead. A hand is
// the one in view, or what is known of it in words, checked while it is typed.

import { SEATS, SEAT_NAMES } from "./cards.js";
import { element } from "./dom.js";
import { EngineError } from "./engine.js";
import { chanceOf, leadsOf } from "./chances.js";

const PAUSE = 600; // milliseconds without a key, after which what was typed is checked
const SECONDS = 15; // for all leads; a contract ends by itself
const STRAINS = ["♠", "♥", "♦", "♣", "NT"];
const WORDS = ["north", "east", "south", "west"];

const choice = (name, label, options, value) => {
  const select = element("select", { id: `whatif-${name}` },
    ...options.map(([key, text]) => element("option", { value: key, selected: key === value }, text)));
  return element("label", {}, `${label} `, select);
};

/** <what-if>: fields beside the board in view; the answers of a server as they narrow. */
export class WhatIf extends HTMLElement {
  #engine = null;
  #board = null;
  #running = null;
  #checking = null;
  #timer = 0;

  /** Offer the questions, or say what they need. */
  use(engine) {
    this.#engine = engine;
    if (!engine.solves) {
      this.replaceChildren(element("p", {},
        "Chances over unknown hands, opening leads, exact tricks, par and opening bids need a trickcast server: ",
        element("code", {}, "pip install 'trickcast[web]'"), ", then ", element("code", {}, "trickcast serve"),
        ". This page has none; it computes all in your browser."));
      return;
    }
    this.replaceChildren(this.#question(), this.#hands(), this.#buttons(),
      element("p", { class: "problem", role: "alert" }),
      element("p", { class: "progress", role: "status" }),
      element("div", { class: "outcome" }));
    this.addEventListener("change", ({ target }) => {
      if (target.id === "whatif-ask" || target.id === "whatif-by") this.#seen();
      else if (target.type === "checkbox") this.#fields();
    });
    this.addEventListener("input", ({ target }) => target.type === "text" && this.#typed());
    this.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target.type === "text") this.#run();
    });
    if (this.#board) this.show(this.#board);
  }

  /** Take the hands of the board in view. */
  show(board) {
    const before = this.#board?.deal;
    this.#board = board;
    if (!this.#engine?.solves || before === board.deal && this.querySelector(".outcome").firstChild) return;
    this.#stop();
    this.querySelector(".outcome").replaceChildren();
    this.#tell("");
    if (board.contract && SEATS[board.declarer]) {
      const [level, strain] = board.contract;
      this.#set("level", level);
      this.#set("strain", strain);
      this.#set("doubled", board.contract.slice(2));
      this.#set("by", SEATS[board.declarer]);
    }
    this.#set("vulnerable", board.vulnerable ?? "none");
    this.#seen();
  }

  #question() {
    const strains = STRAINS.map((sign, i) => ["SHDCN"[i], sign]);
    return element("div", { class: "question", role: "group", "aria-label": "Question" },
      choice("ask", "I ask for", [["chance", "the chance of a contract"], ["leads", "the best opening lead"]], "chance"),
      choice("level", "Level", [..."1234567"].map((level) => [level, level]), "3"),
      choice("strain", "Strain", strains, "N"),
      choice("doubled", "Doubled", [["", "no"], ["X", "doubled"], ["XX", "redoubled"]], ""),
      choice("by", "Declarer", SEATS.map((seat, i) => [seat, SEAT_NAMES[i]]), "S"),
      choice("vulnerable", "Vulnerable", [["none", "nobody"], ["ns", "NS"], ["ew", "EW"], ["both", "both sides"]], "none"));
  }

  #hands() {
    const rows = SEAT_NAMES.map((name, seat) =>
      element("div", { class: "known", "data-seat": seat },
        element("label", { class: "seen" }, element("input", { type: "checkbox" }), ` ${name}'s hand as above`),
        element("label", { class: "words" }, `${name}: what is known `,
          element("input", {
            type: "text", maxlength: 2000, spellcheck: "false", autocomplete: "off", autocapitalize: "off",
            placeholder: "anything", "aria-describedby": `fault-${seat}`,
          })),
        element("p", { class: "fault", id: `fault-${seat}`, role: "alert" })));
    return element("fieldset", {}, element("legend", {}, "Hands"),
      element("p", { class: "hint" }, "In words: ", element("code", {}, "hcp 15-17, balanced"), " or ",
        element("code", {}, "spades 5+, hcp 6-9"), "; empty is any hand."),
      ...rows);
  }

  #buttons() {
    const ask = element("button", { type: "button", class: "main", id: "whatif-run" }, "Simulate");
    ask.addEventListener("click", () => (this.#running ? this.#stop() : this.#run()));
    return element("p", { class: "buttons" }, ask);
  }

  #set(name, value) {
    this.querySelector(`#whatif-${name}`).value = value;
  }

  #get(name) {
    return this.querySelector(`#whatif-${name}`).value;
  }

  get #leader() {
    return (SEATS.indexOf(this.#get("by")) + 1) % 4;
  }

  /** Which hands are taken as seen at first: declarer's and dummy's, or the leader's alone. */
  #seen() {
    const leads = this.#get("ask") === "leads";
    this.#each((seat, row) => {
      row.querySelector("[type=checkbox]").checked = leads ? seat === this.#leader : (seat - this.#leader) % 2 !== 0;
    });
    this.#fields();
  }

  #each(use) {
    for (const row of this.querySelectorAll(".known")) use(Number(row.dataset.seat), row);
  }

  #whole(seat) {
    return this.#board.deal.count(seat) === 13;
  }

  #fields() {
    this.#each((seat, row) => {
      const seen = this.#whole(seat) && row.querySelector("[type=checkbox]").checked;
      row.querySelector(".seen").hidden = !this.#whole(seat);
      row.querySelector(".words").hidden = seen;
      const cards = this.#whole(seat) ? 0 : this.#board.deal.count(seat);
      row.querySelector("[type=text]").placeholder = cards ? `anything (its ${cards} cards above do not count)` : "anything";
      row.querySelector(".fault").textContent = "";
    });
  }

  /** The question, or null and a sentence where something is missing. */
  #asked() {
    const question = {
      contract: this.#get("level") + this.#get("strain") + this.#get("doubled"),
      by: this.#get("by"),
      vulnerable: this.#get("vulnerable"),
    };
    this.#each((seat, row) => {
      const words = row.querySelector("[type=text]").value.trim();
      const seen = !row.querySelector(".seen").hidden && row.querySelector("[type=checkbox]").checked;
      if (seen) question[WORDS[seat]] = this.#board.deal.hand(seat);
      else if (words) question[WORDS[seat]] = words;
    });
    if (this.#get("ask") === "chance") return ["simulate", question];
    if (!this.#whole(this.#leader)) {
      throw new EngineError(`${SEAT_NAMES[this.#leader]} leads: put that hand in above.`);
    }
    delete question[WORDS[this.#leader]];
    return ["leads", { ...question, leader: this.#board.deal.hand(this.#leader), seconds: SECONDS }];
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#checking?.abort();
    this.#timer = setTimeout(() => this.#check(), PAUSE);
  }

  /** Deal one layout, which tells what is wrong with what was typed. */
  async #check() {
    this.#checking = new AbortController();
    const { signal } = this.#checking;
    const question = {};
    this.#each((seat, row) => {
      const words = row.querySelector("[type=text]").value.trim();
      if (!row.querySelector(".words").hidden && words) question[WORDS[seat]] = words;
    });
    try {
      if (Object.keys(question).length) {
        await this.#engine.ask("simulate", { ...question, contract: "1C", by: "N", samples: 1, exact: 0 }, signal);
      }
      if (!signal.aborted) this.#blame("");
    } catch (error) {
      if (error.status === 422) this.#blame(error.message);
      else if (!(error instanceof EngineError) && error.name !== "AbortError") throw error;
    }
  }

  /** Show an error beside the hand that it names, else below. */
  #blame(message) {
    const place = WORDS.findIndex((word) => new RegExp(`^${word}\\b`).test(message));
    this.#each((seat, row) => {
      row.querySelector(".fault").textContent = seat === place ? message.replace(/^\w+(, line 1)?[,:] /, "") : "";
      row.querySelector("[type=text]").setAttribute("aria-invalid", String(seat === place));
    });
    this.querySelector(".problem").textContent = place < 0 ? message : "";
  }

  #tell(text) {
    this.querySelector(".progress").textContent = text;
  }

  #stop() {
    this.#running?.abort();
    this.#running = null;
    this.querySelector("#whatif-run").textContent = "Simulate";
  }

  async #run() {
    clearTimeout(this.#timer);
    this.#checking?.abort();
    this.#stop();
    this.#blame("");
    const mine = (this.#running = new AbortController());
    const place = this.querySelector(".outcome");
    place.replaceChildren();
    this.querySelector("#whatif-run").textContent = "Stop";
    this.#tell("Dealing…");
    let told = 0; // layouts when last said aloud
    try {
      const [path, question] = this.#asked();
      let last;
      for await (const answer of this.#engine.stream(path, question, mine.signal)) {
        last = answer;
        place.replaceChildren(path === "leads" ? leadsOf(answer) : chanceOf(answer));
        if (answer.solved >= 2 * told) this.#tell(`${(told = answer.solved)} layouts solved; more are coming.`);
      }
      this.#tell(`Done: ${last.layouts} layouts dealt, ${last.solved} of them solved.`);
    } catch (error) {
      if (error.name === "AbortError") {
        if (this.#running === null) this.#tell("Stopped.");
      } else if (error instanceof EngineError) {
        this.#tell("");
        this.#blame(error.message);
      } else throw error;
    } finally {
      if (this.#running === mine) this.#stop();
    }
  }
}

customElements.define("what-if", WhatIf);
