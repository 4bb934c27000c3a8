import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import { externalWeights, modelWithExternalWeights, WEIGHTS_PATH } from "@framebatch/models/external-weights";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as ort from "onnxruntime-web/wasm";
import { digestOf, PIECE_BYTES, pieceDigestOf } from "../../store/digest.js";
import { isManifest } from "../../store/model-cache.js";
import { collectFile } from "./download.js";
import { close, listen } from "../../../test/support/local-server.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

vi.mock("onnxruntime-web/webgpu", () => import("../../../test/support/failing-gpu-runtime.js"));

const SIZE = { matrices: 4, width: 32 };
const WEIGHTS = Buffer.concat([...externalWeights(SIZE)]);

let server: Server;
let origin = "";
let asked: string[] = [];

beforeEach(async () => {
  asked = [];
  server = createServer(({ url = "" }, response) => {
    asked.push(url);
    response.writeHead(200, { "Content-Length": url === "/huge" ? 3e9 : WEIGHTS.length });
    if (url === "/huge") response.flushHeaders();
    else response.end(WEIGHTS);
  });
  origin = await listen(server);
});

afterEach(async () => {
  await close(server);
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const address = (path: string) => `${origin}${path}`;

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

/** The digest of a file above one piece, written down a second time. */
function digestOfPieces(bytes: Uint8Array): string {
  const digests: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += PIECE_BYTES)
    digests.push(sha256(bytes.subarray(from, from + PIECE_BYTES)));
  return `pieces-${sha256(Buffer.concat(digests)).toString("base64")}`;
}

/** Returns y = x · W0 · W1 … for an x of ones. */
function answerByHand(): number[] {
  const { matrices, width } = SIZE;
  const weights = new Float32Array(WEIGHTS.buffer, WEIGHTS.byteOffset, WEIGHTS.byteLength / 4);
  let row = Array.from({ length: width }, () => 1);
  for (let matrix = 0; matrix < matrices; matrix++) {
    const at = (from: number, to: number) => weights[(matrix * width + from) * width + to]!;
    row = row.map((_, to) => row.reduce((sum, value, from) => sum + value * at(from, to), 0));
  }
  return row;
}

async function answerOf(source: string | Blob, executionProviders: readonly ("webgpu" | "wasm")[] = ["wasm"]) {
  const model = await modelInNode(modelWithExternalWeights(SIZE), {
    executionProviders,
    externalData: [{ path: WEIGHTS_PATH, source }],
  });
  const { y } = await model.predict(new Float32Array(SIZE.width).fill(1));
  const provider = model.executionProvider;
  await model.dispose();
  return { numbers: Array.from(y?.data ?? [], Number), provider };
}

describe("external weights", () => {
  it.each(["an address", "a Blob"])("reach ONNX Runtime as a Blob when they are given as %s", async (kind) => {
    stubBrowser();
    const create = vi.spyOn(ort.InferenceSession, "create");
    const { numbers } = await answerOf(kind === "a Blob" ? new Blob([WEIGHTS]) : address("/weights.data"));
    for (const [index, number] of answerByHand().entries()) expect(numbers[index]).toBeCloseTo(number, 3);
    const given = create.mock.calls.flatMap(([, options]) => Object(options).externalData ?? []);
    expect(given).toEqual([{ path: WEIGHTS_PATH, data: expect.any(Blob) }]);
    expect(given[0].data.size).toBe(WEIGHTS.length);
  });

  it("are downloaded once when a provider fails and the next worker takes over", async () => {
    stubBrowser({ hasGpu: true });
    const { numbers, provider } = await answerOf(address("/weights.data"), ["webgpu", "wasm"]);
    expect(provider).toBe("wasm");
    expect(numbers[0]).toBeCloseTo(answerByHand()[0]!, 3);
    expect(asked).toEqual(["/weights.data"]);
  });

  it.each([
    [undefined, "got at least 3000000000 bytes; maxModelBytes allows 2147483648; raise it"],
    [4e9, "got at least 3000000000 bytes; a browser without JavaScript Promise Integration reads at most 2147483648"],
  ])("of 3 GB are refused before their download with maxModelBytes %s", async (maxModelBytes, message) => {
    stubBrowser();
    // As in browsers without JavaScript Promise Integration.
    const load = modelInNode(modelWithExternalWeights(SIZE), {
      executionProviders: ["wasm"],
      externalData: [{ path: WEIGHTS_PATH, source: address("/huge") }],
      ...(maxModelBytes !== undefined && { maxModelBytes }),
    });
    await expect(load).rejects.toMatchObject({ code: "MODEL_TOO_LARGE", message: expect.stringContaining(message) });
  });
});

describe("the digest of a file", () => {
  const bytes = new Uint8Array(2 * PIECE_BYTES + 4321).map((_, index) => index * 7 + (index >> 12));

  async function* chunksOf(file: Uint8Array<ArrayBuffer>, size: number): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    for (let from = 0; from < file.length; from += size) yield file.slice(from, from + size);
  }

  it.each([1_000_003, PIECE_BYTES, bytes.length])("is that of its pieces, from chunks of %i bytes", async (size) => {
    const blob = await collectFile(chunksOf(bytes, size));
    expect(await pieceDigestOf(blob)).toBe(digestOfPieces(bytes));
    expect(Buffer.from(await blob.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it("is its SHA-256 up to one piece, and differs when a byte does", async () => {
    const small = bytes.slice(0, 5000);
    expect(await pieceDigestOf(new Blob([small]))).toBe(sha256(small).toString("base64"));
    expect(await pieceDigestOf(new Blob([]))).toBe(sha256(new Uint8Array()).toString("base64"));
    const damaged = bytes.slice();
    damaged[PIECE_BYTES + 1]! ^= 1;
    expect(await pieceDigestOf(new Blob([damaged]))).not.toBe(digestOfPieces(bytes));
  });

  it("is the standard one where the option integrity asks for it, also of a file that is read in pieces", async () => {
    const large = new Blob([...Array.from({ length: 4 }, () => bytes), bytes.slice(0, 99)]);
    const hash = createHash("sha256");
    for (let copy = 0; copy < 4; copy++) hash.update(bytes);
    expect(await digestOf(large, "sha256")).toBe(hash.update(bytes.subarray(0, 99)).digest("base64"));
  });

  it("must suit the size in a manifest, so that a large file of an earlier version is downloaded again", () => {
    const manifest = { version: 2, validator: null, storedAtMs: 1, lastUsedAtMs: 1 };
    const plain = sha256(bytes).toString("base64");
    const isKnown = (size: number, digest: string) => isManifest({ ...manifest, bytes: size, sha256: digest });
    expect([isKnown(5000, plain), isKnown(bytes.length, plain)]).toEqual([true, false]);
    expect([isKnown(5000, digestOfPieces(bytes)), isKnown(bytes.length, digestOfPieces(bytes))]).toEqual([false, true]);
  });

  it("fails with the error of a broken download", async () => {
    async function* broken(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
      yield new Uint8Array(8);
      throw new RangeError("broken");
    }
    await expect(collectFile(broken())).rejects.toThrow(new RangeError("broken"));
  });
});
