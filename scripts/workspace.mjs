// What every command of the repository shares: it needs nothing but Node, since it runs before anything is installed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

const PNPM = "pnpm@12.21.0";
const INSTALL_LIMIT_MS = 6 * 60_000;
const NODE_MINIMUM = [20, 19];
const STAMP = path.join(root, "node_modules", ".framebatch-installed");

/** A failure that the person at the keyboard can mend: its message is all that is shown of it. */
export class Problem extends Error {}

/**
 * Runs a command of the repository. A `Problem` ends it with its sentence; anything else is a fault of the scripts
 * and keeps its stack.
 *
 * @param {() => Promise<void>} command
 */
export async function main(command) {
  try {
    checkNode();
    await command();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = NODE_MINIMUM;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new Problem(
    `Node.js ${NODE_MINIMUM.join(".")} or later is needed; this is ${process.versions.node}. Install a newer one from nodejs.org.`,
  );
}

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] Default: the root of the repository.
 * @property {Record<string, string | undefined>} [env] Added to this process's own.
 * @property {boolean} [quiet] Collects the output instead of showing it.
 * @property {number} [limitMs] Ends the command after this long. Default: no limit.
 */

/**
 * Runs a program to its end, without standard input. Never rejects: a program that cannot be started has code 127, and
 * one that took too long 124.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number, output: string }>} `output` is empty unless `quiet`
 */
export function run(command, args, { cwd = root, env = {}, quiet = false, limitMs } = {}) {
  return new Promise((resolve) => {
    const windows = process.platform === "win32";
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...(quiet && { NO_COLOR: "1" }), ...env },
      stdio: ["ignore", quiet ? "pipe" : "inherit", quiet ? "pipe" : "inherit"],
      shell: windows,
      // A group of its own, so that a time limit ends the grandchildren too.
      detached: !windows && limitMs !== undefined,
    });
    const chunks = [];
    let late = false;
    const timer =
      limitMs === undefined
        ? undefined
        : setTimeout(() => {
            late = true;
            kill(child);
          }, limitMs);
    const finish = (/** @type {number} */ code) => {
      clearTimeout(timer);
      resolve({ code, output: Buffer.concat(chunks).toString() });
    };
    child.stdout?.on("data", (chunk) => chunks.push(chunk));
    child.stderr?.on("data", (chunk) => chunks.push(chunk));
    child.on("error", (error) => {
      chunks.push(Buffer.from(error.message));
      finish(127);
    });
    child.on("close", (code) => finish(late ? 124 : (code ?? 1)));
  });
}

/** @param {import("node:child_process").ChildProcess} child */
function kill(child) {
  try {
    if (process.platform === "win32" || child.pid === undefined) child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // It ended by itself in the meantime.
  }
}

/**
 * Path of a program that a workspace package installed.
 *
 * @param {string} name
 */
export function bin(name) {
  return path.join(root, "node_modules", ".bin", process.platform === "win32" ? `${name}.cmd` : name);
}

/**
 * The pinned pnpm, fetched by npx where it is not there yet.
 *
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 */
export function pnpm(args, options = {}) {
  const env = { ...options.env, npm_config_update_notifier: "false" };
  return run("npx", ["--yes", "--loglevel=error", PNPM, ...args], { ...options, env });
}

/** Installs every dependency, unless what is installed is already what the lockfile asks for. */
export async function ensureInstalled() {
  const wanted = fingerprint();
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === wanted) return;
  console.log("Installing dependencies …");
  const args = ["install", "--frozen-lockfile", "--reporter=append-only", "--config.confirmModulesPurge=false"];
  const { code, output } = await pnpm(args, { quiet: true, limitMs: INSTALL_LIMIT_MS });
  if (code !== 0) throw new Problem(installFailure(code, output));
  writeFileSync(STAMP, wanted);
}

/** Changes whenever the dependencies may have: the lockfile, any package.json, or the Node that they were chosen for. */
function fingerprint() {
  const files = ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json", ...packageFiles()];
  const hash = createHash("sha256").update(`${process.version} ${process.platform} ${process.arch} ${PNPM}`);
  for (const file of files) hash.update(readFileSync(path.join(root, file)));
  return hash.digest("hex");
}

function packageFiles() {
  const groups = ["packages", "apps"].flatMap((group) =>
    readdirSync(path.join(root, group)).map((name) => path.join(group, name)),
  );
  return [...groups, "models", "e2e"]
    .map((folder) => path.join(folder, "package.json"))
    .filter((file) => existsSync(path.join(root, file)));
}

/**
 * @param {number} code
 * @param {string} output
 */
function installFailure(code, output) {
  const said = lastLines(output, 6);
  if (code === 124)
    return `Installing took longer than ${INSTALL_LIMIT_MS / 60_000} minutes and was stopped. It said:\n${said}`;
  if (code === 127) return "npx was not found. It comes with Node.js: install Node.js from nodejs.org, with npm.";
  const [unreachable] =
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET|META_FETCH_FAIL/.exec(output) ?? [];
  if (unreachable !== undefined) {
    return `The npm registry could not be reached (${unreachable}), and the dependencies are not all here yet. Connect to the network, or set npm's proxy or registry, and try again.`;
  }
  return `The dependencies could not be installed. pnpm said:\n${said}`;
}

/**
 * @param {string} text
 * @param {number} count
 */
export function lastLines(text, count) {
  return text.trim().split("\n").slice(-count).join("\n");
}

/**
 * The time since then, for people.
 *
 * @param {number} startedAtMs of `performance.now()`
 */
export function since(startedAtMs) {
  return `${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`;
}

/** Builds every package, each after those that it depends on. */
export async function ensureBuilt() {
  console.log("Building …");
  const { code, output } = await buildAll();
  if (code !== 0) throw new Problem(`The build failed. It said:\n${lastLines(output, 40)}`);
}

/** @param {RunOptions} [options] */
export function buildAll(options = {}) {
  return pnpm(["--recursive", "--workspace-concurrency=1", "run", "build"], { quiet: true, ...options });
}
