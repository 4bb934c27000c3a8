import { execFile } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "./support/test.js";

const HERE = path.dirname(fileURLToPath(import.meta.url));

/** Any touch of what only a browser has is written down, and answered as Node would: with nothing. */
const PROGRAM = `
  const touched = [];
  for (const name of ["window", "self", "document", "navigator", "location", "Worker", "indexedDB", "caches", "requestAnimationFrame"]) {
    Object.defineProperty(globalThis, name, { configurable: true, get() { touched.push(name); return undefined; } });
  }
  const { createBatchedModel } = await import("framebatch");
  console.log(JSON.stringify({ kind: typeof createBatchedModel, touched }));
`;

test("import in Node touches nothing of a browser and keeps no process alive", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
    cwd: HERE,
    timeout: 20_000,
  });
  expect(JSON.parse(stdout)).toEqual({ kind: "function", touched: [] });
});
