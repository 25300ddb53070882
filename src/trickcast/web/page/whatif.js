// Questions about hands that are not seen, as a sentence to fill in: how often a contract makes, and what
// to lead. A hand is the one in view, or what is known of it in words, checked while it is typed.

import { html, nothing, render } from "./dom.js";
import { answerOf } from "./answers.js";
import { contractOf } from "./auction.js";
import { SEATS, dealerOf } from "./cards.js";
import { chanceOf, counted, leadsOf } from "./chances.js";
import { EngineError } from "./engine.js";
import { say, seatName, strainSign } from "./settings.js";
import { state } from "./store.js";

const PAUSE = 600; // milliseconds without a key, after which what was typed is checked
const SECONDS = 15; // for all leads; a contract ends by itself
const WORDS = ["north", "east", "south", "west"];
const CHIPS = ["balanced", "hcp 15-17", "hcp 6-9", "spades 5+", "hearts 5+", "spades 0-1"];

/** <what-if>: fields beside the board in view; the answers of a server as they narrow. */
export class WhatIf extends HTMLElement {
  #engine = null;
  #board = null;
  #about = "";
  #asked = { ask: "chance", level: "4", strain: "S", doubled: "", by: "S" };
  #seen = [true, false, true, false];
  #heard = true; // hidden hands fit the auction
  #at = null; // the hand whose words were last typed at: it has words to choose from
  #words = ["", "", "", ""];
  #faults = ["", "", "", ""];
  #problem = "";
  #progress = "";
  #outcome = nothing;
  #running = null;
  #checking = null;
  #timer = 0;

  /** Take the engine and the board in view; what is asked comes from its contract, the cell, or its par. */
  show(engine, board) {
    this.#engine = engine;
    this.#board = board;
    const about = `${board.deal.pbn} ${state.line?.contract} ${state.line?.declarer} ${state.cell} ${board.auction}`;
    if (about !== this.#about) {
      this.#about = about;
      this.#stop();
      this.#outcome = nothing;
      this.#progress = "";
      this.#default();
    }
    this.#draw();
  }

  #default() {
    const { deal, contract, declarer } = this.#board;
    const { exact, estimate, par } = answerOf(this.#board);
    const best = par?.contracts.find(({ result }) => result >= 0);
    const pair = deal.pair && answerOf(this.#board).pair?.best?.[0];
    const put = (text, seat) => Object.assign(this.#asked, { level: text[0], strain: text[1], doubled: text.slice(2), by: SEATS[seat] });
    if (state.line) put(state.line.contract, state.line.declarer);
    else if (/^[1-7]/.test(contract ?? "") && SEATS[declarer]) put(contract, declarer);
    else if (state.cell && (exact ?? estimate) && !deal.pair) put(`${Math.max(1, (exact ?? estimate.tricks)[state.cell[0]][state.cell[1]] - 6)}${"SHDCN"[state.cell[0]]}`, state.cell[1]);
    else if (best) put(best.contract.replace("X", ""), best.by[0]);
    else if (pair) put(pair.contract, deal.pair[pair.by === "N" ? 0 : 1]);
    else {
      const whole = SEATS.findIndex((_, seat) => deal.count(seat) === 13);
      if (whole >= 0) this.#asked.by = SEATS[whole];
    }
    this.#see();
  }

  get #leader() {
    return (SEATS.indexOf(this.#asked.by) + 1) % 4;
  }

  /** Which hands are taken as seen at first: declarer's and dummy's, or the leader's alone. */
  #see() {
    const leads = this.#asked.ask === "leads";
    this.#seen = SEATS.map((_, seat) => (leads ? seat === this.#leader : (seat - this.#leader) % 2 !== 0));
  }

  #whole(seat) {
    return this.#board.deal.count(seat) === 13;
  }

  #change(name, value) {
    this.#asked[name] = value;
    if (name === "ask" || name === "by") this.#see();
    this.#draw();
  }

