// Functions that all commands of the repository share. They need only Node, because they run before the dependencies
// are installed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

const PNPM = "pnpm@12.21.0";
const INSTALL_LIMIT_MS = 6 * 60_000;
const NODE_MINIMUM = [20, 19];
/** What ends a command, with its exit code then. */
const SIGNALS = /** @type {const} */ ([
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
]);
const STAMP = path.join(root, "node_modules", ".framebatch-installed");

/** A failure that the developer can fix. Commands print only its message, without a stack. */
export class Problem extends Error {}

/**
 * Runs a command of the repository. If it throws a `Problem`, prints the message. Any other error is a bug in the
 * scripts and is thrown again, with its stack.
 *
 * @param {() => Promise<void>} command
 */
export async function main(command) {
  // A library that has started a browser takes these signals for itself, and lets this process go on after SIGTERM.
  for (const [signal, code] of SIGNALS) process.once(signal, () => process.exit(code));
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
    `Node.js ${NODE_MINIMUM.join(".")} or later is required; this is ${process.versions.node}. Install a newer version from nodejs.org.`,
  );
}

/** The programs that run. @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
process.on("exit", () => {
  for (const child of running) kill(child);
});

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] Default: the root of the repository.
 * @property {Record<string, string | undefined>} [env] Added to the environment of this process.
 * @property {boolean} [quiet] Collects the output instead of printing it.
 * @property {number} [limitMs] Kills the command after this time. Default: no limit.
 * @property {boolean} [background] Leaves the processor to others that want it.
 */

/** @param {import("node:child_process").ChildProcess} child */
function lower({ pid }) {
  try {
    if (pid !== undefined) os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}

/**
 * Runs a program to its end, without standard input. Never rejects: the code is 127 if the program cannot be started,
 * and 124 if it exceeds the time limit.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number, output: string }>} `output` is empty unless `quiet`
 */
export function run(command, args, { cwd = root, env = {}, quiet = false, limitMs, background = false } = {}) {
  return new Promise((resolve) => {
    const windows = process.platform === "win32";
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...(quiet && { NO_COLOR: "1" }), ...env },
      stdio: ["ignore", quiet ? "pipe" : "inherit", quiet ? "pipe" : "inherit"],
      shell: windows,
      // Its own process group, so that its descendants end with it.
      detached: !windows && limitMs !== undefined,
    });
    // Those that it starts inherit it.
    if (background) lower(child);
    const chunks = [];
    let late = false;
    const timer =
      limitMs === undefined
        ? undefined
        : setTimeout(() => {
            late = true;
            kill(child);
          }, limitMs);
    running.add(child);
    const finish = (/** @type {number} */ code) => {
      clearTimeout(timer);
      running.delete(child);
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
    // It has ended already, or has no group of its own.
    child.kill();
  }
}

/**
 * Returns the path of an installed program.
 *
 * @param {string} name
 */
export function bin(name) {
  return path.join(root, "node_modules", ".bin", process.platform === "win32" ? `${name}.cmd` : name);
}

/**
 * Runs the pinned version of pnpm. npx downloads it if necessary.
 *
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 */
export function pnpm(args, options = {}) {
  const env = { ...options.env, npm_config_update_notifier: "false" };
  return run("npx", ["--yes", "--loglevel=error", PNPM, ...args], { ...options, env });
}

/** Installs the dependencies, unless those of the lockfile are already installed. */
export async function ensureInstalled() {
  const wanted = fingerprint();
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === wanted) return;
  console.log("Installing dependencies …");
  const args = ["install", "--frozen-lockfile", "--reporter=append-only", "--config.confirmModulesPurge=false"];
  const { code, output } = await pnpm(args, { quiet: true, limitMs: INSTALL_LIMIT_MS });
  if (code !== 0) throw new Problem(installFailure(code, output));
  writeFileSync(STAMP, wanted);
}

/**
 * Returns a hash that changes when the dependencies may change: the lockfile, any package.json, or the version of Node.
 */
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
  return [...groups, "models", "e2e", "sim"]
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
    return `The installation took longer than ${INSTALL_LIMIT_MS / 60_000} minutes and was stopped. The end of its output:\n${said}`;
  if (code === 127) return "npx was not found. It comes with Node.js: install Node.js from nodejs.org, with npm.";
  const [unreachable] =
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET|META_FETCH_FAIL/.exec(output) ?? [];
  if (unreachable !== undefined) {
    return `The npm registry could not be reached (${unreachable}), and not all dependencies are installed. Connect to the network, or set npm's proxy or registry, and try again.`;
  }
  return `The dependencies could not be installed. The end of pnpm's output:\n${said}`;
}

/**
 * @param {string} text
 * @param {number} count
 */
export function lastLines(text, count) {
  return text.trim().split("\n").slice(-count).join("\n");
}

/**
 * Runs an action with an empty folder outside the repository, and deletes the folder.
 *
 * @template Result
 * @param {(folder: string) => Promise<Result>} action
 */
export async function withTemporaryFolder(action) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "framebatch-"));
  try {
    return await action(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Returns the time since `startedAtMs` as text, in seconds.
 *
 * @param {number} startedAtMs a value of `performance.now()`
 */
export function since(startedAtMs) {
  return `${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`;
}

/** Builds every package, after the packages that it depends on. */
export async function ensureBuilt() {
  console.log("Building …");
  const { code, output } = await buildAll();
  if (code !== 0) throw new Problem(`The build failed. The end of its output:\n${lastLines(output, 40)}`);
}

/** @param {RunOptions} [options] */
export function buildAll(options = {}) {
  return pnpm(["--recursive", "--workspace-concurrency=2", "run", "build"], { quiet: true, ...options });
}
