// Completes the folder before it is packed: writes the README and the license beside package.json, where npm takes them
// from, and joins the declarations. Usage: node prepack.mjs
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { joinDeclarations } from "./build/declarations.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const workspace = join(folder, "../..");
const { version, homepage } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const repository = homepage.replace(/#.*/, "");
/** A link or image of Markdown whose address is neither absolute nor an anchor of the same page. */
const RELATIVE_LINK = /(!?\[[^\]]*\]\()(?![a-z]+:|#)([^)]+)\)/g;

for (const file of ["dist/index.js", "dist/THIRD-PARTY-NOTICES.txt"]) {
  if (!existsSync(join(folder, file))) throw new Error(`expected ${file}, got none; run npm run build`);
}
const readme = readFileSync(join(workspace, "README.md"), "utf8");
writeFileSync(join(folder, "README.md"), readme.replaceAll(RELATIVE_LINK, absolute));
copyFileSync(join(workspace, "LICENSE"), join(folder, "LICENSE"));
await joinDeclarations();

/**
 * Replaces a relative link by one to the repository at the tag of this version, because npm shows the README elsewhere.
 *
 * @param {string} _match
 * @param {string} start the link up to its address
 * @param {string} path
 */
function absolute(_match, start, path) {
  return `${start}${repository}/${start.startsWith("!") ? "raw" : "blob"}/v${version}/${path})`;
}
