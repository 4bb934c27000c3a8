import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { aptInstall, aptUpdate, isDebian } from "../apt.mjs";
import { lastLines, run } from "../workspace.mjs";

/** @typedef {import("../../e2e/engines/browser.js").Browser} Browser */

/**
 * @typedef {object} Engine
 * @property {string} name
 * @property {readonly string[]} programs All programs that the engine needs. `|` separates alternative names.
 * @property {readonly string[]} packages The Debian packages that contain them.
 * @property {() => Promise<Record<string, string> | null>} [find] Finds the programs instead of a search along PATH.
 * @property {(paths: Readonly<Record<string, string>>) => Promise<Browser>} open
 */

const APT_LIMIT_MS = 300_000;

/**
 * Finds an engine's programs, and lists the missing ones.
 *
 * @param {Engine} engine
 * @returns {Promise<{ paths: Record<string, string>, missing: string[] }>}
 */
export async function locate({ programs, find }) {
  const known = (await find?.()) ?? {};
  const paths = {};
  const missing = [];
  for (const program of programs) {
    const found = known[program] ?? program.split("|").map(onPath).find(Boolean);
    if (found === undefined) missing.push(program.replaceAll("|", " or "));
    else paths[program] = found;
  }
  return { paths, missing };
}

/** @param {string} name */
function onPath(name) {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

/**
 * Installs Debian packages if it has the rights. Returns the reason if it could not, otherwise `null`.
 *
 * @param {readonly string[]} packages
 * @returns {Promise<string | null>}
 */
export async function installPackages(packages) {
  if (!isDebian()) return "this system is not Debian";
  const asRoot = await rights();
  if (asRoot === null) return "apt-get needs root, and sudo asks for a password";
  console.log(`Installing ${packages.join(", ")} …`);
  await aptUpdate(APT_LIMIT_MS, asRoot);
  const { code, output } = await aptInstall(packages, APT_LIMIT_MS, asRoot);
  return code === 0 ? null : lastLines(output, 3);
}

/** Returns the command that must precede `apt-get`; `null` if root is not available. */
async function rights() {
  if (process.getuid?.() === 0) return [];
  const { code } = await run("sudo", ["-n", "true"], { quiet: true, limitMs: 10_000 });
  return code === 0 ? ["sudo", "-n"] : null;
}