  #draw() {
    if (!this.#engine?.simulates) {
      render(html`<h3>${say("will it make")}</h3><p class="note">${say("chances need server", { install: html`<code>pip install 'trickcast[web]'</code>`, serve: html`<code>trickcast serve</code>` })}</p>`, this);
      return;
    }
    const select = (name, label, options) => html`<select id="whatif-${name}" aria-label=${label} @change=${({ target }) => this.#change(name, target.value)}>
      ${options.map(([key, text]) => html`<option value=${key} .selected=${this.#asked[name] === String(key)}>${text}</option>`)}</select>`;
    const seats = SEATS.map((letter, seat) => [letter, seatName(seat)]);
    const leads = this.#asked.ask === "leads";
    render(html`<h3>${say(leads ? "best lead" : "will it make")}</h3>
      <p class="sentence">${select("ask", say("i ask for"), [["chance", say("how often")], ["leads", say("which lead")]])}
        ${select("level", say("a level"), [..."1234567"].map((level) => [level, level]))}${select("strain", say("a strain"), [..."SHDCN"].map((strain, i) => [strain, strainSign(i)]))}${select("doubled", say("Doubled"), [["", say("undoubled")], ["X", say("doubled")], ["XX", say("redoubled")]])}
        ${say("by")} ${select("by", say("a declarer"), seats)}${leads ? "?" : ` ${say("make")}`}</p>
      <fieldset><legend>${say("known")}</legend>${SEATS.map((_, seat) => this.#hand(seatName(seat), seat))}
        ${this.#fits() ? html`<label class="heard"><input type="checkbox" .checked=${this.#heard} @change=${({ target }) => (this.#heard = target.checked)}> ${say("fit the auction")}</label>` : nothing}</fieldset>
      <p class="buttons"><button type="button" class="main" id="whatif-run" @click=${() => (this.#running ? this.#stop() : this.#run())}>${say(this.#running ? "stop" : "simulate")}</button></p>
      <p class="problem" role="alert">${this.#problem}</p><p class="progress" role="status">${this.#progress}</p>
      <div class="outcome">${this.#outcome}</div>
      <p class="note">${say("about simulating")}</p>`, this);
  }

  #hand(name, seat) {
    const whole = this.#whole(seat);
    const seen = whole && this.#seen[seat];
    const cards = whole ? 0 : this.#board.deal.count(seat);
    const type = (value) => {
      this.#words[seat] = value;
      this.#typed();
      this.#draw();
    };
    const add = (words) => type([this.#words[seat], words].filter(Boolean).join(", "));
    return html`<div class="known">
      <span class="who">${name}</span>
      ${whole ? html`<label class="seen"><input type="checkbox" aria-label=${say("hand as on the table", { seat: name })} .checked=${this.#seen[seat]} @change=${({ target }) => {
        this.#seen[seat] = target.checked;
        this.#draw();
      }}> ${say("as on the table")}</label>` : nothing}
      ${seen ? nothing : html`<input type="text" class="words" aria-label=${say("known of", { seat: name })} maxlength="2000" spellcheck="false" autocomplete="off" autocapitalize="off"
        placeholder=${cards ? say("any but cards", { n: cards }) : say("any hand")} aria-describedby="fault-${seat}" aria-invalid=${Boolean(this.#faults[seat])} .value=${this.#words[seat]}
        @focus=${() => this.#typeAt(seat)} @input=${({ target }) => type(target.value)} @keydown=${(event) => event.key === "Enter" && this.#run()}>
        ${this.#at === seat ? html`<span class="chips">${CHIPS.map((words) => html`<button type="button" class="chip" tabindex="-1" aria-label=${say("add", { seat: name, words })} @click=${() => add(words)}>${words}</button>`)}</span>` : nothing}`}
      <p class="fault" id="fault-${seat}" role="alert">${this.#faults[seat]}</p></div>`;
  }

  #typeAt(seat) {
    if (this.#at === seat) return;
    this.#at = seat;
    this.#draw();
  }

  /** What is known of each hand: the words alone, or the cards that are seen too. */
  #hands(cards) {
    const known = {};
    WORDS.forEach((name, seat) => {
      const words = this.#words[seat].trim();
      if (this.#whole(seat) && this.#seen[seat]) {
        if (cards) known[name] = this.#board.deal.hand(seat);
      } else if (words) known[name] = words;
    });
    return known;
  }

  /** Whether the auction on the board can say something of the hidden hands for what is asked. */
  #fits() {
    const { auction } = this.#board;
    if (!auction?.length) return false;
    const { ask, level, strain, doubled, by } = this.#asked;
    const [contract, declarer] = contractOf(dealerOf(this.#board), auction);
    return ask === "chance" || (contract === level + strain + doubled && SEATS[declarer] === by);
  }

  /** The question. Throws EngineError where something is missing. */
  #question() {
    const { ask, level, strain, doubled, by } = this.#asked;
    const question = { contract: level + strain + doubled, by, vulnerable: this.#board.vulnerable ?? "none", ...this.#hands(true) };
    if (this.#heard && this.#fits()) {
      question.auction = this.#board.auction.map((call) => (call === "PASS" ? "P" : call)).join(" ");
      question.dealer = SEATS[dealerOf(this.#board)];
    }
    if (ask === "chance") return ["simulate", question];
    const leader = this.#leader;
    if (!this.#whole(leader)) throw new EngineError(say("put leader in", { seat: seatName(leader) }));
    delete question[WORDS[leader]];
    return ["leads", { ...question, leader: this.#board.deal.hand(leader), seconds: SECONDS }];
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
    const question = this.#hands(false);
    try {
      if (Object.keys(question).length) {
        await this.#engine.ask("simulate", { ...question, contract: "1C", by: "N", samples: 1, solve: 0 }, signal);
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
    this.#faults = WORDS.map((_, seat) => (seat === place ? message.replace(/^\w+(, line 1)?[,:] /, "") : ""));
    this.#problem = place < 0 ? message : "";
    this.#draw();
  }

  #tell(text) {
    this.#progress = text;
    this.#draw();
  }

  #stop() {
    this.#running?.abort();
    this.#running = null;
    if (this.#board && this.isConnected) this.#draw();
  }

  async #run() {
    clearTimeout(this.#timer);
    this.#checking?.abort();
    this.#stop();
    this.#blame("");
    const mine = (this.#running = new AbortController());
    this.#outcome = nothing;
    this.#tell(say("dealing"));
    let told = 0; // layouts when last said aloud
    try {
      const [path, question] = this.#question();
      let last;
      for await (const answer of this.#engine.stream(path, question, mine.signal)) {
        last = answer;
        this.#outcome = path === "leads" ? leadsOf(answer) : chanceOf(answer);
        if (answer.solved >= 2 * told) this.#progress = say("more layouts", { n: (told = answer.solved) });
        this.#draw();
      }
      this.#tell(say("done", counted(last.layouts, last.solved)));
    } catch (error) {
      if (error.name === "AbortError") {
        if (this.#running === null) this.#tell(say("stopped"));
      } else if (error instanceof EngineError) {
        this.#progress = "";
        this.#blame(error.message);
      } else throw error;
    } finally {
      if (this.#running === mine) this.#stop();
    }
  }
}

customElements.define("what-if", WhatIf);
