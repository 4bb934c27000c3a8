// Installs packages from PyPI into virtual environments in .servers.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { lastLines, Problem, root, run } from "./workspace.mjs";

const INSTALL_LIMIT_MS = 10 * 60_000;

/** Returns the folder with the programs of an environment. @param {string} name */
export function binOf(name) {
  return path.join(root, ".servers", name, "bin");
}

/**
 * Creates an environment with the packages that a file requires, unless it has these versions already.
 *
 * @param {string} name
 * @param {string} requirementsFile
 */
export async function installPython(name, requirementsFile) {
  const folder = path.join(root, ".servers", name);
  const stamp = path.join(folder, "installed.txt");
  const wanted = readFileSync(requirementsFile, "utf8");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.log(`Installing ${name} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await succeed("python3", ["-m", "venv", folder]);
  await succeed(path.join(folder, "bin", "pip"), ["install", "--quiet", "--prefer-binary", "-r", requirementsFile]);
  writeFileSync(stamp, wanted);
}

/** @param {string} command @param {readonly string[]} args */
async function succeed(command, args) {
  const { code, output } = await run(command, args, { quiet: true, limitMs: INSTALL_LIMIT_MS });
  if (code !== 0) throw new Problem(`${command} failed. The end of its output:\n${lastLines(output, 6)}`);
}
