import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { Problem, lastLines, pnpm, root, run } from "../workspace.mjs";
import { writeGuides } from "./guides.mjs";

/** @typedef {import("./table.mjs").Consumer} Consumer */

const APPS = path.join(root, "e2e/consumers");
/** The package whose dependencies are the tools of the applications that `npm test` builds. */
const TOOLS = path.join(root, "e2e/node_modules");
const INSTALL_LIMIT_MS = 5 * 60_000;

/**
 * Makes a fresh copy of an application, outside of this repository.
 *
 * @param {Consumer} consumer
 * @param {string} parent the folder in which the application's folder is made
 * @returns {Promise<string>} the application's folder
 */
export async function createApp({ name, folder = name, versions = {}, entry, hasGuides = false }, parent) {
  const app = path.join(parent, name);
  await cp(path.join(APPS, folder), app, { recursive: true });
  if (entry !== undefined) await importFrom(entry, app);
  const file = path.join(app, "package.json");
  const manifest = JSON.parse(await readFile(file, "utf8"));
  manifest.devDependencies = { ...manifest.devDependencies, ...versions };
  await writeFile(file, JSON.stringify(manifest, null, 2));
  if (hasGuides) await writeGuides(app, manifest.dependencies);
  return app;
}

/**
 * Replaces the import of framebatch in an application's sources.
 *
 * @param {string} entry
 * @param {string} app
 */
async function importFrom(entry, app) {
  for (const file of await readdir(app, { recursive: true })) {
    if (!/\.(?:jsx?|ts|vue|svelte)$/.test(file)) continue;
    const source = path.join(app, file);
    const text = await readFile(source, "utf8");
    await writeFile(source, text.replace('from "framebatch"', `from "${entry}"`));
  }
}

/**
 * Installs the tarball and the application's own dependencies from the npm registry.
 *
 * @param {string} app
 * @param {string} tarball
 */
export async function installApp(app, tarball) {
  // Install scripts are not needed, and pnpm fails if a dependency has one that is neither allowed nor ignored.
  const args = ["add", tarball, "--prefer-offline", "--ignore-scripts", "--reporter=append-only"];
  const { code, output } = await pnpm(args, { cwd: app, quiet: true, limitMs: INSTALL_LIMIT_MS });
  if (code !== 0) throw new Problem(`pnpm add failed: ${lastLines(output, 5)}`);
}

/**
 * Installs an application without the npm registry: unpacks the tarball, and links the tools of this repository, which
 * must have the versions that the application names.
 *
 * @param {string} app
 * @param {string} tarball
 */
export async function linkApp(app, tarball) {
  const modules = path.join(app, "node_modules");
  const framebatch = path.join(modules, "framebatch");
  await mkdir(framebatch, { recursive: true });
  await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", framebatch], { quiet: true });
  const { devDependencies = {} } = await manifestOf(app);
  // Development servers are not tools of this repository.
  const tools = Object.entries(devDependencies).filter(([name]) => existsSync(path.join(TOOLS, name)));
  for (const [name, wanted] of tools) {
    const { version } = await manifestOf(path.join(TOOLS, name));
    if (version !== wanted) throw new Problem(`expected ${name} ${wanted} in the catalog, got ${version}`);
    await link(path.join(TOOLS, name), path.join(modules, name));
  }
}

/**
 * Returns the path of a program that an application's dependencies bring.
 *
 * @param {string} app
 * @param {string} name
 */
export function programOf(app, name) {
  const own = path.join(app, "node_modules/.bin", name);
  const linked = path.join(TOOLS, ".bin", name);
  return [own, linked].find((file) => existsSync(file)) ?? name;
}

/** @param {string} folder of a package */
async function manifestOf(folder) {
  return JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
}

/**
 * @param {string} target
 * @param {string} place
 */
async function link(target, place) {
  await mkdir(path.dirname(place), { recursive: true });
  await symlink(target, place, "junction");
}
