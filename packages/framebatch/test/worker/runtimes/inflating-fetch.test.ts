import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inflatingFetch } from "../../../src/worker/runtimes/inflating-fetch.js";

/** The smallest WebAssembly module. */
const MODULE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);

const server = createServer(({ url }, response) => {
  if (url === "/missing.bin") response.writeHead(404).end("not here");
  else response.end(url?.includes(".bin") === true ? gzipSync(MODULE) : MODULE);
});
let origin = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a port");
  origin = `http://127.0.0.1:${address.port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe("the fetch of the build with Asyncify", () => {
  it("decompresses a .bin file into WebAssembly that compiles while it arrives", async () => {
    const response = await inflatingFetch(`${origin}/ort.bin?v=1`);
    await expect(WebAssembly.compileStreaming(response)).resolves.toBeInstanceOf(WebAssembly.Module);
  });

  it("returns any other file as it is", async () => {
    const response = await inflatingFetch(`${origin}/ort.wasm`);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(MODULE);
  });

  it("returns the answer if a file is missing", async () => {
    const response = await inflatingFetch(`${origin}/missing.bin`);
    expect([response.status, await response.text()]).toEqual([404, "not here"]);
  });
});
