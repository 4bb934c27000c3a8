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
  for (const { page, name, code } of WORKERS) {
    const input = written(name, code, "main.ts");
    const options = { configFile: false, logLevel: "silent", root: FOLDER } as const;
    const built = build({ ...options, build: { write: false, minify: false, rollupOptions: { input } } });
    await expect(built, `${name} of ${page}`).resolves.toBeDefined();
  }
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

/** Writes a worker, and a page that starts it. Returns the page's path. */
function written(name: string, code: string, page: string): string {
  const main = path.join(FOLDER, page);
  writeFileSync(path.join(FOLDER, name), code);
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
