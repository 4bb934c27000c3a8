// Bundles the simulators in sim and runs them in Node.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { root, run } from "./workspace.mjs";

const PACKAGE = path.join(root, "packages", "framebatch");

/**
 * Bundles the simulator of the batcher.
 *
 * @param {string} outfile
 * @param {import("esbuild").Plugin[]} [plugins]
 */
export function bundleSimulator(outfile, plugins = []) {
  return bundleForNode(path.join(root, "sim", "batcher", "cli.ts"), outfile, plugins);
}

/**
 * Bundles a program of TypeScript into a file for Node.
 *
 * @param {string} entry
 * @param {string} outfile
 * @param {import("esbuild").Plugin[]} [plugins]
 */
export async function bundleForNode(entry, outfile, plugins = []) {
  const esbuild = createRequire(path.join(PACKAGE, "package.json"))("esbuild");
  await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    outfile,
    sourcemap: "inline",
    logLevel: "warning",
    plugins,
  });
}

/**
 * Returns the usage of a simulator: the text `HELP` of its program, which is not built yet.
 *
 * @param {"batcher" | "system"} owner
 */
export function usageOf(owner) {
  const file = path.join(root, "sim", owner, owner === "batcher" ? "" : "src", "cli.ts");
  const [, help] = /^const HELP = `([^`]*)`;$/m.exec(readFileSync(file, "utf8")) ?? [];
  if (help === undefined) throw new Error(`${file} has no text HELP.`);
  return `Usage: ${help}`;
}

/**
 * How V8 runs a simulator. A large young generation collects short-lived objects cheaply, and one thread collects: others work on
 * this machine. Of much code that runs a few times in each scenario, only what runs often is optimized, and nothing is dropped
 * that rests: a third of the time went into compiling.
 */
const V8_FLAGS = [
  "--max-semi-space-size=64",
  "--single-threaded-gc",
  "--interrupt-budget=300000",
  "--no-flush-bytecode",
];

/**
 * Runs a bundle, in the folder that the command was called in.
 *
 * @param {string} bundle
 * @param {readonly string[]} args
 * @param {import("./workspace.mjs").RunOptions} [options]
 */
export function runSimulator(bundle, args, options = {}) {
  return run(process.execPath, [...V8_FLAGS, bundle, ...args], {
    cwd: process.cwd(),
    ...options,
  });
}
