import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { aptInstall, aptUpdate, isDebian } from "./apt.mjs";
import { bin, lastLines, Problem, run } from "./workspace.mjs";

const VERSION_LIMIT_MS = 30_000;
const DOWNLOAD_LIMIT_MS = 150_000;
const APT_LIMIT_MS = 240_000;
const HEADLESS_SHELL_NAMES = ["chromium-headless-shell", "chrome-headless-shell"];
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const USUAL_PLACES = [
  "/usr/bin",
  "/usr/local/bin",
  "/opt/google/chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Chromium has no sandbox for root. */
export const SANDBOX_FLAGS = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

/**
 * Finds a Chromium that starts, or installs one. The order is: the one in `FRAMEBATCH_CHROMIUM`, Playwright's, the
 * system's, a download by Playwright, Debian's package. Requires that the dependencies are installed.
 *
 * @returns {Promise<string>} its path
 */
export async function findChromium() {
  const found =
    (await named("FRAMEBATCH_CHROMIUM")) ??
    (await playwrights()) ??
    (await systems(NAMES)) ??
    (await downloaded()) ??
    (await fromApt());
  if (found !== undefined) return found;
  throw new Problem(
    "Chromium was not found and could not be installed. Install Chromium or Google Chrome, or set FRAMEBATCH_CHROMIUM to its path.",
  );
}

/** @param {string} variable the environment variable that may name the program */
async function named(variable) {
  const file = process.env[variable];
  if (file === undefined || file === "") return undefined;
  if (!existsSync(file))
    throw new Problem(`${variable} is ${file}, which does not exist. Set it to the path of a browser, or unset it.`);
  if (await starts(file)) return file;
  throw new Problem(
    `${variable} is ${file}, which does not start. Set it to the path of a working browser, or unset it.`,
  );
}

async function playwrights() {
  const { chromium } = await import("@playwright/test");
  return firstThatStarts([chromium.executablePath()]);
}

/** @param {readonly string[]} names file names of the program */
function systems(names) {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const candidates = [...folders, ...USUAL_PLACES.filter((place) => !place.includes(".app"))]
    .flatMap((folder) => names.map((name) => path.join(folder, name)))
    .concat(USUAL_PLACES.filter((place) => place.includes(".app")));
  return firstThatStarts([...new Set(candidates)]);
}

async function downloaded() {
  console.log("Chromium was not found. Downloading Playwright's Chromium …");
  const { code } = await run(bin("playwright"), ["install", "chromium"], { quiet: true, limitMs: DOWNLOAD_LIMIT_MS });
  return code === 0 ? playwrights() : undefined;
}

async function fromApt() {
  if (!canUseApt()) return undefined;
  console.log("The download failed. Installing Debian's chromium package …");
  await aptUpdate(APT_LIMIT_MS);
  await install("chromium");
  return systems(NAMES);
}

/**
 * Finds or installs Chromium's headless shell, which has no window, starts faster and leaves more processor time to the
 * page. The order is: the one in `FRAMEBATCH_HEADLESS_SHELL` (empty for none), the system's, Debian's package. The
 * tests also pass without it.
 *
 * @returns {Promise<string | undefined>} its path, or `undefined` if there is none
 */
export async function findHeadlessShell() {
  if (process.env["FRAMEBATCH_HEADLESS_SHELL"] === "") return undefined;
  return (
    (await named("FRAMEBATCH_HEADLESS_SHELL")) ??
    (await systems(HEADLESS_SHELL_NAMES)) ??
    (await headlessShellFromApt())
  );
}

async function headlessShellFromApt() {
  if (!canUseApt()) return undefined;
  const installed = await run("dpkg-query", ["--show", "--showformat=${Version}", "chromium"], { quiet: true });
  if (installed.code !== 0) return undefined;
  // Another version would also change the version of the system's Chromium.
  await install(`chromium-headless-shell=${installed.output.trim()}`);
  return systems(HEADLESS_SHELL_NAMES);
}

function canUseApt() {
  return isDebian() && process.getuid?.() === 0;
}

/** @param {string} wanted a package, with `=version` for an exact version */
async function install(wanted) {
  const { code, output } = await aptInstall([wanted], APT_LIMIT_MS);
  if (code !== 0) console.log(lastLines(output, 3));
}

/** @param {readonly string[]} candidates */
async function firstThatStarts(candidates) {
  for (const candidate of candidates) {
    if (existsSync(candidate) && (await starts(candidate))) return candidate;
  }
  return undefined;
}

/**
 * Checks that a program runs. A file that exists may still not start: on Ubuntu it can be a script that only names a
 * snap to install, and on any system its libraries may be missing.
 *
 * @param {string} file
 */
async function starts(file) {
  const { code, output } = await run(file, ["--version"], { quiet: true, limitMs: VERSION_LIMIT_MS });
  return code === 0 && /\d+\.\d+/.test(output);
}
