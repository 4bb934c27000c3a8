import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import type { Outputs } from "../options/model.js";
import type { ModelOptions } from "../options/options.js";
import { createRemoteModel } from "../api/packaged-remote.js";
import { createHandledModelAt } from "../../handlers/page/create-handled-model.js";
import { keepSource } from "../options/model-source.js";
import { handledSite } from "../../../test/support/channel-worker.js";
import { InferenceServer } from "../../../test/support/inference-server.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

/** A model that runs only multiples of 400 samples. */
const WINDOWS = generateModel("windows-of-400").bytes;
const LOUDEST = { executionProviders: ["wasm"], warmup: false } as const satisfies ModelOptions;
const ROUNDED = { padding: { audio: { multipleOf: 400, value: -1 } } } as const;
const LENGTHS = [500, 300, 801, 500];

/** A sound whose loudest sample comes last. */
const sound = (length: number) => Float32Array.from({ length }, (_, index) => (index + 1) / 1000);
const lastWindowOf = (length: number) => Math.max(...sound(length));

function loudestOf({ loudest }: Outputs): number {
  return Math.max(...Array.from(loudest?.data ?? [], Number));
}

beforeAll(() => stubBrowser());

afterAll(() => void vi.unstubAllGlobals());

describe("an item that runs alone on a model that rejects its size", () => {
  it.each<[what: string, options: ModelOptions]>([
    ["with batching off", { batching: false }],
    ["while the check is open", { verify: { budgetMs: 0 } }],
    ["to buckets", { batching: false, padding: { audio: { buckets: [400, 1200], value: -1 } } }],
  ])("runs at the rounded size: %s", async (_, options) => {
    await using model = await modelInNode(WINDOWS, { ...LOUDEST, ...ROUNDED, ...options });
    for (const length of LENGTHS) {
      expect(loudestOf(await model.predict(sound(length)))).toBeCloseTo(lastWindowOf(length));
    }
    expect(model.stats().requests.failed).toBe(0);
  });

  it("runs at the rounded size from handlers", async () => {
    const site = handledSite(() => ({
      preprocess: (length: number) => ({ audio: sound(length) }),
      postprocess: (outputs: Outputs) => loudestOf(outputs),
    }));
    const options = {
      ...LOUDEST,
      ...ROUNDED,
      batching: false,
      cache: false,
      worker: () => new Worker("unused"),
    } as const;
    await using model = await createHandledModelAt<number, number>(site, keepSource(WINDOWS), options, site);
    for (const length of LENGTHS) expect(await model.predict(length)).toBeCloseTo(lastWindowOf(length));
  });

  it("is sent to a server at the rounded size", async () => {
    const server = await InferenceServer.start(WINDOWS);
    try {
      await using model = await createRemoteModel(server.url, { model: "digits", batching: false, ...ROUNDED });
      for (const length of LENGTHS) {
        expect(loudestOf(await model.predict(sound(length)))).toBeCloseTo(lastWindowOf(length));
      }
    } finally {
      await server.close();
    }
  });

  it("is rejected if the model rejects the rounded size too", async () => {
    const padding = { audio: { multipleOf: 7 } };
    await using model = await modelInNode(WINDOWS, { ...LOUDEST, padding, batching: false });
    await expect(model.predict(sound(500))).rejects.toMatchObject({ code: "INFERENCE_FAILED" });
  });
});

it("samples of sizes that the model rejects are compared at their rounded sizes", async () => {
  const samples = LENGTHS.map((length, index) => ({ audio: sound(length).map((value) => value * (index + 1)) }));
  const verify = { budgetMs: 600_000 };
  await using model = await modelInNode(WINDOWS, { ...LOUDEST, ...ROUNDED, samples, verify });
  expect(model.stats()).toMatchObject({ batchCheck: { outcome: "passed" } });
});
