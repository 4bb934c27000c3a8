import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { bin, lastLines, Problem, run } from "./workspace.mjs";

const VERSION_LIMIT_MS = 30_000;
const DOWNLOAD_LIMIT_MS = 150_000;
const APT_LIMIT_MS = 240_000;
const SHELL_LIMIT_MS = 60_000;
const HEADLESS_SHELL_PLACES = ["/usr/bin/chromium-headless-shell", "/usr/local/bin/chrome-headless-shell"];
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const USUAL_PLACES = [
  "/usr/bin",
  "/usr/local/bin",
  "/opt/google/chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * Finds a Chromium that starts, or installs one. The order is: the one in `FRAMEBATCH_CHROMIUM`, Playwright's, the
 * system's, a download by Playwright, Debian's package. Requires that the dependencies are installed.
 *
 * @returns {Promise<string>} its path
 */
export async function findChromium() {
  const found =
    (await named()) ?? (await playwrights()) ?? (await systems()) ?? (await downloaded()) ?? (await fromApt());
  if (found !== undefined) return found;
  throw new Problem(
    "Chromium was not found and could not be installed. Install Chromium or Google Chrome, or set FRAMEBATCH_CHROMIUM to its path.",
  );
}

async function named() {
  const file = process.env["FRAMEBATCH_CHROMIUM"];
  if (file === undefined || file === "") return undefined;
  if (!existsSync(file))
    throw new Problem(
      `FRAMEBATCH_CHROMIUM is ${file}, which does not exist. Set it to the path of a Chromium, or unset it.`,
    );
  if (await starts(file)) return file;
  throw new Problem(
    `FRAMEBATCH_CHROMIUM is ${file}, which does not start. Set it to the path of a working Chromium, or unset it.`,
  );
}

async function playwrights() {
  const { chromium } = await import("@playwright/test");
  return firstThatStarts([chromium.executablePath()]);
}

function systems() {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const candidates = [...folders, ...USUAL_PLACES.filter((place) => !place.includes(".app"))]
    .flatMap((folder) => NAMES.map((name) => path.join(folder, name)))
    .concat(USUAL_PLACES.filter((place) => place.includes(".app")));
  return firstThatStarts([...new Set(candidates)]);
}

async function downloaded() {
  console.log("Chromium was not found. Downloading Playwright's Chromium …");
  const { code } = await run(bin("playwright"), ["install", "chromium"], { quiet: true, limitMs: DOWNLOAD_LIMIT_MS });
  return code === 0 ? playwrights() : undefined;
}

async function fromApt() {
  if (!existsSync("/etc/debian_version") || process.getuid?.() !== 0) return undefined;
  console.log("The download failed. Installing Debian's chromium package …");
  const options = { quiet: true, limitMs: APT_LIMIT_MS, env: { DEBIAN_FRONTEND: "noninteractive" } };
  await run("apt-get", ["update"], options);
  const { code, output } = await run("apt-get", ["install", "--yes", "--no-install-recommends", "chromium"], options);
  if (code !== 0) console.log(lastLines(output, 3));
  return systems();
}

/**
 * Finds or installs Chromium's headless shell, which has no window, starts faster and leaves more processor time to the
 * page. Installs it only on Debian, from the package archive. The tests also pass without it.
 *
 * @returns {Promise<string | undefined>} its path, or `undefined` if there is none
 */
export async function findHeadlessShell() {
  const file = process.env["FRAMEBATCH_HEADLESS_SHELL"];
  if (file !== undefined) return file === "" ? undefined : file;
  return (await headlessShellOf()) ?? (await headlessShellFromApt());
}

function headlessShellOf() {
  return firstThatStarts(HEADLESS_SHELL_PLACES);
}

async function headlessShellFromApt() {
  if (!existsSync("/etc/debian_version") || process.getuid?.() !== 0) return undefined;
  const installed = await run("dpkg-query", ["--show", "--showformat=${Version}", "chromium"], { quiet: true });
  if (installed.code !== 0) return undefined;
  // Another version would also change the version of the system's Chromium.
  const wanted = `chromium-headless-shell=${installed.output.trim()}`;
  const options = { quiet: true, limitMs: SHELL_LIMIT_MS, env: { DEBIAN_FRONTEND: "noninteractive" } };
  await run("apt-get", ["install", "--yes", "--no-install-recommends", wanted], options);
  return headlessShellOf();
}

/** @param {readonly string[]} candidates */
async function firstThatStarts(candidates) {
  for (const candidate of candidates) {
    if (existsSync(candidate) && (await starts(candidate))) return candidate;
  }
  return undefined;
}

/**
 * Checks that a program runs. Its existence is not enough: it may be a stub that asks the user to install a snap, or
 * its libraries may be missing.
 *
 * @param {string} file
 */
async function starts(file) {
  const { code, output } = await run(file, ["--version"], { quiet: true, limitMs: VERSION_LIMIT_MS });
  return code === 0 && /\d+\.\d+/.test(output);
}
