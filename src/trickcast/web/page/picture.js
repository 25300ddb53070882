// A picture of the board in view, for posts and handouts: hands, what makes, par, the chances of the
// number that is chosen. The same shapes become SVG, or are painted and saved as PNG.

import { SEATS } from "./cards.js";
import { percent, scoreFor, sideName } from "./dom.js";
import { factsOf } from "./diagram.js";
import { PRINTED_STRAINS } from "./makes.js";
import { signed } from "./bridge.js";
import { rankText, say, seatName, setting, strainName, strainSign } from "./settings.js";

const WIDTH = 1200;
const HEIGHT = 630;
const INK = { paper: "#fbf8f1", ink: "#17211b", quiet: "#59625c", felt: "#0b6b47", line: "#e4dccb", gold: "#76560f", tint: "#e0eee5" };
const FOUR = ["#22407f", "#b3150a", "#a34e00", "#11692f", INK.ink];
const TWO = [INK.ink, "#b3150a", "#b3150a", INK.ink, INK.ink];
const SERIF = '"Cards", Georgia, "DejaVu Serif", serif';
const SANS = 'system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const GAME = [10, 10, 11, 11, 9];

const text = (x, y, words, { size = 24, fill = INK.ink, font = SERIF, bold = false, anchor = "start" } = {}) =>
  ({ x, y, words: String(words), size, fill, font, bold, anchor });
const rect = (x, y, width, height, fill, round = 0) => ({ x, y, width, height, fill, round });
const suits = () => (setting("colours") === "two" ? TWO : FOUR);

function handShapes(deal, seat, x, y) {
  const name = text(x, y, seatName(seat), { size: 17, fill: INK.quiet, font: SANS, bold: true });
  if (!deal.count(seat)) return [name, text(x, y + 34, say("not known"), { size: 20, fill: INK.quiet })];
  const points = deal.count(seat) === 13 ? [text(x + 175, y, deal.points(seat), { size: 17, fill: INK.quiet, font: SANS, anchor: "end" })] : [];
  return [name, ...points, ...[0, 1, 2, 3].flatMap((suit) => {
    const cards = [...deal.holding(seat, suit)].map(rankText).join(" ") || "–";
    return [text(x, y + 34 + 31 * suit, strainSign(suit), { fill: suits()[suit] }), text(x + 32, y + 34 + 31 * suit, cards, { size: 25 })];
  })];
}

function compassShapes({ dealer, vulnerable, number }, x, y) {
  const hot = (seat) => vulnerable === "both" || vulnerable === (seat % 2 ? "ew" : "ns");
  const places = [[60, 27], [102, 67], [60, 107], [18, 67]];
  return [rect(x, y, 120, 120, INK.felt, 10), ...places.flatMap(([left, top], seat) => [
    ...(hot(seat) ? [rect(x + left - 14, y + top - 19, 28, 27, "#a3261b", 4)] : []),
    text(x + left, y + top, SEATS[seat], { size: 19, fill: "#ffffff", font: SANS, bold: true, anchor: "middle" }),
    ...(dealer === seat ? [rect(x + left - 9, y + top + 4, 18, 2, "#ffffff")] : []),
  ]), text(x + 60, y + 68, number ?? "", { size: 21, fill: "#ffffff", anchor: "middle" })];
}

function tableShapes({ exact, estimate }, x, y) {
  const tricks = exact ?? estimate.tricks;
  const columns = PRINTED_STRAINS.map((_, place) => x + 95 + 72 * place);
  const heads = PRINTED_STRAINS.map((strain, place) => text(columns[place], y, strainSign(strain), { fill: suits()[strain], anchor: "middle" }));
  const rows = [0, 2, 1, 3].flatMap((seat, row) => [
    text(x, y + 42 + 40 * row, SEATS[seat], { size: 20, fill: INK.quiet, font: SANS }),
    ...PRINTED_STRAINS.map((strain, place) => text(columns[place], y + 42 + 40 * row, tricks[strain][seat],
      { size: 27, anchor: "middle", bold: tricks[strain][seat] >= GAME[strain], fill: tricks[strain][seat] < 7 ? INK.quiet : INK.ink })),
  ]);
  return [...heads, ...rows];
}

