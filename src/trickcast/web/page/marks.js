// What came of the contests played in this browser: a mark for each deal, the results that are kept
// here and nowhere else, and the line to share.

import { say } from "./settings.js";

const KEY = "contest-results";
const MOST = 400; // results that are kept
const DAY = 86_400_000; // milliseconds
const MARKS = ["🟩", "🟨", "🟧"]; // right, one off, two off

/** How far an answer is from the exact tricks, as a mark. */
export const markOf = ({ tricks, exact }) => (tricks === null ? "⬜" : (MARKS[Math.abs(tricks - exact)] ?? "⬜"));

/** The number of a day since 1970, the same for everybody on it. */
export const dayNumber = (now = Date.now()) => Math.floor(now / DAY);
export const dateOf = (day) => new Date(day * DAY).toISOString().slice(0, 10);

/** The results that this browser keeps, the oldest first: {mode, day, deals: [{tricks, exact}]}. */
export function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}

export function keep(result) {
  localStorage.setItem(KEY, JSON.stringify([...kept(), result].slice(-MOST)));
}

export const forgetKept = () => localStorage.removeItem(KEY);

/** What was made of the deal of a day; undefined where it was not played here. */
export const ofDay = (day) => kept().find((result) => result.mode === "day" && result.day === day);

/** On how many days in a row, up to this one or the day before, the deal of the day was played. */
export function streak(day) {
  const days = new Set(kept().filter(({ mode }) => mode === "day").map((result) => result.day));
  let last = days.has(day) ? day : day - 1;
  let count = 0;
  for (; days.has(last); last -= 1) count += 1;
  return count;
}

/** How many of some deals were right. */
export const right = (deals) => deals.filter(({ tricks, exact }) => tricks === exact).length;

/** The line to share: it gives no answer away. */
export function shareLine({ mode, day, deals }, address) {
  const told = { date: mode === "day" ? dateOf(day) : "", marks: deals.map(markOf).join(""), right: right(deals), n: deals.length };
  return `${say(mode === "day" ? "line of day" : "line of deals", told)} ${address}`;
}
