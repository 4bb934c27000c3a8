import MiniSearch from "minisearch";
import { FIELDS } from "./search-fields.js";

const SHOWN = 12;
const EXCERPT = 120;
/** The most guides, if there are exports to show. */
const GUIDES = 8;
/** What weighs more is a page of the documentation; what weighs less is an export. */
const LIGHTEST_GUIDE = 1.3;

const root = document.documentElement.dataset["root"] ?? "";

/** @type {Promise<MiniSearch> | undefined} */
let loading;

/** Loads the index when the reader first goes to the field. */
function loadIndex() {
  loading ??= fetch(`${root}assets/search.json`)
    .then((response) => response.text())
    .then((text) => MiniSearch.loadJSON(text, FIELDS));
  return loading;
}

/** A field that finds pages and their parts, and a list of results that the arrow keys walk. */
export function offerSearch() {
  const input = document.querySelector('.search [role="combobox"]');
  const list = document.querySelector("#results");
  const status = document.querySelector('.search [role="status"]');
  if (!(input instanceof HTMLInputElement) || !(list instanceof HTMLElement) || status === null) return;
  const show = async () => {
    const text = input.value.trim();
    const found = text === "" ? [] : await find(text);
    if (input.value.trim() !== text) return;
    list.replaceChildren(...found.map(optionOf));
    status.textContent = text === "" ? "" : found.length === 0 ? "Nothing found" : `${found.length} found`;
    if (found.length === 0 && text !== "") list.replaceChildren(nothing());
    open(text !== "");
    select(0);
  };
  const open = (/** @type {boolean} */ isOpen) => {
    list.hidden = !isOpen;
    input.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) input.removeAttribute("aria-activedescendant");
  };
  const select = (/** @type {number} */ at) => {
    const options = [...list.querySelectorAll('[role="option"]')];
    for (const [index, option] of options.entries()) option.setAttribute("aria-selected", String(index === at));
    if (options[at] !== undefined) input.setAttribute("aria-activedescendant", options[at].id);
    options[at]?.scrollIntoView({ block: "nearest" });
  };
  input.addEventListener("focus", () => void loadIndex());
  input.addEventListener("input", () => void show());
  input.addEventListener("keydown", (event) => {
    const options = [...list.querySelectorAll('[role="option"]')];
    const at = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
    if (event.key === "Escape") open(false);
    else if (event.key === "ArrowDown") select(Math.min(at + 1, options.length - 1));
    else if (event.key === "ArrowUp") select(Math.max(at - 1, 0));
    else if (event.key === "Enter") options[at]?.querySelector("a")?.click();
    else return;
    event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    if (event.target instanceof Node && !list.contains(event.target) && event.target !== input) open(false);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    input.focus();
  });
}

/**
 * Guides come before the reference of exports, which still gets a part of the list.
 *
 * @param {string} text
 */
async function find(text) {
  const found = (await loadIndex()).search(text, {
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: "AND",
    boost: { title: 4, page: 2 },
    boostDocument: (_id, _term, stored) => Number(stored?.["weight"] ?? 1),
  });
  const isGuide = (/** @type {import("minisearch").SearchResult} */ { weight }) => weight > LIGHTEST_GUIDE;
  const guides = found.filter((result) => isGuide(result));
  const others = found.filter((result) => !isGuide(result));
  return [...guides.slice(0, Math.max(GUIDES, SHOWN - others.length)), ...others].slice(0, SHOWN);
}

/**
 * @param {import("minisearch").SearchResult} result
 * @param {number} at
 */
function optionOf(result, at) {
  const option = document.createElement("li");
  option.id = `result-${at}`;
  option.role = "option";
  const link = document.createElement("a");
  link.href = `${root}${result.id}`;
  link.tabIndex = -1;
  const title = document.createElement("strong");
  title.textContent = result["title"] === result["page"] ? result["title"] : `${result["page"]} › ${result["title"]}`;
  const text = document.createElement("span");
  text.textContent = excerpt(String(result["text"]), result.terms);
  link.append(title, text);
  option.append(link);
  return option;
}

function nothing() {
  const option = document.createElement("li");
  option.textContent = "Nothing found";
  option.role = "presentation";
  return option;
}

/**
 * @param {string} text
 * @param {readonly string[]} terms
 */
function excerpt(text, terms) {
  const at = Math.min(
    ...terms.map((term) => text.toLowerCase().indexOf(term)).filter((place) => place >= 0),
    text.length,
  );
  const from = at === text.length ? 0 : Math.max(0, text.lastIndexOf(" ", Math.max(0, at - 40)));
  return `${from > 0 ? "… " : ""}${text.slice(from, from + EXCERPT).trim()}${text.length > from + EXCERPT ? " …" : ""}`;
}
