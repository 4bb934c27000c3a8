import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { transformSync } from "esbuild";
import { build } from "vite";
import { beforeAll, expect, test } from "vitest";
import webpack from "webpack";
import { allSnippets, ROOT } from "./snippets.js";

const FOLDER = path.join(ROOT, "e2e/dist/worker-snippets");

/** The modules of workers in the guides: their first line is their name, or they show a file of that name. */
const WORKERS = allSnippets().flatMap(({ page, code, file }) => {
  const [, name = file?.endsWith(".worker.ts") === true ? path.basename(file) : undefined] =
    /^\/\/ (\S+\.worker\.ts)\n/.exec(code) ?? [];
  // What a worker imports beside itself is an example's own, which the examples' build covers.
  return name === undefined || /from "\.|import "\./.test(code) ? [] : [{ page, name, code }];
});

beforeAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
});

test("the workers of the guides build as written, with Vite as it is", async () => {
  expect(WORKERS.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["labels.worker.ts", "words.worker.ts", "embed.worker.ts", "photo.worker.ts"]),
  );
  // One build of all, because workers share what they import. Its error names the page.
  const input = WORKERS.map(({ page, name, code }, index) =>
    written(name, code, "main.ts", `${index}-${page.replaceAll("/", "-")}`),
  );
  const options = { configFile: false, logLevel: "silent", root: FOLDER } as const;
  await build({ ...options, build: { write: false, minify: false, rollupOptions: { input } } });
});

test("the workers of the guides build with webpack, once their types are removed", async () => {
  // One build of all, because workers share what they import.
  const starts = WORKERS.map(({ name, code }) => {
    const plain = transformSync(code, { loader: "ts", target: "es2023" }).code;
    return readFileSync(written(name.replace(/\.ts$/, ".js"), plain, "main.js"), "utf8");
  });
  const entry = path.join(FOLDER, "all.js");
  writeFileSync(entry, starts.join("\n"));
  expect(await webpackErrors(entry)).toEqual([]);
});

/** Writes a worker, and a page that starts it, into a folder. Returns the page's path. */
function written(name: string, code: string, page: string, folder = "."): string {
  const main = path.join(FOLDER, folder, page);
  mkdirSync(path.dirname(main), { recursive: true });
  writeFileSync(path.join(FOLDER, folder, name), code);
  writeFileSync(main, `new Worker(new URL("./${name}", import.meta.url), { type: "module" });`);
  return main;
}

function webpackErrors(entry: string): Promise<readonly string[]> {
  const output = { path: path.join(FOLDER, "webpack") };
  const compiler = webpack({ mode: "none", entry, output });
  if (compiler === null) throw new Error("webpack made no compiler");
  return new Promise((resolve, reject) => {
    compiler.run((error, stats) => {
      const errors = stats?.toJson({ errors: true }).errors ?? [];
      compiler.close(() => (error ? reject(error) : resolve(errors.map(({ message }) => message))));
    });
  });
}
