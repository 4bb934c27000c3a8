// Counts the words of the documentation's pages, without their blocks of code. Usage: node scripts/docs-words.mjs [COMMIT].
// With a commit, it counts the pages as they were there.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { GROUPS } from "../apps/site/src/contents.mjs";
import { main, root } from "./workspace.mjs";

const CODE = /^( *)```[^]*?^\1```$/gm;

await main(async () => {
  const [, , commit] = process.argv;
  const pages = GROUPS.flatMap(({ sources }) => sources);
  const counts = pages.map((page) => wordsIn(textOf(page, commit)));
  for (const [at, page] of pages.entries()) console.log(String(counts[at]).padStart(6), page);
  console.log(String(counts.reduce((sum, count) => sum + count, 0)).padStart(6), `words on ${pages.length} pages`);
});

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
