import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "vite";
import { beforeAll, expect, test } from "vitest";
import { allSnippets, ROOT } from "./snippets.js";

const FOLDER = path.join(ROOT, "e2e/dist/worker-snippets");

/** The modules of workers in the guides: their first line is their name. */
const WORKERS = allSnippets().flatMap(({ page, code }) => {
  const [, name] = /^\/\/ (\S+\.worker\.ts)\n/.exec(code) ?? [];
  return name === undefined ? [] : [{ page, name, code }];
});

beforeAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
});

test("the workers of the guides build as written, with Vite as it is", async () => {
  expect(WORKERS.map(({ name }) => name)).toEqual(expect.arrayContaining(["labels.worker.ts", "words.worker.ts"]));
  for (const { page, name, code } of WORKERS) {
    writeFileSync(path.join(FOLDER, name), code);
    writeFileSync(
      path.join(FOLDER, "main.ts"),
      `new Worker(new URL("./${name}", import.meta.url), { type: "module" });`,
    );
    const input = path.join(FOLDER, "main.ts");
    const options = { configFile: false, logLevel: "silent", root: FOLDER } as const;
    const built = build({ ...options, build: { write: false, minify: false, rollupOptions: { input } } });
    await expect(built, `${name} of ${page}`).resolves.toBeDefined();
  }
});
