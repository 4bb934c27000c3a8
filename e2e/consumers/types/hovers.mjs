// Compares the hovers of models.ts, as an editor shows them, with the comments ^? below the names.
// Usage: node hovers.mjs PATH-OR-NAME-OF-TYPESCRIPT
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";

const FOLDER = import.meta.dirname;
const FILE = path.join(FOLDER, "models.ts");
/** @type {import("typescript")} */
const ts = createRequire(import.meta.url)(process.argv[2] ?? "typescript");

const service = ts.createLanguageService(hostOf(path.join(FOLDER, "tsconfig.models.json")));
const hovers = expectedHovers(readFileSync(FILE, "utf8"));
const wrong = hovers.filter(({ at, expected }) => shown(at) !== expected);
for (const { at, expected } of wrong) console.error(`expected ${expected}\ngot      ${shown(at)}`);
console.log(`${hovers.length - wrong.length} of ${hovers.length} hovers are as expected`);
process.exitCode = hovers.length > 0 && wrong.length === 0 ? 0 : 1;

/** @param {string} config the path of a tsconfig.json that lists files */
function hostOf(config) {
  const { config: raw } = ts.readConfigFile(config, ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(raw, ts.sys, path.dirname(config));
  return {
    getCompilationSettings: () => ({ ...options, module: ts.ModuleKind.NodeNext, noErrorTruncation: true }),
    getScriptFileNames: () => fileNames,
    getScriptVersion: () => "1",
    getScriptSnapshot: (/** @type {string} */ file) =>
      ts.sys.fileExists(file) ? ts.ScriptSnapshot.fromString(readFileSync(file, "utf8")) : undefined,
    getCurrentDirectory: () => FOLDER,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  };
}

/**
 * Returns the hovers that comments name, each with the position of its name in the line above.
 *
 * @param {string} code
 */
function expectedHovers(code) {
  return [...code.matchAll(/^\/\/( *)\^\? (.*)$/gm)].map(({ index, 1: spaces = "", 2: expected = "" }) => {
    const lineAbove = code.lastIndexOf("\n", index - 2) + 1;
    return { at: lineAbove + 2 + spaces.length, expected };
  });
}

/**
 * Returns the hover at a position in one line. Typed arrays have a parameter since TypeScript 5.7.
 *
 * @param {number} at
 */
function shown(at) {
  const parts = service.getQuickInfoAtPosition(FILE, at)?.displayParts ?? [];
  const text = parts.map((part) => part.text).join("");
  return text.replaceAll(/\s+/g, " ").replaceAll("<ArrayBufferLike>", "");
}
