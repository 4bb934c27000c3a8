// Markdown pages with generated parts. Each part is between a comment with its name and `<!-- end -->`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { bin, Problem, root, run } from "./workspace.mjs";

/**
 * Generates a page's parts and writes the page. With the argument `--check`, it writes nothing and fails if the page is
 * out of date.
 *
 * @param {string} page Path relative to the root of the repository.
 * @param {Readonly<Record<string, string>>} parts Markdown by the name of the part.
 * @param {string} remedy The command that updates the page.
 */
export async function fillPage(page, parts, remedy) {
  const file = path.join(root, page);
  const before = readFileSync(file, "utf8");
  const after = await formatted(fill(page, before, parts));
  if (!process.argv.includes("--check")) writeFileSync(file, after);
  else if (after !== before) throw new Problem(`${page} is out of date. Run: ${remedy}`);
}

/**
 * @param {string} page
 * @param {string} text
 * @param {Readonly<Record<string, string>>} parts
 */
function fill(page, text, parts) {
  let filled = text;
  for (const [name, lines] of Object.entries(parts)) {
    const place = new RegExp(`(<!-- ${name} -->\n)[^]*?(\n<!-- end -->)`);
    if (!place.test(filled)) throw new Problem(`${page} has no part "${name}". Add <!-- ${name} --> and <!-- end -->.`);
    filled = filled.replace(place, (_all, before, after) => `${before}\n${lines}\n${after}`);
  }
  return filled;
}

/** @param {string} text */
async function formatted(text) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "framebatch-page-"));
  try {
    const file = path.join(folder, "page.md");
    writeFileSync(file, text);
    const { code, output } = await run(bin("oxfmt"), ["--config", path.join(root, ".oxfmtrc.json"), file], {
      quiet: true,
    });
    if (code !== 0) throw new Problem(`oxfmt failed:\n${output}`);
    return readFileSync(file, "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
