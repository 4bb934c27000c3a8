import { publication } from "./publication.mjs";

/**
 * @typedef {object} Page
 * @property {string} address under /docs/
 * @property {string} [root] the address of /docs/, which links begin with; default: relative to the page
 * @property {string} title
 * @property {string} html
 * @property {readonly import("./markdown.mjs").Section[]} sections
 * @property {readonly { title: string, pages: readonly { title: string, address: string }[] }[]} groups the navigation
 * @property {{ title: string, address: string }} [previous]
 * @property {{ title: string, address: string }} [next]
 */

/**
 * Returns a page of the documentation as HTML.
 *
 * @param {Page} page
 */
export function pageHtml(page) {
  const root = page.root ?? "../".repeat(page.address.split("/").length - 1);
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${escape(page.title)} · framebatch</title>
<link rel="icon" href="${root}../icon.svg" type="image/svg+xml" />
<link rel="stylesheet" href="${root}assets/site.css" />
<script>
try { const theme = localStorage.getItem("framebatch-theme"); if (theme) document.documentElement.dataset.theme = theme; } catch {}
</script>
<script type="module" src="${root}assets/site.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
${masthead(root)}
<div class="layout">
${navigation(page, root)}
<main id="content">
<article${page.address === "index.html" ? " data-run" : ""}>
${page.html}
</article>
${neighbours(page, root)}
</main>
${contents(page)}
</div>
</body>
</html>
`;
}

/** @param {string} root */
function masthead(root) {
  const { isPublic, repository } = publication;
  return `<header class="masthead">
<a class="wordmark" href="${root}index.html"><svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" /><path d="M8 10h16M8 16h16M8 22h9" /></svg>framebatch <span>docs</span></a>
<search class="search">
<input type="search" role="combobox" aria-label="Search" aria-expanded="false" aria-controls="results" aria-autocomplete="list" placeholder="Search" autocomplete="off" spellcheck="false" />
<ul id="results" role="listbox" aria-label="Results" hidden></ul>
<p class="visually-hidden" role="status"></p>
</search>
<nav class="masthead-links" aria-label="About framebatch">
<a href="${root}../index.html">Playground</a>
${isPublic ? `<a href="${repository}">GitHub</a>` : ""}
</nav>
<fieldset class="segments"><legend class="visually-hidden">Theme</legend>
${["system", "light", "dark"].map(themeChoice).join("\n")}
</fieldset>
</header>`;
}

/** @param {string} theme */
function themeChoice(theme) {
  const label = theme === "system" ? "Auto" : `${theme[0]?.toUpperCase()}${theme.slice(1)}`;
  return `<label class="segment"><input type="radio" name="theme" value="${theme}" /><span>${label}</span></label>`;
}

/**
 * @param {Page} page
 * @param {string} root
 */
function navigation({ groups, address }, root) {
  const item = (/** @type {{ title: string, address: string }} */ entry) =>
    `<li><a href="${root}${entry.address}"${entry.address === address ? ' aria-current="page"' : ""}>${escape(entry.title)}</a></li>`;
  const lists = groups.map(
    ({ title, pages }) => `<h2>${title}</h2>\n<ul>\n${pages.map((entry) => item(entry)).join("\n")}\n</ul>`,
  );
  return `<nav class="pages" aria-label="Pages"><details open><summary>All pages</summary>\n${lists.join("\n")}\n</details></nav>`;
}

/**
 * @param {Page} page
 * @param {string} root
 */
function neighbours({ previous, next }, root) {
  if (previous === undefined && next === undefined) return "";
  const link = (/** @type {Page["next"]} */ page, /** @type {string} */ word) =>
    page === undefined
      ? "<span></span>"
      : `<a rel="${word === "Next" ? "next" : "prev"}" href="${root}${page.address}"><small>${word}</small> ${escape(page.title)}</a>`;
  return `<nav class="neighbours" aria-label="Previous and next">${link(previous, "Previous")}${link(next, "Next")}</nav>`;
}

/** @param {Page} page */
function contents({ sections }) {
  const shown = sections.filter(({ level }) => level === 2);
  if (shown.length < 2) return "";
  const items = shown.map(({ id, title }) => `<li><a href="#${id}">${escape(title)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2>\n<ul>\n${items.join("\n")}\n</ul></nav>`;
}

/** @param {string} text */
export function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
