// How the page looks to whom: theme, colours of the suits, letters of the ranks. Kept in this browser.

const KEY = "settings";
const settings = { theme: "", colours: "four", ten: "T", language: "en", ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };

/** Ranks and suits as they are printed in each language. */
export const LANGUAGES = {
  en: { name: "English", ranks: "AKQJ", suits: ["spades", "hearts", "diamonds", "clubs"] },
  fr: { name: "français", ranks: "ARDV", suits: ["pique", "cœur", "carreau", "trèfle"] },
  de: { name: "Deutsch", ranks: "AKDB", suits: ["Pik", "Cœur", "Karo", "Treff"] },
  nl: { name: "Nederlands", ranks: "AHVB", suits: ["schoppen", "harten", "ruiten", "klaveren"] },
  pl: { name: "polski", ranks: "AKDW", suits: ["piki", "kiery", "kara", "trefle"] },
};

export const setting = (name) => settings[name];

/** Change a setting, and the page with it. */
export function set(name, value) {
  settings[name] = value;
  localStorage.setItem(KEY, JSON.stringify(settings));
  paint();
}

/** A rank as it is printed. */
export function rankText(rank) {
  if (rank === "T") return settings.ten;
  const place = "AKQJ".indexOf(rank);
  return place < 0 ? rank : (LANGUAGES[settings.language] ?? LANGUAGES.en).ranks[place];
}

export const suitName = (suit) => (LANGUAGES[settings.language] ?? LANGUAGES.en).suits[suit];

/** Put theme and colours on the page. */
export function paint() {
  const { classList, dataset } = document.documentElement;
  if (settings.theme) dataset.theme = settings.theme;
  else delete dataset.theme;
  classList.toggle("two-colours", settings.colours === "two");
}
