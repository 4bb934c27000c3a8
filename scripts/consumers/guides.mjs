import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../workspace.mjs";

/** A worker in a page of the documentation: the first line of its block is its name. */
const WORKER = /^```ts\n(\/\/ (\S+\.worker\.ts)\n[^]*?)^```$/gm;

/**
 * Writes the workers of the documentation into the folder `app/guides` of an application, word for word, and a module
 * that starts them. A worker that imports what the application does not depend on is left out.
 *
 * @param {string} app
 * @param {Readonly<Record<string, string>>} dependencies
 */
export async function writeGuides(app, dependencies) {
  const folder = path.join(app, "app", "guides");
  await mkdir(folder, { recursive: true });
  const workers = (await workersOfDocs()).filter(({ code }) =>
    importsOnly(code, ["framebatch", ...Object.keys(dependencies)]),
  );
  if (workers.length === 0) throw new Error("expected workers in the documentation");
  if (new Set(workers.map(({ name }) => name)).size < workers.length)
    throw new Error("expected a name of its own for each worker in the documentation");
  await Promise.all(workers.map(({ name, code }) => writeFile(path.join(folder, name), code)));
  const starts = workers.map(({ name }) => `  new Worker(new URL("./${name}", import.meta.url), { type: "module" });`);
  await writeFile(path.join(folder, "start.ts"), `export function start() {\n${starts.join("\n")}\n}\n`);
}

async function workersOfDocs() {
  const names = await readdir(path.join(root, "docs"), { recursive: true });
  const pages = names.filter((name) => name.endsWith(".md"));
  const texts = await Promise.all(pages.map((name) => readFile(path.join(root, "docs", name), "utf8")));
  return texts.flatMap((text) => [...text.matchAll(WORKER)].map(([, code = "", name = ""]) => ({ name, code })));
}

/**
 * @param {string} code
 * @param {readonly string[]} packages
 */
function importsOnly(code, packages) {
  const imported = [...code.matchAll(/ from "([^"]+)"/g)].map(([, name = ""]) => name);
  return imported.every((name) => packages.some((known) => name === known || name.startsWith(`${known}/`)));
}
