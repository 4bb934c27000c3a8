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

/** A program that imports the entry of workers in Node, and then with what tells a page from a worker. */
const OUTSIDE_A_WORKER = `
  const address = import.meta.resolve("framebatch/worker");
  await import(address);
  const called = [];
  const call = (name) => (...terms) => called.push([name, ...terms]);
  Object.assign(globalThis, { Window: class {}, postMessage: call("postMessage"), addEventListener: call("addEventListener") });
  const { serve } = await import(address + "?page");
  serve({ preprocess: (item) => item });
  await new Promise((resolve) => setTimeout(resolve));
  console.log(JSON.stringify(called));
`;

/** A program that imports what pages with servers alone import, and another entry. */
const WITH_TWO_ENTRIES = `
  const { FramebatchError } = await import("framebatch");
  const { createRemoteModel, FramebatchError: sameError } = await import("framebatch/remote");
  const error = await createRemoteModel("", { model: "digits", maxBatchSize: 0 }).catch((error) => error);
  console.log(JSON.stringify({ isSame: sameError === FramebatchError, isOurs: error instanceof FramebatchError, code: error.code }));
`;

test("an import in Node accesses no browser global and keeps no process alive", async () => {
  expect(await resultOf(PROGRAM)).toEqual({ kind: "function", touched: [] });
});

test("the entry of workers starts nothing on a server or a page", async () => {
  expect(await resultOf(OUTSIDE_A_WORKER)).toEqual([]);
});

test("errors have one class, whichever entry they come from", async () => {
  expect(await resultOf(WITH_TWO_ENTRIES)).toEqual({ isSame: true, isOurs: true, code: "INVALID_OPTION" });
});

async function resultOf(program: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: HERE,
    timeout: 20_000,
  });
  return JSON.parse(stdout);
}
