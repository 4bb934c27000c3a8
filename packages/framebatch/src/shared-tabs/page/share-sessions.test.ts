import { describe, expect, it } from "vitest";
import { addressOf, sessionKey } from "./share-sessions.js";
import { runtimesIn } from "../../client/workers/worker-site.js";
import type { LoadRequest } from "../../transport/protocol.js";
import { LOAD_REQUEST, MODEL_URL } from "../../../test/support/scripted-plan.js";

const REQUEST: LoadRequest = {
  ...LOAD_REQUEST,
  location: { url: MODEL_URL, pinned: null },
  externalData: [{ path: "a.data", location: { url: "https://example.com/a.data", pinned: null }, integrity: null }],
  variants: [],
  providers: ["webgpu", "wasm"],
  runtimes: runtimesIn("https://example.com/"),
};

const keyOf = (changes: Partial<LoadRequest>, runTimeoutMs: number | null = null) =>
  sessionKey({ ...REQUEST, ...changes }, "https://example.com/framebatch.worker.js", runTimeoutMs);

describe("the key of a session", () => {
  it("hides the address of the model, which may contain secrets", async () => {
    expect(await keyOf({ location: { url: "https://example.com/?token=secret", pinned: null } })).toMatch(
      /^framebatch \S+ [0-9a-f]{64}$/,
    );
  });

  const batchCheck = { outcome: "passed", reason: "", fromCache: false } as const;
  it.each<[string, Partial<LoadRequest>]>([
    ["a page that has loaded the bytes before", { location: { url: MODEL_URL, pinned: "digest" } }],
    ["a page that needs no warm-up", { warmup: false }],
    ["a page that knows a verdict", { found: [{ provider: "wasm", batchCheck }] }],
  ])("is the same for %s", async (_page, changes) => {
    expect(await keyOf(changes)).toBe(await keyOf({}));
  });

  it.each<[string, Partial<LoadRequest>]>([
    ["model", { location: { url: `${MODEL_URL}?v=2`, pinned: null } }],
    ["external file", { externalData: [] }],
    ["provider", { providers: ["wasm"] }],
    ["option of ONNX Runtime", { sessionOptions: { graphOptimizationLevel: "basic" } }],
    ["option of a provider", { providerOptions: { webgpu: { preferredLayout: "NCHW" } } }],
    ["batch size", { maxBatchSize: 65 }],
    ["sample", { samples: [{ x: new Float32Array([1]) }] }],
    ["sample of big integers", { samples: [{ x: [1n] }] }],
  ])("differs for another %s", async (_what, changes) => {
    expect(await keyOf(changes)).not.toBe(await keyOf({}));
  });

  it("differs for samples of other numbers, and for another time limit of runs", async () => {
    const sample = (value: number) => ({ samples: [{ x: new Float32Array([value]) }, { y: value }] });
    expect(await keyOf(sample(1))).not.toBe(await keyOf(sample(Number.NaN)));
    expect(await keyOf(sample(1))).toBe(await keyOf(sample(1)));
    expect(await keyOf({}, 1000)).not.toBe(await keyOf({}, 2000));
  });
});

it("only files with an http address can be shared", () => {
  expect(addressOf({ url: MODEL_URL, pinned: null })).toBe(MODEL_URL);
  expect(addressOf({ url: "blob:https://example.com/1", pinned: null })).toBeNull();
  expect(addressOf({ blob: new Blob(["1"]), sha256: null })).toBeNull();
});
