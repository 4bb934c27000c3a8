import * as ort from "onnxruntime-web/wasm";
import { planStates, type StatesByInput } from "@framebatch/rows/model/recurrence.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import type { BatchAxisOverrides, ModelSignature } from "@framebatch/rows/model/signature.js";
import { planPadding, type PaddingByInput } from "@framebatch/rows/padding/padding-plan.js";
import type { CheckSubject } from "../../src/verification/worker/batch-check.js";
import { flowsIn, readGraph } from "../../src/worker/graph/graph-reading.js";
import { rebatch } from "../../src/worker/graph/rebatch.js";
import type { RunFeeds } from "../../src/verification/worker/check-runs.js";
import { fromOutputs, toFeeds } from "../../src/worker/ort/tensor-bridge.js";

export interface SubjectOptions {
  readonly batchAxis?: BatchAxisOverrides;
  readonly padding?: PaddingByInput;
  readonly recurrent?: StatesByInput;
}

/**
 * Calls `use` with the inputs of a check of this model, and then releases its sessions. A model whose batch is fixed at
 * 1 is rewritten first.
 *
 * @throws Error when the model cannot be rewritten, or the rewritten model cannot be loaded.
 */
export async function withSubject<Result>(
  bytes: Uint8Array,
  use: (subject: CheckSubject) => Promise<Result>,
  options: SubjectOptions = {},
): Promise<Result> {
  const original = await ort.InferenceSession.create(bytes);
  const sessions = [original];
  try {
    const own = resolveSignature(original.inputMetadata, original.outputMetadata, options.batchAxis);
    if (own.fixedBatch !== 1) return await use(subjectOf(bytes, own, original, original, options));
    const rewritten = rebatch(bytes, own);
    if ("refused" in rewritten) throw new Error(rewritten.refused);
    const session = await ort.InferenceSession.create(rewritten.bytes);
    sessions.push(session);
    return await use(subjectOf(rewritten.bytes, rewritten.signature, original, session, options));
  } finally {
    for (const session of sessions) await session.release();
  }
}

function subjectOf(
  bytes: Uint8Array,
  signature: ModelSignature,
  alone: ort.InferenceSession,
  batch: ort.InferenceSession,
  { padding, recurrent }: SubjectOptions,
): CheckSubject {
  return {
    signature,
    padding: planPadding(signature, padding),
    states: planStates(signature, recurrent),
    provider: "wasm",
    guesses: [16, 64, 1],
    most: signature.fixedBatch ?? 64,
    wide: signature.fixedBatch ?? 16,
    graph: readGraph(flowsIn(bytes, signature.inputs), signature),
    runAlone: runOn(alone),
    runBatch: runOn(batch),
  };
}

function runOn(session: ort.InferenceSession): RunFeeds {
  return async (feeds) => fromOutputs(await session.run(toFeeds(ort, feeds)));
}
