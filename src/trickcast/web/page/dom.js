// Small helpers to build elements; text is always text, never markup.

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
export function sign(strain, symbols, names) {
  return element(
    "span",
    { class: `strain strain-${strain}` },
    element("span", { "aria-hidden": "true" }, symbols[strain]),
    element("span", { class: "spoken" }, names[strain]),
  );
}

/** A share as people read it, the sign kept on its line: 43 %; 0 and 100 % are certain ones. */
export function percent(share) {
  if (share >= 0.995 && share < 1 - CERTAIN) return ">99\u00a0%";
  return share > CERTAIN && share < 0.005 ? "<1\u00a0%" : `${Math.round(100 * share)}\u00a0%`;
}
