// What every part of the page draws with: templates by lit-html, suits in their colours, shares, sides.

import { html } from "./lit-html.js";
import { say, strainName, strainSign } from "./settings.js";

export { html, nothing, render, svg } from "./lit-html.js";

const CERTAIN = 1e-6; // from 0 or 1 on float32 cannot say otherwise

/** Make an element with attributes and children (elements or text). */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** A suit's or notrump's sign in its colour, spoken as its name, or as that of `one`. */
export const sign = (strain, one = false) =>
  html`<span class="strain strain-${strain}"><span aria-hidden="true">${strainSign(strain)}</span><span class="spoken"> ${strainName(strain, one)}</span></span>`;

/** A contract such as 4HX or 3N as people write it; other words stay. */
export function written(text) {
  const match = /^([1-7])([SHDCN])(.*)$/.exec(text);
  if (!match) return { PASS: say("Pass"), X: say("Dbl"), XX: say("Rdbl") }[text] ?? text;
  return html`<span class="bid">${match[1]}${sign("SHDCN".indexOf(match[2]), match[1] === "1")}${match[3].replaceAll("X", "×")}</span>`;
}

/** The same in words. */
export function spoken(text) {
  const match = /^([1-7])([SHDCN])(X{0,2})$/.exec(text);
  if (!match) return text === "PASS" ? say("Pass") : text;
  return `${match[1]} ${strainName("SHDCN".indexOf(match[2]), match[1] === "1")}${match[3] ? ` ${say(match[3] === "X" ? "doubled" : "redoubled")}` : ""}`;
}

/** A share as people read it, the sign kept on its line: 43 %; 0 and 100 % are certain ones. */
export function percent(share) {
  if (share >= 0.995 && share < 1 - CERTAIN) return ">99\u00a0%";
  return share > CERTAIN && share < 0.005 ? "<1\u00a0%" : `${Math.round(100 * share)}\u00a0%`;
}

const SIDES = ["N–S", "E–W"];

/** A side, or one seat of it, as people write it. */
export const sideName = (seats) => (seats.length === 2 ? SIDES[seats[0] % 2] : "NESW"[seats[0]]);

/** A score for North and South as the side that has it: N–S +420. */
export const scoreFor = (points) => (points === 0 ? "0" : `${SIDES[points > 0 ? 0 : 1]} +${Math.abs(points)}`);
