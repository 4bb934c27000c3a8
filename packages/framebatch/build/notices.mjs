import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** What a package says nowhere in its files. */
const ADDED = {
  "onnxruntime-web": (/** @type {string} */ version) => `${MIT}

ONNX Runtime's .wasm files contain software of other authors, whose notices are in ThirdPartyNotices.txt:
https://github.com/microsoft/onnxruntime/blob/v${version}/ThirdPartyNotices.txt`,
};

/**
 * Writes the notices of all packages that are built into dist: the copyright comments of their files, their license
 * file, and what is missing there.
 * @param {string} root the folder of this package
 * @param {Iterable<string>} files the files that are built in, relative to `root`
 */
export function writeNotices(root, files) {
  /** @type {Map<string, Set<string>>} */
  const comments = new Map();
  for (const file of files) {
    const [folder] = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file) ?? [];
    if (folder === undefined) continue;
    const known = comments.get(folder) ?? new Set();
    comments.set(folder, known.add(copyrightComment(readFileSync(resolve(root, file), "utf8"))));
  }
  const notices = Array.from(comments, ([folder, found]) => noticeOf(resolve(root, folder), found)).toSorted();
  const head = "framebatch contains these packages. Its own license is in LICENSE.";
  writeFileSync(
    join(root, "dist/THIRD-PARTY-NOTICES.txt"),
    `${[head, ...notices].join(`\n\n${"-".repeat(80)}\n\n`)}\n`,
  );
}

/**
 * @param {string} folder
 * @param {ReadonlySet<string>} comments
 */
function noticeOf(folder, comments) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = ["LICENSE", "LICENCE"].map((base) => join(folder, base)).find((path) => existsSync(path));
  const added = Reflect.get(ADDED, name)?.(version);
  const texts = [...comments, file && readFileSync(file, "utf8").trim(), added];
  return [`${name} ${version}, ${license}`, ...texts.filter(Boolean)].join("\n\n");
}

/**
 * Returns the comment at the top of a file without its marks, if it is about copyright.
 * @param {string} text
 */
function copyrightComment(text) {
  const [comment = ""] = /^\s*((\/\/.*\n)+|\/\*[^]*?\*\/)/.exec(text) ?? [];
  if (!/copyright/i.test(comment)) return "";
  const lines = comment
    .split("\n")
    .map((line) => line.replace(/^\s*(\/\/|\/\*[*!]?|\*\/|\*) ?/, "").replace(/\s*\*\/$/, ""));
  return lines.join("\n").trim();
}
