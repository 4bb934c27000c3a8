import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { lastLines, pnpm, Problem, root, run } from "../workspace.mjs";

const FOLDER = path.join(root, "packages/framebatch");

/** What the package consists of. Without `count`, there is at least one file. */
const CONTENT = [
  { pattern: /^(?:package\.json|README\.md|CHANGELOG\.md|LICENSE)$/, count: 4 },
  { pattern: /^bin\/(?:framebatch|copy|mistake|sample|types)\.mjs$/, count: 5 },
  { pattern: /^dist\/command\.mjs$/, count: 1 },
  { pattern: /^dist\/digits\.onnx$/, count: 1 },
  { pattern: /^dist\/THIRD-PARTY-NOTICES\.txt$/, count: 1 },
  { pattern: /^dist\/[\w.-]+\.js(?:\.map)?$/ },
  { pattern: /^dist\/development\/[\w-]+\.jsx$/, count: 6 },
  { pattern: /^dist\/ort-wasm-simd-threaded(?:\.jspi|\.asyncify)?\.(?:wasm|bin)$/, count: 3 },
  { pattern: /^dist\/types\/(?:index|batched|remote|worker\/index|handlers\/index)\.d\.ts$/, count: 5 },
  { pattern: /^dist\/types\/shared-[\w-]+\.d\.ts$/ },
];

/**
 * Packs the built package, without building it again, and checks what it contains. Compresses little: the tarball is
 * read on this machine only. Meanwhile the declarations in the workspace are those of the published package, so nothing
 * else may read them.
 *
 * @param {string} folder where the tarball is written
 * @returns {Promise<string>} its path
 */
export async function pack(folder) {
  await told(run(process.execPath, [path.join(FOLDER, "prepack.mjs")], { quiet: true }));
  const args = ["pack", "--json", "--config.ignore-scripts=true", "--pack-gzip-level=1", "--pack-destination", folder];
  const { filename, files } = JSON.parse(await told(pnpm(args, { cwd: FOLDER, quiet: true })));
  await told(run(process.execPath, [path.join(FOLDER, "build/declarations.mjs"), "--restore"], { quiet: true }));
  const faults = faultsOf(files.map((/** @type {{ path: string }} */ file) => file.path));
  if (faults.length > 0) throw new Problem(`The tarball has the wrong files:\n${faults.join("\n")}`);
  return filename;
}

/**
 * @param {string} folder where `pack` has written the tarball
 * @returns {string} its path
 */
export function tarballIn(folder) {
  const name = existsSync(folder) ? readdirSync(folder).find((file) => file.endsWith(".tgz")) : undefined;
  if (name === undefined) throw new Problem(`expected a packed package in ${folder}, got none`);
  return path.join(folder, name);
}

/**
 * @param {readonly string[]} files
 * @returns {string[]} one line for each fault
 */
export function faultsOf(files) {
  const unexpected = files.filter((file) => !CONTENT.some(({ pattern }) => pattern.test(file)));
  const wrongCounts = CONTENT.flatMap(({ pattern, count }) => {
    const found = files.filter((file) => pattern.test(file)).length;
    const isRight = count === undefined ? found > 0 : found === count;
    return isRight ? [] : [`expected ${count ?? "some"} files that match ${pattern}, got ${found}`];
  });
  return [...unexpected.map((file) => `unexpected file ${file}`), ...wrongCounts];
}

/**
 * Returns the output of a command that must succeed.
 *
 * @param {ReturnType<typeof run>} running
 */
async function told(running) {
  const { code, output } = await running;
  if (code !== 0) throw new Problem(`The package could not be packed:\n${lastLines(output, 20)}`);
  return output;
}
