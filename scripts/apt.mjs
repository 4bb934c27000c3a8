// Installs Debian packages.
import { existsSync } from "node:fs";
import { run } from "./workspace.mjs";

const OPTIONS = { quiet: true, env: { DEBIAN_FRONTEND: "noninteractive" } };

/** Whether this system is Debian, or derived from it. */
export function isDebian() {
  return existsSync("/etc/debian_version");
}

/**
 * Brings the list of packages up to date.
 *
 * @param {number} limitMs
 * @param {readonly string[]} asRoot the command that must precede `apt-get`; empty for root itself
 */
export function aptUpdate(limitMs, asRoot = []) {
  return apt(["update"], limitMs, asRoot);
}

/**
 * @param {readonly string[]} packages each with `=version` for an exact version
 * @param {number} limitMs
 * @param {readonly string[]} asRoot the command that must precede `apt-get`; empty for root itself
 */
export function aptInstall(packages, limitMs, asRoot = []) {
  return apt(["install", "--yes", "--no-install-recommends", ...packages], limitMs, asRoot);
}

/**
 * @param {readonly string[]} args
 * @param {number} limitMs
 * @param {readonly string[]} asRoot
 */
function apt(args, limitMs, asRoot) {
  const [command = "apt-get", ...rest] = [...asRoot, "apt-get", ...args];
  return run(command, rest, { ...OPTIONS, limitMs });
}
