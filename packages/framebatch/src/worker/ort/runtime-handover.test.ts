import { createServer, type ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ByteProgress } from "../../transport/protocol.js";
import { close, listen } from "../../../test/support/local-server.js";
import { ArrivingWasm } from "./runtime-handover.js";

/** More than what a connection and a response hold before somebody reads. */
const LARGE_BYTES = 50e6;
const FILES: Readonly<Record<string, number>> = { "/ort.wasm": 8, "/large.wasm": LARGE_BYTES };

const requests: string[] = [];
const sent = new Map<string, Promise<void>>();

const server = createServer(({ url = "" }, response) => {
  requests.push(url);
  sent.set(url, ended(response));
  const bytes = FILES[url];
  if (bytes === undefined) response.writeHead(404).end("not here");
  else response.end(new Uint8Array(bytes));
});
let origin = "";

beforeAll(async () => {
  origin = await listen(server);
});

afterAll(() => close(server));

/** All that is reported until the WebAssembly is complete. */
function reported(path: string, whileArriving: (wasm: ArrivingWasm) => unknown): Promise<readonly ByteProgress[]> {
  return new Promise((resolve) => {
    const reports: ByteProgress[] = [];
    const wasm = new ArrivingWasm(`${origin}${path}`, (bytes) => {
      reports.push(bytes);
      if (bytes.loadedBytes === bytes.totalBytes) resolve(reports);
    });
    whileArriving(wasm);
  });
}

describe("WebAssembly that arrives", () => {
  it("is requested at once, and given to the first who asks for it", async () => {
    const wasm = new ArrivingWasm(`${origin}/ort.wasm?first`, () => undefined);
    const early = await wasm.fetch(`${origin}/ort.wasm?first`, {}, 8);
    expect([early.status, await early.text()]).toEqual([404, "not here"]);
    expect(requests.filter((url) => url.endsWith("?first"))).toHaveLength(1);
    await wasm.fetch(`${origin}/ort.wasm?first`, {}, 8);
    expect(requests.filter((url) => url.endsWith("?first"))).toHaveLength(2);
  });

  it("is not given to who asks for another file", async () => {
    const wasm = new ArrivingWasm(`${origin}/missing.wasm`, () => undefined);
    const other = await wasm.fetch(`${origin}/ort.wasm`, {}, 8);
    expect((await other.arrayBuffer()).byteLength).toBe(8);
  });

  it("is read although nobody takes it, so that it keeps no connection", async () => {
    const reports = await reported("/large.wasm", () => undefined);
    expect(reports.at(-1)).toEqual({ loadedBytes: LARGE_BYTES, totalBytes: LARGE_BYTES });
    await sent.get("/large.wasm");
  });

  it("is complete for who takes it after it has arrived", async () => {
    let taken: Promise<Response> | null = null;
    await reported("/ort.wasm", (wasm) => (taken = wasm.fetch(`${origin}/ort.wasm`, {}, 8)));
    expect((await (await taken!).arrayBuffer()).byteLength).toBe(8);
  });

  it.each([
    ["of the file that comes with the script", 8, 8],
    ["of another, larger file", 7, null],
  ])("reports the size %s while it arrives", async (_file, knownBytes, totalBytes) => {
    const reports = await reported("/ort.wasm", (wasm) => wasm.fetch(`${origin}/ort.wasm`, {}, knownBytes));
    expect(reports[0]).toEqual({ loadedBytes: 8, totalBytes });
  });

  it("gives the error of the request to who asks for it", async () => {
    const wasm = new ArrivingWasm("http://127.0.0.1:1/ort.wasm", () => undefined);
    await expect(wasm.fetch("http://127.0.0.1:1/ort.wasm", {}, 8)).rejects.toThrow(TypeError);
  });
});

function ended(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => void response.once("finish", resolve));
}
