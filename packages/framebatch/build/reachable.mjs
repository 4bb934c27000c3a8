/** The kinds of imports that load with the file that has them. */
export const AT_ONCE = ["import-statement"];

/**
 * Returns files of a build, and all that they import, directly or through others.
 * @param {import("esbuild").Metafile} metafile
 * @param {readonly string[]} files
 * @param {readonly string[]} [kinds] kinds of imports that count; default: all, those on demand too
 */
export function reachable({ outputs }, files, kinds) {
  const found = new Set(files);
  for (const file of found) {
    for (const { kind, path } of outputs[file]?.imports ?? []) if (kinds?.includes(kind) ?? true) found.add(path);
  }
  return found;
}
