import { generateModel } from "@framebatch/models/generate";
import * as ort from "onnxruntime-web/wasm";
import { afterEach, expect, it, vi } from "vitest";
import { LOAD_REQUEST } from "../../../test/support/scripted-plan.js";
import { SessionHost } from "../host/session-host.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Loads a model with a fixed batch of one. @param refused the number of the session for which there is no memory */
async function batchCheckOf(refused: number, model = "separate-peak-of-row-fixed-1") {
  vi.stubGlobal("navigator", { onLine: true });
  const create = ort.InferenceSession.create.bind(ort.InferenceSession);
  let made = 0;
  vi.spyOn(ort.InferenceSession, "create").mockImplementation(async (bytes: Uint8Array, options) => {
    if (++made === refused) throw new Error("std::bad_alloc");
    return create(bytes, options);
  });
  const blob = new Blob([generateModel(model).bytes]);
  const files = { location: { blob, sha256: null }, externalData: [], variants: [] };
  const options = { providers: ["wasm"] as const, rebatch: true, verifyBudgetMs: 600_000, maxBatchSize: 16 };
  const { reply } = await new SessionHost(() => undefined).load({ ...LOAD_REQUEST, ...files, ...options });
  if (reply.outcome !== "ready") throw new Error(JSON.stringify(reply));
  return reply.model.batchCheck;
}

it("a model that can be rewritten runs in batches", async () => {
  expect(await batchCheckOf(Infinity)).toMatchObject({ outcome: "passed" });
});

it("a lack of memory for the rewritten model is no verdict about its rows, which would be stored", async () => {
  // The first session is a minimal one, the second that of the model.
  expect(await batchCheckOf(3)).toMatchObject({ outcome: "skipped", reason: expect.stringContaining("memory") });
});

const COULD_NOT = "the model takes one item at a time, and could not be rewritten to take more:";

it.each([
  {
    model: "fixed-1-sums",
    reason: `${COULD_NOT} the model works across the batch: ReduceSum "ReduceSum_0"`,
  },
  {
    model: "whole-boxes-fixed-1",
    reason: `${COULD_NOT} output "detections" has a size that all items of a batch decide together (NonMaxSuppression "NonMaxSuppression_7"), and each would get all of it`,
  },
  {
    model: "fixed-1-first-row",
    reason: `${COULD_NOT} generated items answer otherwise in a batch than alone: output "y": expected 4 rows on axis 0, got [1, 4]; export it with a dynamic batch dimension`,
  },
])(
  "a model that is not rewritten says why, and what helps if another export does: $model",
  async ({ model, reason }) => {
    expect(await batchCheckOf(Infinity, model)).toEqual({ outcome: "failed", reason, fromCache: false });
  },
);
