import MarkdownIt from "markdown-it";
import { createHighlighter } from "shiki";
import { importNotes } from "./program-imports.mjs";

const LANGUAGES = ["ts", "tsx", "js", "html", "css", "json", "sh", "vue", "svelte", "python", "yaml"];
const THEMES = { light: "github-light-default", dark: "github-dark-default" };

const highlighter = await createHighlighter({ themes: Object.values(THEMES), langs: LANGUAGES });

/**
 * A part of a page, for the search and for the list of contents.
 *
 * @typedef {object} Section
 * @property {string} title
 * @property {string} id the anchor; empty for what comes before the second heading
 * @property {number} level
 * @property {string} text
 */

/** A cell with more characters than this is read as a text, so its column must not become as narrow as a word. */
const SENTENCE = 50;

/**
 * Renders Markdown.
 *
 * @param {string} text
 * @param {(target: string) => string | undefined} resolve returns the address that a link leads to, or `undefined` if it
 *   leads nowhere; the link's text then stays
 * @returns {{ html: string, sections: Section[] }}
 */
export function render(text, resolve) {
  const markdown = new MarkdownIt({ html: true, highlight: (code, language, info) => marked(code, language, info) });
  // A wide table scrolls in itself, by keyboard too.
  markdown.renderer.rules["table_open"] = () => '<div class="scroll" tabindex="0"><table>\n';
  markdown.renderer.rules["table_close"] = () => "</table></div>\n";
  markdown.renderer.rules["td_open"] = (parts, at) =>
    (parts[at + 1]?.content.length ?? 0) > SENTENCE ? '<td class="sentence">' : "<td>";
  // On phones, the name of a type breaks before its parameters, not inside a word, and an interval not at all.
  markdown.renderer.rules.text = (parts, at) =>
    markdown.utils
      .escapeHtml(parts[at]?.content ?? "")
      .replaceAll("&lt;", "<wbr>&lt;")
      .replaceAll(/(?<=\d)–(?=\d)/g, "&NoBreak;–&NoBreak;");
  const tokens = markdown.parse(text, {});
  const sections = nameHeadings(tokens);
  resolveLinks(tokens, resolve);
  noteImports(markdown, importNotes(tokens, resolve));
  return { html: markdown.renderer.render(tokens, markdown.options, {}), sections };
}

/**
 * @param {string} code
 * @param {string} language
 */
export function highlighted(code, language) {
  const lang = LANGUAGES.includes(language) ? language : "text";
  return highlighter.codeToHtml(code.trimEnd(), { lang, themes: THEMES, defaultColor: "light-dark()" });
}

/**
 * Marks a program that runs (`ts run`).
 *
 * @param {string} code
 * @param {string} language
 * @param {string} info what follows the language
 */
function marked(code, language, info) {
  const html = highlighted(code, language);
  return info.trim() === "run" ? html.replace('class="shiki', 'class="runs shiki') : html;
}

/**
 * @param {MarkdownIt} markdown
 * @param {ReturnType<typeof importNotes>} noteOf
 */
function noteImports({ renderer }, noteOf) {
  const code = renderer.rules.fence;
  renderer.rules.fence = (tokens, at, ...rest) => {
    const token = tokens[at];
    return `${code?.(tokens, at, ...rest) ?? ""}${token === undefined ? "" : noteOf(token)}`;
  };
}

/** @param {import("markdown-it").Token[]} tokens */
function nameHeadings(tokens) {
  /** @type {Section[]} */
  const sections = [];
  const taken = new Map();
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const title = plainText(tokens[index + 1]);
      const id = uniqueSlug(title, taken);
      token.attrSet("id", id);
      sections.push({ title, id, level: Number(token.tag.slice(1)), text: "" });
    } else if (token.type === "inline" && tokens[index - 1]?.type !== "heading_open") {
      const section = sections.at(-1);
      if (section !== undefined) section.text += `${plainText(token)} `;
    }
  }
  return sections;
}

/** @param {import("markdown-it").Token | undefined} token */
function plainText(token) {
  const parts = token?.children ?? [];
  return parts
    .filter(({ type }) => type === "text" || type === "code_inline" || type === "softbreak" || type === "text_special")
    .map(({ type, content }) => (type === "softbreak" ? " " : content))
    .join("");
}

/**
 * The anchor that GitHub gives to a heading.
 *
 * @param {string} title
 * @param {Map<string, number>} taken
 */
function uniqueSlug(title, taken) {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
  const count = taken.get(slug) ?? 0;
  taken.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

/**
 * @param {import("markdown-it").Token[]} tokens
 * @param {(target: string) => string | undefined} resolve
 */
function resolveLinks(tokens, resolve) {
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const name = token.type === "image" ? "src" : "href";
    if (token.type !== "link_open" && token.type !== "image") continue;
    const address = resolve(token.attrGet(name) ?? "");
    if (address === undefined) token.attrs = null;
    else token.attrSet(name, address);
  }
}
