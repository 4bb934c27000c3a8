// The private packages in the published one. An application has only that one: its declarations name the others by their
// paths, and declaration maps lead to copies of all sources. `npm pack` needs it so, and afterwards takes it back, because in
// the workspace the compiler finds the packages by their names.
// Usage: node build/private-packages.mjs --remove
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const workspace = dirname(root);
const types = join(root, "dist/types");
/** The copies of the declarations of the private packages. */
const declarations = join(types, "packages");
/** The copies of the sources of all packages. */
const copies = join(root, "packages");

/** What a module imports. */
const IMPORTED = /(?<=\b(?:from|import)\s*\(?\s*")[^"]+(?=")/g;
const SCOPE = "@framebatch/";

if (process.argv.includes("--remove")) removePackages();

/** Copies the private packages, and names them by their paths. */
export function addPackages() {
  removePackages();
  const names = readdirSync(workspace).filter((name) => existsSync(join(workspace, name, "dist/types")));
  for (const name of names) {
    cpSync(join(workspace, name, "src"), join(copies, name, "src"), { recursive: true, filter: isShipped });
  }
  editMaps(types, types, (source) => join(copies, relative(workspace, source)));
  for (const name of names.filter((other) => join(workspace, other) !== root)) {
    const [own, copy] = [join(workspace, name, "dist/types"), join(declarations, name)];
    cpSync(own, copy, { recursive: true });
    editMaps(copy, own, (source) => join(copies, relative(workspace, source)));
  }
  editImports(types, ".d.ts", (specifier, file) => byPath(specifier, file, (path) => join(declarations, path)));
  editImports(copies, ".ts", (specifier, file) =>
    byPath(specifier, file, (path) => join(copies, path.replace("/", "/src/"))),
  );
}

/** Takes back what `addPackages` has done. */
export function removePackages() {
  if (!existsSync(copies)) return;
  rmSync(copies, { recursive: true });
  rmSync(declarations, { recursive: true });
  editImports(types, ".d.ts", byName);
  editMaps(types, types, (source) => join(workspace, relative(copies, source)));
}

/** @param {string} file */
function isShipped(file) {
  return !/\.test\.ts$|tsconfig\.json$|\.md$/.test(file);
}

/**
 * @param {string} specifier
 * @param {string} file
 * @param {(path: string) => string} place
 */
function byPath(specifier, file, place) {
  return specifier.startsWith(SCOPE) ? pathTo(file, place(specifier.slice(SCOPE.length))) : specifier;
}

/**
 * @param {string} specifier
 * @param {string} file
 */
function byName(specifier, file) {
  const path = slashed(relative(declarations, join(dirname(file), specifier)));
  return specifier.startsWith(".") && !path.startsWith("..") ? `${SCOPE}${path}` : specifier;
}

/**
 * @param {string} folder
 * @param {string} ending
 * @param {(specifier: string, file: string) => string} newSpecifier
 */
function editImports(folder, ending, newSpecifier) {
  for (const file of filesIn(folder, ending)) {
    const text = readFileSync(file, "utf8");
    const edited = text.replaceAll(IMPORTED, (specifier) => newSpecifier(specifier, file));
    if (edited !== text) writeFileSync(file, edited);
  }
}

/**
 * @param {string} folder
 * @param {string} origin where the compiler has written what is in `folder`
 * @param {(source: string) => string} newSource
 */
function editMaps(folder, origin, newSource) {
  for (const file of filesIn(folder, ".d.ts.map")) {
    const map = JSON.parse(readFileSync(file, "utf8"));
    const written = dirname(join(origin, relative(folder, file)));
    const sources = map.sources.map((/** @type {string} */ path) =>
      slashed(relative(dirname(file), newSource(join(written, path)))),
    );
    writeFileSync(file, JSON.stringify({ ...map, sources }));
  }
}

/**
 * @param {string} folder
 * @param {string} ending
 */
function filesIn(folder, ending) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file));
}

/**
 * @param {string} file
 * @param {string} target
 */
function pathTo(file, target) {
  const path = slashed(relative(dirname(file), target));
  return path.startsWith(".") ? path : `./${path}`;
}

/** @param {string} path */
function slashed(path) {
  return path.replaceAll("\\", "/");
}
