import MiniSearch from "minisearch";
import { FIELDS } from "../browser/search-fields.js";

/**
 * An entry of the search.
 *
 * @typedef {object} Entry
 * @property {string} id its address under /docs/
 * @property {string} page the title of the page
 * @property {string} title the heading; that of the page for what comes before the second heading
 * @property {string} text
 * @property {number} weight guides come before the reference of exports
 */

/** The weight of each group's pages. What is not here is the reference of exports. */
const WEIGHTS = new Map([
  ["Start", 4],
  ["Guides", 4],
  ["Reference", 2.5],
  ["How it works", 1.5],
  ["Measurements", 1.5],
]);

/**
 * @param {readonly { address: string, title: string, group: string | undefined, sections: readonly import("./markdown.mjs").Section[] }[]} pages
 * @returns {string} the index as JSON
 */
export function searchIndex(pages) {
  const index = new MiniSearch(FIELDS);
  index.addAll(merged(pages.flatMap((page) => (page.group === undefined ? entriesOfExport(page) : entriesOf(page)))));
  return JSON.stringify(index);
}

/** @param {Parameters<typeof searchIndex>[0][number]} page */
function entriesOf({ address, title, group, sections }) {
  const weight = WEIGHTS.get(group ?? "") ?? 1;
  return sections.map((section) => ({
    id: section.level === 1 ? address : `${address}#${section.id}`,
    page: title,
    title: section.title,
    text: section.text,
    // What a page is about comes before a part of another page.
    weight: section.level === 1 ? weight * 1.5 : weight,
  }));
}

/**
 * An export and its members, without the headings below them ("Returns", "Example").
 *
 * @param {Parameters<typeof searchIndex>[0][number]} page
 */
function entriesOfExport({ address, title, sections }) {
  const [first, ...rest] = sections;
  if (first === undefined) return [];
  const members = rest.filter(({ level }) => level === 3);
  return [
    { id: address, page: title, title, text: first.text, weight: 1.2 },
    ...members.map(({ title: name, id, text }) => ({
      id: `${address}#${id}`,
      page: title,
      title: name,
      text,
      weight: 1,
    })),
  ];
}

/**
 * A member that several types have, with the same text, is one entry.
 *
 * @param {readonly Entry[]} entries
 */
function merged(entries) {
  const found = new Map();
  for (const entry of entries) {
    const key = `${entry.title} ${entry.text.slice(0, 80)}`;
    if (!found.has(key)) found.set(key, entry);
  }
  return [...found.values()];
}
