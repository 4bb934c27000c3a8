import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./snippets.js";

const SITE = path.join(ROOT, "apps/site/dist");
const DOCS = path.join(SITE, "docs");

const pages = ["../404.html", ...readdirSync(DOCS, { recursive: true, encoding: "utf8" })].filter((name) =>
  name.endsWith(".html"),
);
const publication: { readonly isPublic: boolean; readonly repository: string; readonly npm: string } = JSON.parse(
  readFileSync(path.join(ROOT, "publication.json"), "utf8"),
);

const idsOf = new Map<string, ReadonlySet<string>>();

test("every link of the site leads to a page, and to a place on it if it names one", () => {
  expect(pages.length).toBeGreaterThan(100);
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link))
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test("before publication nothing leads to the repository, to npm or to CI; afterwards the README does", () => {
  const { isPublic, repository, npm } = publication;
  const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
  expect(readme.includes(repository)).toBe(isPublic);
  expect(readme.includes(npm)).toBe(isPublic);
  const leading = pages.filter((page) => linksOf(page).some((link) => link.startsWith(repository) || link === npm));
  expect(leading.length > 0).toBe(isPublic);
});

test("the page for missing addresses has no relative link, because it is shown at any address", () => {
  expect(linksOf("../404.html").filter((link) => !/^(?:\/|#|[a-z]+:)/.test(link))).toEqual([]);
});

test("every page of the documentation is in the list of pages, and the list leads to every guide", () => {
  const guides = readdirSync(path.join(ROOT, "docs/guides")).map((name) => name.replace(/\.md$/, ".html"));
  const first = linksOf("index.html");
  expect(guides.filter((guide) => !first.includes(`guides/${guide}`))).toEqual([]);
});

test("the list of headings on a page has their words as the page has them, code too", () => {
  const lists = pages.map((page) => ({ page, html: readFileSync(path.join(DOCS, page), "utf8") }));
  const wrong = lists.flatMap(({ page, html }) => {
    const [list = ""] = /<nav class="contents"[^]*?<\/nav>/.exec(html) ?? [];
    return [...list.matchAll(/<a href="#([^"]+)">([^<]*)<\/a>/g)]
      .filter(([, id = "", title]) => headingIn(html, id) !== title)
      .map(([, , title]) => `${page}: ${title}`);
  });
  expect(lists.filter(({ html }) => html.includes('class="contents"')).length).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
});

test("a page leads to each file that its programs import, or shows it, and says what the models of the repository are", () => {
  const guides = readdirSync(path.join(ROOT, "docs/guides"));
  const unexplained = guides.flatMap((guide) => {
    const text = readFileSync(path.join(ROOT, "docs/guides", guide), "utf8");
    const html = readFileSync(path.join(DOCS, "guides", guide.replace(/\.md$/, ".html")), "utf8");
    const beside = [...text.matchAll(/^import .*"\.\/([\w.-]+)";/gm)].map(([, name = ""]) =>
      name.replace(/\.js$/, ".ts"),
    );
    const isExplained = (name: string): boolean =>
      new RegExp(`file=\\S+/${name}\\b`).test(text) || new RegExp(`href="[^"]+/${name}\\.html"`).test(html);
    const usesModels = text.includes('"@framebatch/models/');
    return [
      ...beside.filter((name) => !isExplained(name)),
      ...(usesModels && !html.includes("put the address of your own model there") ? ["@framebatch/models"] : []),
    ].map((what) => `${guide}: ${what}`);
  });
  expect(unexplained).toEqual([]);
});

function headingIn(html: string, id: string): string | undefined {
  const start = html.indexOf(` id="${id}"`);
  const [, text] = />([^]*?)<\/h\d>/.exec(html.slice(start)) ?? [];
  return text?.replaceAll(/<[^>]+>/g, "");
}

function linksOf(page: string): string[] {
  const html = readFileSync(path.join(DOCS, page), "utf8");
  return [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = ""]) => link.replaceAll("&amp;", "&"));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [file = "", id] = link.split("#");
  const target = file === "" ? path.join(DOCS, page) : targetOf(page, file);
  const found = existsSync(target) && statSync(target).isDirectory() ? path.join(target, "index.html") : target;
  if (!existsSync(found) || !found.startsWith(SITE)) return false;
  return id === undefined || idsIn(found).has(decodeURIComponent(id));
}

/** Only the page for missing addresses has links from the root of the site. */
function targetOf(page: string, file: string): string {
  return file.startsWith("/") ? path.join(SITE, file) : path.resolve(DOCS, path.dirname(page), file);
}

function idsIn(file: string): ReadonlySet<string> {
  const known = idsOf.get(file);
  if (known !== undefined) return known;
  const ids = new Set([...readFileSync(file, "utf8").matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id));
  idsOf.set(file, ids);
  return ids;
}
