import { readFileSync } from "node:fs";
import path from "node:path";
import { Problem, root } from "./workspace.mjs";

const PACKAGES = path.join(root, "packages");

/**
 * Replaces texts in source files in a bundle. Does not change the files on disk.
 *
 * @param {readonly Omit<import("../sim/batcher/mutants.mjs").Mutant, "name">[]} edits
 * @returns {import("esbuild").Plugin}
 */
export function editCore(edits) {
  /** @type {Map<string, string>} */
  const edited = new Map();
  for (const { file, search, replace } of edits) {
    const target = path.join(PACKAGES, file);
    const source = edited.get(target) ?? readFileSync(target, "utf8");
    const occurrences = source.split(search).length - 1;
    if (occurrences !== 1)
      throw new Problem(`Expected the text "${search}" once in packages/${file}, found it ${occurrences} times.`);
    edited.set(
      target,
      source.replace(search, () => replace),
    );
  }
  return {
    name: "edited-core",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path: loaded }) => {
        const contents = edited.get(loaded);
        return contents === undefined ? undefined : { contents, loader: "ts" };
      });
    },
  };
}
