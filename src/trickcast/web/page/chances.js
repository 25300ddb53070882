// Answers of a simulation: numbers with their interval, and the interval drawn on a line.

import { SUIT_NAMES, SYMBOLS } from "./cards.js";
import { element, percent, sign } from "./dom.js";
import { written } from "./facts.js";

const SVG = "http://www.w3.org/2000/svg";

const shape = (tag, attributes) => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

/** A chance with its interval on a line from 0 to 1; the numbers stand beside it as text. */
function whisker([middle, from, to]) {
  const at = (share) => `${(100 * share).toFixed(1)}%`;
  const drawn = shape("svg", { class: "whisker", "aria-hidden": "true" });
  drawn.append(shape("line", { x1: 0, x2: "100%", y1: 10, y2: 10, class: "scale" }));
  if (from !== null) drawn.append(shape("rect", { x: at(from), width: at(to - from), y: 5, height: 10 }));
  drawn.append(shape("circle", { cx: at(middle), cy: 10, r: 4 }));
  return drawn;
}

const rounded = (number, digits) => number.toFixed(digits).replace(/^-(0\.?0*)$/, "$1");
const range = ([, from, to], shown) =>
  from === null ? "" : `${shown(from).replace("\u00a0%", "")} to ${shown(to)}`;
const heads = (...texts) =>
  element("thead", {}, element("tr", {}, ...texts.map((text) => element("th", { scope: "col" }, text))));

/** How often a contract makes, what it scores, and the tricks it takes. */
export function chanceOf({ contract, by, making, score, distribution, layouts, solved }) {
  const needed = Number(contract[0]) + 6;
  const rows = distribution.map((chance, tricks) => [tricks, chance]).filter(([, chance]) => chance >= 0.005);
  const points = (number) => rounded(number, 0);
  return element("div", {},
    element("p", { class: "chance" }, ...written(contract), ` by ${by} makes `,
      element("strong", {}, percent(making[0])), ` (${range(making, percent)})`),
    whisker(making),
    element("p", {}, `Score: ${points(score[0])} on average (${range(score, points)}). `,
      element("small", {}, `${layouts} layouts, ${solved} solved; ranges hold 95 %.`)),
    element("table", { class: "chances" },
      element("caption", {}, "tricks of declarer"),
      heads("tricks", "chance", ""),
      element("tbody", {}, ...rows.map(([tricks, chance]) =>
        element("tr", { class: tricks >= needed ? "makes" : "" },
          element("th", { scope: "row" }, `${tricks}${tricks >= needed ? " ✓" : ""}`),
          element("td", {}, percent(chance)),
          element("td", { class: "bar" }, element("meter", { min: 0, max: 1, value: chance.toFixed(3), "aria-hidden": "true" })))))));
}

/** Every opening lead, best first; cards that are alike in one row. */
export function leadsOf({ contract, by, leads, scoring, layouts, solved }) {
  const rows = [];
  for (const lead of leads) {
    const [card] = lead.cards;
    const before = rows.at(-1);
    const alike = before && before.cards[0][0] === card[0] && before.gain[0] === lead.gain[0] && before.setting[0] === lead.setting[0];
    if (alike) before.cards.push(...lead.cards);
    else rows.push({ ...lead, cards: [...lead.cards] });
  }
  const name = (cards) => {
    const suit = "SHDC".indexOf(cards[0][0]);
    return [sign(suit, SYMBOLS, SUIT_NAMES), cards.map((card) => card[1].replace("T", "10")).join(" ")];
  };
  const gains = (number) => rounded(number, 1);
  return element("div", {},
    element("p", {}, "Leads against ", ...written(contract), ` by ${by}, best first. `,
      element("small", {}, `${layouts} layouts, ${solved} solved; ranges hold 95 %.`)),
    element("table", { class: "leads" },
      element("caption", {}, `beats: how often the lead sets the contract; loses: ${scoring === "imps" ? "IMPs" : scoring} a deal against the best lead (= as good, for all that is known)`),
      heads("lead", "beats", "", "loses"),
      element("tbody", {}, ...rows.map(({ cards, setting, gain, even }, place) =>
        element("tr", {},
          element("th", { scope: "row" }, ...name(cards)),
          element("td", {}, percent(setting[0]), element("small", {}, ` ${range(setting, percent)}`)),
          element("td", { class: "bar" }, whisker(setting)),
          element("td", {}, place === 0 ? "best" : gains(-gain[0]), element("small", {}, place && even ? " =" : "")))))));
}
