// Markdown pages with generated parts. Each part is between a comment with its name and `<!-- end -->`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { readArguments } from "./arguments.mjs";
import { bin, Problem, root, run } from "./workspace.mjs";

/**
 * Reads the only argument of a command that writes pages, `--check`.
 *
 * @param {string} command
 * @returns {{ isCheck: boolean, remedy: string }}
 */
export function readCheck(command) {
  const usage = `Usage: ${command} [--check]\n  --check   writes nothing, and fails if a page is out of date`;
  const options = /** @type {const} */ ({ check: { type: "boolean", default: false } });
  return readArguments(usage, { options }, ({ values }) => ({ isCheck: values.check, remedy: command }));
}

/**
 * Generates a page's parts and writes the page. When it checks, it writes nothing and fails if the page is out of date.
 *
 * @param {string} page Path relative to the root of the repository.
 * @param {Readonly<Record<string, string>>} parts Markdown by the name of the part.
 * @param {{ isCheck: boolean, remedy: string }} how `remedy`: the command that updates the page.
 */
export async function fillPage(page, parts, { isCheck, remedy }) {
  const file = path.join(root, page);
  const before = readFileSync(file, "utf8");
  const after = await formatted(fill(page, before, parts));
  if (!isCheck) writeFileSync(file, after);
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
