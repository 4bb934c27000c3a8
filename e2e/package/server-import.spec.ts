import { execFile } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "../support/test.js";

const HERE = path.dirname(fileURLToPath(import.meta.url));

/** A program that imports framebatch in Node. It records each access to a browser global, which returns `undefined`. */
const PROGRAM = `
  const touched = [];
  for (const name of ["window", "self", "document", "navigator", "location", "Worker", "indexedDB", "caches", "requestAnimationFrame"]) {
    Object.defineProperty(globalThis, name, { configurable: true, get() { touched.push(name); return undefined; } });
  }
  const { createBatchedModel } = await import("framebatch");
  console.log(JSON.stringify({ kind: typeof createBatchedModel, touched }));
`;

test("an import in Node accesses no browser global and keeps no process alive", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
    cwd: HERE,
    timeout: 20_000,
  });
  expect(JSON.parse(stdout)).toEqual({ kind: "function", touched: [] });
});
