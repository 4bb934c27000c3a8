import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import { outputNames } from "@framebatch/rows/model/signature.js";
import type { DeviceTensors } from "../session/device-tensors.js";
import { nextTask } from "../ort/next-task.js";
import { fromOutputs, toFeeds } from "../ort/tensor-bridge.js";
import { rowsIn } from "../samples/items.js";
import type { FeedsReply } from "../session/feeds-reply.js";
import type { Backend } from "../session/trial.js";

/** Runs feeds on the session of a model. @throws the errors of ONNX Runtime */
export async function runSession(
  { runtime, device, signature, session, original }: Backend,
  feeds: Readonly<Record<string, Tensor>>,
  { inputs, outputs }: DeviceTensors,
): Promise<Extract<FeedsReply, { readonly ok: true }>> {
  const isAlone = original !== null && rowsIn(signature, { ...feeds, ...inputs }) === 1;
  const chosen = isAlone ? original : session;
  const startedAtMs = performance.now();
  const all = { ...toFeeds(runtime, feeds), ...inputs };
  const results = await chosen.run(all, outputs ?? outputNames(signature));
  // Outputs read back from a lost device are invalid. The event that reports the loss may still be queued.
  if (device !== null) await nextTask();
  return { ok: true, outputs: fromOutputs(results), inferenceMs: performance.now() - startedAtMs };
}
