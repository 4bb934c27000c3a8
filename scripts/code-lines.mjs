// Counts the code lines of folders: no blank line, no line that holds only a comment. Tests do not count.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "./arguments.mjs";
import { main, Problem } from "./workspace.mjs";

const USAGE = "Usage: node scripts/code-lines.mjs FOLDER …";

await main(async () => {
  const folders = readArguments(USAGE, { allowPositionals: true }, ({ positionals }) => {
    if (positionals.length === 0) throw new Problem("Expected at least one folder, got none.");
    return positionals;
  });
  const counts = folders.map((folder) => ({ folder, lines: linesIn(folder) }));
  for (const { folder, lines } of counts) console.log(`${String(lines).padStart(6)}  ${folder}`);
  console.log(`${String(counts.reduce((sum, { lines }) => sum + lines, 0)).padStart(6)}  in all`);
});

/** @param {string} path a folder or a file; one that does not exist has no lines */
function linesIn(path) {
  const kind = statSync(path, { throwIfNoEntry: false });
  if (kind === undefined) return 0;
  if (kind.isFile()) return isSource(path) ? codeLinesOf(readFileSync(path, "utf8")) : 0;
  /** @type {number} */
  let lines = 0;
  for (const name of readdirSync(path)) lines += linesIn(join(path, name));
  return lines;
}

/** @param {string} path */
function isSource(path) {
  return /\.m?[jt]sx?$/.test(path) && !/\.test\.[jt]s$/.test(path);
}

/** @param {string} text */
function codeLinesOf(text) {
  let isComment = false;
  return text.split("\n").filter((line) => {
    const trimmed = line.trim();
    if (trimmed.startsWith("/*")) isComment = true;
    const isCode = trimmed !== "" && !isComment && !trimmed.startsWith("//");
    if (trimmed.endsWith("*/")) isComment = false;
    return isCode;
  }).length;
}
