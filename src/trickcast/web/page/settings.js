// How the page looks to whom: theme, colours of the suits, letters of the ranks; and its words. What is
// chosen is kept in this browser.

import words from "./words.js";

const KEY = "settings";
const settings = { theme: "", colours: "four", ten: "T", language: "en", ...kept() };

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {};
  }
}

/** The languages of the cards: their code, name and letters. */
export const LANGUAGES = Object.entries(words).map(([code, { name, cards }]) => [code, name, cards.ranks]);

export const setting = (name) => settings[name];

/** Change a setting, and the page with it. */
export function set(name, value) {
  settings[name] = value;
  localStorage.setItem(KEY, JSON.stringify(settings));
  paint();
}

const chosen = () => words[settings.language] ?? words.en;
const whole = () => (chosen().page ? chosen() : words.en); // a language that has sentences too

/**
 * A sentence of the page with its places filled; where a part is drawn, not text, an array for a
 * template. Of two forms the first is for `n` of one.
 */
export function say(key, parts = {}) {
  const found = whole().page[key] ?? words.en.page[key];
  const form = Array.isArray(found) ? found[parts.n === 1 ? 0 : 1] : found;
  const filled = form.split(/\{(\w+)\}/).map((piece, place) => (place % 2 ? parts[piece] : piece));
  return filled.some((part) => typeof part === "object") ? filled : filled.join("");
}

/** Words that come in a list: of the seats, or of who is vulnerable. */
export const seatName = (seat) => whole().record.seats[seat];

/** A suit, or notrump, in words (of `one`: 1 heart) and as a sign. */
export function strainName(strain, one = false) {
  const { cards } = chosen();
  return [...((one && cards.one) || cards.suits), cards.notrump][strain];
}
export const strainSign = (strain) => ["♠", "♥", "♦", "♣", chosen().cards.symbol][strain];

/** A rank as it is printed. */
export function rankText(rank) {
  if (rank === "T") return settings.ten;
  const place = "AKQJ".indexOf(rank);
  return place < 0 ? rank : chosen().cards.ranks[place];
}

/** Put theme, colours and words on the page. */
export function paint() {
  const { classList, dataset } = document.documentElement;
  if (settings.theme) dataset.theme = settings.theme;
  else delete dataset.theme;
  classList.toggle("two-colours", settings.colours === "two");
  if (whole() === words.en) return; // as the page is written
  for (const each of document.querySelectorAll("[data-say]")) each.textContent = say(each.dataset.say);
}
