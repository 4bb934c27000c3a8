import { decodeError, encodeError } from "@framebatch/batcher/errors/error-data.js";
import { errorTraits } from "@framebatch/batcher/errors/error-codes.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { FailedReply, LoadedModel, RowsAnswer, RowsRequest } from "../../transport/protocol.js";
import { isSameWay, type ProviderCheck, type Way } from "../../transport/providers.js";
import { supports } from "../../transport/runtime-builds.js";
import { withoutStates } from "@framebatch/rows/model/recurrence.js";
import { paddingWithoutStates } from "@framebatch/rows/padding/padding-plan.js";
import type { ModelFiles } from "../files/model-files.js";
import type { ChosenWay } from "../../ways/worker/chosen-way.js";
import type { FeedsReply } from "../session/feeds-reply.js";
import type { Backend } from "../session/trial.js";
import { buffersIn } from "@framebatch/rows/collate/sent-rows.js";
import type { Sent } from "../../transport/transport.js";

/** Describes a loaded model to the page. */
export function describeModel(
  { provider, adapter, warmedUp, known: { costs }, batchCheck, isRebatched, ...backend }: Backend,
  { request: { numThreads, isNearGpu = false }, known: ways, offered }: ChosenWay,
  { totalBytes: modelBytes, fromCache, accepted: { plainOperator } }: ModelFiles,
  providerCheck: ProviderCheck,
): LoadedModel {
  const { timings, maxRows, isProvisional } = warmedUp;
  const runs = (way: Way) => plainOperator === null || supports("wasm", way.provider);
  const otherWays = offered.filter((way) => runs(way) && !isSameWay(way, { provider, numThreads }));
  const place = { provider, adapter, numThreads, otherWays, isNearGpu, ways, modelBytes, fromCache };
  const signature = withoutStates(backend);
  const padding = paddingWithoutStates(backend.padding, backend.states);
  const states = backend.states.map(({ input }) => input);
  return {
    ...place,
    signature,
    padding,
    states,
    timings,
    costs,
    batchCheck,
    providerCheck,
    isRebatched,
    isProvisional,
    maxRows,
  };
}

/** Returns true if the error would occur with every other provider too. */
export function isFinal({ code }: FramebatchError): boolean {
  const { scope } = errorTraits(code);
  return scope === "model" || scope === "call";
}

/** Returns a successful reply. @throws the error of a failed one */
export function successOf(reply: FeedsReply): Extract<FeedsReply, { readonly ok: true }> {
  if (reply.ok) return reply;
  throw decodeError(reply.error);
}

/** Returns the reply of a run that has failed. @param fatal whether the worker can run nothing any more */
export function failedReply(error: FramebatchError, fatal: boolean): FailedReply {
  return { ok: false, error: encodeError(error), fatal };
}

/** Returns the reply of a run before a model is loaded. */
export function notLoaded(): FailedReply {
  return failedReply(new FramebatchError("INFERENCE_FAILED", "expected a loaded model, got none"), true);
}

/** The reply to a `RowsRequest`. */
export type RowsReply = RowsAnswer | FailedReply;

/** Gives the rows of a failed run back. */
export function returned(reply: FailedReply, { rows }: RowsRequest): Sent<RowsReply> {
  return { reply: { ...reply, returned: rows }, transfer: buffersIn(rows) };
}
