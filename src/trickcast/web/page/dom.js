// Small helpers to build elements; text is always text, never markup.

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
export function sign(strain, symbols, names) {
  return element(
    "span",
    { class: `strain strain-${strain}` },
    element("span", { "aria-hidden": "true" }, symbols[strain]),
    element("span", { class: "spoken" }, names[strain]),
  );
}

/** A share as people read it, the sign kept on its line: 43 %. */
export const percent = (share) => `${Math.round(100 * share)}\u00a0%`;
