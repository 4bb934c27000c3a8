import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ByteProgress } from "../../transport/protocol.js";
import { runtimeFetch } from "./runtime-fetch.js";

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

  it.each(["/ort.wasm", "/ort.bin"])(
    "reports how much of %s has arrived, in the bytes of the network",
    async (path) => {
      const reports: ByteProgress[] = [];
      const complete = new Promise<void>((resolve) => {
        const onBytes = (bytes: ByteProgress): void => {
          reports.push(bytes);
          if (bytes.loadedBytes === bytes.totalBytes) resolve();
        };
        vi.stubGlobal("framebatchRuntime", { script: "", runtime: null, onBytes });
      });
      vi.stubGlobal("RUNTIME_WASM_BYTES", 1e6);
      const response = await runtimeFetch(`${origin}${path}`);
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(MODULE);
      await complete;
      const size = path.endsWith(".bin") ? gzipSync(MODULE).length : MODULE.length;
      expect(reports).toEqual([
        { loadedBytes: size, totalBytes: 1e6 },
        { loadedBytes: size, totalBytes: size },
      ]);
    },
  );

  it.each([
    ["the file that comes with it", MODULE.length, MODULE.length],
    ["a larger file", MODULE.length - 1, null],
  ])("tells the size of %s as soon as it has arrived", async (_file, knownBytes, totalBytes) => {
    const reports: ByteProgress[] = [];
    const complete = new Promise<void>((resolve) => {
      const onBytes = (bytes: ByteProgress): void => {
        if (reports.push(bytes) === 2) resolve();
      };
      vi.stubGlobal("framebatchRuntime", { script: "", runtime: null, onBytes });
    });
    vi.stubGlobal("RUNTIME_WASM_BYTES", knownBytes);
    await runtimeFetch(`${origin}/ort.wasm`);
    await complete;
    expect(reports[0]).toEqual({ loadedBytes: MODULE.length, totalBytes });
  });
});
