// Builds the site: one folder that any static host serves. The playground is its first page, the documentation is in
// docs/, the examples and guides that run are in examples/.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { addressOf, API, GROUPS } from "./src/contents.mjs";
import { linkResolver } from "./src/links.mjs";
import { highlighted, render } from "./src/markdown.mjs";
import { notFoundHtml } from "./src/not-found.mjs";
import { escape, pageHtml } from "./src/page.mjs";
import { RUNNABLE_PAGE, runnableModule } from "./src/runnable.mjs";
import { searchIndex } from "./src/search-index.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SITE = fileURLToPath(new URL("dist", import.meta.url));
const DOCS = path.join(SITE, "docs");

/** The path at which a host serves the site: "/framebatch/" where it is a folder of a domain. */
const BASE = process.env["FRAMEBATCH_SITE_BASE"] ?? "/";

rmSync(SITE, { recursive: true, force: true });
copyApplications();
await writeDocumentation();
await writeAssets();

/** The playground, the examples, and what the example without a bundler needs. */
function copyApplications() {
  const copies = [
    ["apps/playground/dist", ""],
    ["apps/examples/dist", "examples"],
    ["packages/framebatch/dist", "examples/framebatch"],
    ["models/digits/digits.onnx", "examples/models/digits.onnx"],
  ];
  const isForTypes = (/** @type {string} */ file) => /\.check$|\.d\.ts$|[/\\]development$/.test(file);
  for (const [from = "", to = ""] of copies) {
    cpSync(path.join(ROOT, from), path.join(SITE, to), { recursive: true, filter: (file) => !isForTypes(file) });
  }
}

async function writeDocumentation() {
  const links = linkResolver(ROOT);
  const guides = GROUPS.flatMap(({ title, sources }) => sources.map((source) => read(source, title, links)));
  const exports = markdownFilesIn(API).map((source) => read(source, undefined, links));
  const groups = navigationOf(guides);
  for (const [at, page] of guides.entries()) {
    write(page.address, pageHtml({ ...page, groups, ...neighbours(guides, at) }));
  }
  for (const page of exports) write(page.address, pageHtml({ ...page, groups }));
  writeSources(links, groups);
  writeNotFound(groups);
  write("assets/first-program.js", runnableModule(readFileSync(path.join(ROOT, RUNNABLE_PAGE), "utf8")));
  write("assets/search.json", searchIndex([...guides, ...exports]));
}

/**
 * @param {string} source
 * @param {string | undefined} group
 * @param {ReturnType<typeof linkResolver>} links
 */
function read(source, group, links) {
  const address = addressOf(source) ?? "";
  const text = readFileSync(path.join(ROOT, source), "utf8");
  const { html, sections } = render(text, links.of(source, address));
  const [heading] = sections;
  const title = (heading?.title ?? source).replace(/^(Interface|Class|Function|Type Alias): /, "").replace(/<.*>$/, "");
  return { source, group, address, html, sections, title };
}

/** @param {readonly ReturnType<typeof read>[]} guides */
function navigationOf(guides) {
  const exports = { title: "Every export", address: "api/index.html" };
  return GROUPS.map(({ title }) => {
    const pages = guides
      .filter(({ group }) => group === title)
      .map((page) => ({ title: page.title, address: page.address }));
    return { title, pages: title === "Reference" ? [...pages, exports] : pages };
  });
}

/**
 * @param {readonly ReturnType<typeof read>[]} guides
 * @param {number} at
 */
function neighbours(guides, at) {
  const [previous, next] = [guides[at - 1], guides[at + 1]];
  return { ...(previous !== undefined && { previous }), ...(next !== undefined && { next }) };
}

/**
 * Files that pages link to.
 *
 * @param {ReturnType<typeof linkResolver>} links
 * @param {ReturnType<typeof navigationOf>} groups
 */
function writeSources(links, groups) {
  const done = new Set();
  for (const file of links.shown) {
    if (done.has(file)) continue;
    done.add(file);
    if (/\.(svg|png)$/.test(file)) {
      copy(file, `source/${file}`);
      continue;
    }
    const address = `source/${file}.html`;
    const text = readFileSync(path.join(ROOT, file), "utf8");
    const html = file.endsWith(".md") ? render(text, links.of(file, address)).html : sourceHtml(file, text);
    write(address, pageHtml({ address, title: file, html, sections: [], groups }));
  }
}

/**
 * A host shows this page at any address that it does not have, so its links cannot be relative.
 *
 * @param {ReturnType<typeof navigationOf>} groups
 */
function writeNotFound(groups) {
  const root = `${BASE}docs/`;
  const address = "../404.html";
  write(address, pageHtml({ address, root, title: "No such page", html: notFoundHtml(root), sections: [], groups }));
}

/**
 * @param {string} file
 * @param {string} text
 */
function sourceHtml(file, text) {
  const language = path.extname(file).slice(1).replace("mjs", "js");
  return `<h1>${escape(path.basename(file))}</h1>\n<p><code>${escape(file)}</code></p>\n${highlighted(text, language)}`;
}

async function writeAssets() {
  const here = (/** @type {string} */ file) => fileURLToPath(new URL(`browser/${file}`, import.meta.url));
  await build({
    entryPoints: [here("site.js"), here("site.css")],
    outdir: path.join(DOCS, "assets"),
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022"],
    logLevel: "warning",
  });
}

/** @param {string} folder */
function markdownFilesIn(folder) {
  const names = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".md")).map((name) => path.posix.join(folder, name));
}

/**
 * @param {string} address
 * @param {string} content
 */
function write(address, content) {
  const file = path.join(DOCS, address);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/**
 * @param {string} file
 * @param {string} address
 */
function copy(file, address) {
  cpSync(path.join(ROOT, file), path.join(DOCS, address));
  if (!existsSync(path.join(DOCS, address))) throw new Error(`${file} was not copied`);
}
