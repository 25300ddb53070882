// What every part of the page draws with: templates by lit-html, suits in their colours, shares.

import { html } from "./lit-html.js";
import { STRAIN_NAMES, SYMBOLS } from "./cards.js";

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

/** A suit's or notrump's sign in its colour, spoken as its name. */
export const sign = (strain) =>
  html`<span class="strain strain-${strain}"><span aria-hidden="true">${SYMBOLS[strain]}</span><span class="spoken"> ${STRAIN_NAMES[strain]}</span></span>`;

/** A contract such as 4HX or 3N as people write it; other words stay. */
export function written(text) {
  const match = /^([1-7])([SHDCN])(.*)$/.exec(text);
  if (!match) return text === "PASS" ? "Pass" : text;
  return html`<span class="bid">${match[1]}${sign("SHDCN".indexOf(match[2]))}${match[3].replaceAll("X", "×")}</span>`;
}

/** The same in words. */
export function spoken(text) {
  const match = /^([1-7])([SHDCN])(X{0,2})$/.exec(text);
  if (!match) return text === "PASS" ? "pass" : text;
  return `${match[1]} ${STRAIN_NAMES["SHDCN".indexOf(match[2])]}${["", " doubled", " redoubled"][match[3].length]}`;
}

/** A share as people read it, the sign kept on its line: 43 %; 0 and 100 % are certain ones. */
export function percent(share) {
  if (share >= 0.995 && share < 1 - CERTAIN) return ">99\u00a0%";
  return share > CERTAIN && share < 0.005 ? "<1\u00a0%" : `${Math.round(100 * share)}\u00a0%`;
}