function chanceShapes({ estimate }, [strain, seat], x, y) {
  const chances = estimate.probabilities[strain][seat].map((chance, tricks) => [chance, tricks]).filter(([chance]) => chance >= 0.01);
  const most = Math.max(...chances.map(([chance]) => chance));
  const wide = Math.min(70, 420 / chances.length);
  return [text(x, y, say("chances of", { strain: strainName(strain), seat: seatName(seat) }), { size: 17, fill: INK.quiet, font: SANS, bold: true }),
    ...chances.flatMap(([chance, tricks], place) => {
      const [left, high] = [x + wide * place, (80 * chance) / most];
      return [rect(left + 3, y + 122 - high, wide - 6, high, INK.felt, 3), text(left + wide / 2, y + 148, tricks, { size: 18, font: SANS, anchor: "middle" }),
        text(left + wide / 2, y + 115 - high, percent(chance), { size: 14, fill: INK.quiet, font: SANS, anchor: "middle" })];
    })];
}

/** All that is drawn of a board; `cell` is [strain, seat] of the chances, or null. */
export function shapesOf(board, answer, cell) {
  const { deal } = board;
  const found = [rect(0, 0, WIDTH, HEIGHT, INK.paper), text(40, 54, factsOf(board) || say("a deal"), { size: 26, bold: true }),
    ...handShapes(deal, 0, 270, 115), ...handShapes(deal, 3, 40, 285), ...handShapes(deal, 1, 455, 285), ...handShapes(deal, 2, 270, 470), ...compassShapes(board, 275, 280)];
  if (deal.whole && (answer.exact || answer.estimate)) {
    const { par, exact } = answer;
    const x = 700;
    found.push(rect(x - 30, 0, WIDTH - x + 30, HEIGHT, "#fffdf8"), rect(x - 31, 0, 1, HEIGHT, INK.line));
    if (par) {
      found.push(text(x, 70, `${say(exact ? "par" : "likely par")} ${scoreFor(par.ns)}`, { size: 40, bold: true, fill: INK.gold }));
      const by = ({ contract, by: seats, result }) =>
        `${contract[0]}${strainSign("SHDCN".indexOf(contract[1]))}${contract.slice(2).replaceAll("X", "×")} ${sideName(seats)} ${signed(result)}`;
      found.push(text(x, 104, par.contracts.slice(0, 3).map(by).join(", ") || say("passed out"), { size: 20, fill: INK.quiet, font: SANS }));
    }
    found.push(text(x, 146, say(exact ? "double-dummy tricks" : "likely tricks"), { size: 17, fill: INK.quiet, font: SANS, bold: true }), ...tableShapes(answer, x, 184));
    if (cell && answer.estimate) found.push(...chanceShapes(answer, cell, x, 400));
  }
  return [...found, text(WIDTH - 30, HEIGHT - 22, "trickcast", { size: 18, fill: INK.felt, bold: true, anchor: "end" })];
}

const escaped = (words) => words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The picture as SVG text. */
export function svgOf(shapes) {
  const drawn = shapes.map((shape) => ("words" in shape
    ? `<text x="${shape.x}" y="${shape.y}" font-size="${shape.size}" fill="${shape.fill}" font-family='${shape.font}'${shape.bold ? ' font-weight="600"' : ""} text-anchor="${shape.anchor}">${escaped(shape.words)}</text>`
    : `<rect x="${shape.x}" y="${shape.y}" width="${shape.width}" height="${shape.height}" rx="${shape.round}" fill="${shape.fill}"/>`));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">\n${drawn.join("\n")}\n</svg>\n`;
}

/** The picture as a PNG, twice as large. */
export async function pngOf(shapes) {
  await document.fonts.ready;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * WIDTH, 2 * HEIGHT];
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  for (const shape of shapes) {
    pen.fillStyle = shape.fill;
    if ("words" in shape) {
      pen.font = `${shape.bold ? 600 : 400} ${shape.size}px ${shape.font}`;
      pen.textAlign = { start: "left", middle: "center", end: "right" }[shape.anchor];
      pen.fillText(shape.words, shape.x, shape.y);
    } else {
      pen.beginPath();
      pen.roundRect(shape.x, shape.y, shape.width, shape.height, shape.round);
      pen.fill();
    }
  }
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
