// Generates the tables of docs/what-can-go-wrong.md from the tables of the browser tests (e2e/tables) and from the list
// of error codes.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { fillPage, readCheck } from "./filled-page.mjs";
import { ensureInstalled, main, Problem, root } from "./workspace.mjs";

const TABLES = path.join(root, "e2e", "tables");
const CODES = path.join(root, "packages", "batcher", "src", "errors", "error-codes.ts");

/** @type {Readonly<Record<import("../packages/batcher/src/errors/error-codes.js").ErrorTraits["retry"], string>>} */
const TRY_AGAIN = {
  never: "no",
  passing: "yes (tried three times)",
  byStatus: "408, 425, 429, most of 5xx (tried three times)",
  ifBusy: "as `MODEL_STATUS`, but not 500",
  once: "no (tried twice)",
  byCaller: "yes",
  online: "once online",
  restart: "`model.restart()` (new workers tried)",
  later: "at a lower load",
};

await main(async () => {
  const how = readCheck("node scripts/what-can-go-wrong.mjs");
  await ensureInstalled();
  const folder = mkdtempSync(path.join(os.tmpdir(), "framebatch-docs-"));
  try {
    await fillPage("docs/what-can-go-wrong.md", await tables(folder), how);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/**
 * Returns the Markdown of each table, by the name of its placeholder in the page.
 *
 * @param {string} folder
 * @returns {Promise<Record<string, string>>}
 */
async function tables(folder) {
  const [{ downloadFaults }, { cacheFaults }] = await Promise.all(
    ["download-faults", "cache-faults"].map((name) => load(folder, path.join(TABLES, `${name}.ts`))),
  );
  return {
    codes: table(["Code", "What it means", "Try again?"], await errorCodes(folder)),
    downloads: table(
      ["What goes wrong", "Code", "What to do", "Older copy in the cache"],
      merged(downloadFaults.map(({ fault, code, advice, cached }) => [sentence(fault), quoted(code), advice, cached])),
    ),
    cache: table(
      ["What goes wrong", "Event", "What to do"],
      merged(cacheFaults.map(({ fault, code, advice }) => [sentence(fault), quoted(code), advice])),
    ),
  };
}

/**
 * Makes one row of those that differ in their first cell only.
 *
 * @param {string[][]} rows
 */
function merged(rows) {
  /** @type {Map<string, string[]>} */
  const kept = new Map();
  for (const [fault = "", ...rest] of rows) {
    const key = rest.join();
    const before = kept.get(key);
    kept.set(key, [before === undefined ? fault : `${before[0]}. ${fault}`, ...rest]);
  }
  return [...kept.values()];
}

/**
 * @param {string} folder
 * @param {string} file
 */
async function load(folder, file) {
  const esbuild = createRequire(path.join(root, "packages", "framebatch", "package.json"))("esbuild");
  const outfile = path.join(folder, `${path.basename(file, ".ts")}.mjs`);
  await esbuild.build({ entryPoints: [file], bundle: true, format: "esm", outfile, logLevel: "warning" });
  return import(pathToFileURL(outfile).href);
}

/**
 * Returns one row for each code: the code, the docstring in the source, and the advice on retries.
 *
 * @param {string} folder
 */
async function errorCodes(folder) {
  /** @type {{ ERRORS: Record<string, { retry: keyof typeof TRY_AGAIN }> }} */
  const { ERRORS } = await load(folder, CODES);
  const source = readFileSync(CODES, "utf8");
  const entries = [...source.matchAll(/\/\*\*([^/]*?)\*\/\s*([A-Z_]+): \{/g)];
  const meanings = new Map(entries.map(([, comment = "", code = ""]) => [code, inOneLine(comment)]));
  for (const [code, meaning] of meanings) checkListed(code, meaning, source);
  return Object.entries(ERRORS).map(([code, { retry }]) => [quoted(code), meanings.get(code) ?? "", TRY_AGAIN[retry]]);
}

/**
 * Fails if the docstring of `ErrorCode`, which editors show, does not have a code, or says of it something else than its entry.
 *
 * @param {string} code
 * @param {string} meaning
 * @param {string} source
 */
function checkListed(code, meaning, source) {
  const [, listed = ""] = new RegExp(`^ \\* - \`${code}\`: (.*(?:\\n \\* {3}.*)*)`, "m").exec(source) ?? [];
  if (listed !== "" && meaning.startsWith(inOneLine(listed))) return;
  const [first] = meaning.split(/(?<=\.) /, 1);
  throw new Problem(`error-codes.ts: expected in the docstring of ErrorCode: - \`${code}\`: ${first}`);
}

/** @param {string} comment */
function inOneLine(comment) {
  return comment.replaceAll(/\s*\n\s*\*?\s*/g, " ").trim();
}

/**
 * @param {string[]} head
 * @param {string[][]} rows
 */
function table(head, rows) {
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`)).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map((row) => line(row.map(asText)))].join("\n");
}

/** Escapes Markdown, so that messages appear verbatim. Text in backticks stays code. @param {string} text */
function asText(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "&lt;").replaceAll(/[_*]/g, String.raw`\$&`)))
    .join("");
}

/** @param {string} text */
function sentence(text) {
  return text.replace(/\.$/, "");
}

/** @param {string | null} code */
function quoted(code) {
  return code === null ? "none" : `\`${code}\``;
}
