// The boards of a file: a list to choose from, and on paper one after the other.

import { element } from "./dom.js";

/** <board-list>: fires “choose” with the place of a board. */
export class BoardList extends HTMLElement {
  show(boards, chosen, skipped) {
    const items = boards.map((board, place) => {
      const current = place === chosen;
      const button = element(
        "button",
        { type: "button", "aria-current": current ? "true" : false },
        `Board ${board.number ?? place + 1}`,
      );
      button.addEventListener("click", () =>
        this.dispatchEvent(new CustomEvent("choose", { detail: place, bubbles: true })),
      );
      return element("li", {}, button);
    });
    const notes = skipped.slice(0, 2).map((text) => element("p", { class: "skipped" }, `Not read: ${text}`));
    if (skipped.length > 2) {
      notes.push(element("p", { class: "skipped" }, `and ${skipped.length - 2} more that are no deals`));
    }
    this.replaceChildren(element("ol", {}, ...items), ...notes);
  }
}

/** Fill an element with every board as it is printed: diagram and grid, one or two a page. */
export function printable(target, boards) {
  const pages = boards.map((board) => {
    const diagram = document.createElement("hand-diagram");
    const grid = document.createElement("trick-grid");
    diagram.show(board);
    grid.show(board.answer ?? null);
    return element("article", { class: "printed" }, diagram, grid);
  });
  target.replaceChildren(...pages);
}

customElements.define("board-list", BoardList);
