// Counts the words of the documentation's pages, without their blocks of code.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { GROUPS } from "../apps/site/src/contents.mjs";
import { readArguments } from "./arguments.mjs";
import { main, Problem, root } from "./workspace.mjs";

const CODE = /^( *)```[^]*?^\1```$/gm;

const USAGE = `Usage: node scripts/docs-words.mjs [COMMIT]
  COMMIT   counts the pages as they were there`;

await main(async () => {
  const commit = readArguments(USAGE, { allowPositionals: true }, ({ positionals: [given, ...others] }) => {
    if (others.length > 0) throw new Problem(`Expected one commit, got ${others.length + 1}.`);
    if (given !== undefined) checkCommit(given);
    return given;
  });
  const pages = GROUPS.flatMap(({ sources }) => sources);
  const counts = pages.map((page) => wordsIn(textOf(page, commit)));
  for (const [at, page] of pages.entries()) console.log(String(counts[at]).padStart(6), page);
  console.log(String(counts.reduce((sum, count) => sum + count, 0)).padStart(6), `words on ${pages.length} pages`);
});

/** @param {string} commit */
function checkCommit(commit) {
  try {
    execFileSync("git", ["rev-parse", "--verify", "--quiet", `${commit}^{commit}`], { cwd: root });
  } catch {
    throw new Problem(`COMMIT: expected a commit of this repository, got "${commit}".`);
  }
}

/**
 * @param {string} page
 * @param {string | undefined} commit
 */
function textOf(page, commit) {
  if (commit === undefined) return readFileSync(path.join(root, page), "utf8");
  return execFileSync("git", ["show", `${commit}:${page}`], { cwd: root, encoding: "utf8" });
}

/** What is between spaces, as `wc -w` counts: the bars of tables too. @param {string} text */
function wordsIn(text) {
  return text.replaceAll(CODE, "").split(/\s+/).filter(Boolean).length;
}
