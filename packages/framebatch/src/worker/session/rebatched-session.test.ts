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
async function batchCheckOf(refused: number) {
  vi.stubGlobal("navigator", { onLine: true });
  const create = ort.InferenceSession.create.bind(ort.InferenceSession);
  let made = 0;
  vi.spyOn(ort.InferenceSession, "create").mockImplementation(async (bytes: Uint8Array, options) => {
    if (++made === refused) throw new Error("std::bad_alloc");
    return create(bytes, options);
  });
  const blob = new Blob([generateModel("separate-peak-of-row-fixed-1").bytes]);
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
