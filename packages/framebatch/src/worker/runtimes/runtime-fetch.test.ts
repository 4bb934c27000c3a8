import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ArrivingWasm } from "../ort/runtime-handover.js";
import { runtimeFetch } from "./runtime-fetch.js";
import { close, listen } from "../../../test/support/local-server.js";

/** The smallest WebAssembly module. */
const MODULE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);

/** The addresses of all requests of a test. */
const requests: string[] = [];

const server = createServer(({ url = "" }, response) => {
  requests.push(url);
  if (url === "/missing.bin") response.writeHead(404).end("not here");
  else response.end(url.includes(".bin") ? gzipSync(MODULE) : MODULE);
});
let origin = "";

beforeAll(async () => {
  origin = await listen(server);
});

afterAll(() => close(server));

beforeEach(() => {
  requests.length = 0;
  vi.stubGlobal("RUNTIME_WASM_BYTES", MODULE.length);
});

afterEach(() => void vi.unstubAllGlobals());

describe("the fetch of ONNX Runtime", () => {
  it("decompresses a .bin file into WebAssembly that compiles while it arrives", async () => {
    const response = await runtimeFetch(`${origin}/ort.bin?v=1`);
    await expect(WebAssembly.compileStreaming(response)).resolves.toBeInstanceOf(WebAssembly.Module);
  });

  it("returns any other file as it is", async () => {
    const response = await runtimeFetch(`${origin}/ort.wasm`);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(MODULE);
  });

  it("returns the answer if a file is missing", async () => {
    const response = await runtimeFetch(`${origin}/missing.bin`);
    expect([response.status, await response.text()]).toEqual([404, "not here"]);
  });

  it("takes the response that the worker has requested", async () => {
    const wasm = new ArrivingWasm(`${origin}/ort.bin`, () => undefined);
    vi.stubGlobal("framebatchRuntime", { script: "", runtime: null, wasm });
    await expect.poll(() => requests).toHaveLength(1);
    const response = await runtimeFetch(`${origin}/ort.bin`);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(MODULE);
    expect(requests).toEqual(["/ort.bin"]);
  });
});
