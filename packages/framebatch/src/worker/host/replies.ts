import { decodeError, encodeError } from "../../core/error-data.js";
import { errorTraits, type FramebatchError } from "../../core/errors.js";
import type { FailedReply, LoadedModel } from "../../transport/protocol.js";
import { isSameWay } from "../../core/providers.js";
import type { ModelFiles } from "../files/model-files.js";
import type { ChosenWay } from "../session/chosen-way.js";
import type { FeedsReply } from "../session/feeds-reply.js";
import type { Backend } from "../session/trial.js";

/** Describes a loaded model to the page. */
export function describeModel(
  { signature, padding, provider, adapter, warmedUp, known: { costs }, batchCheck, isRebatched }: Backend,
  { request: { numThreads }, known: ways, offered }: ChosenWay,
  { totalBytes: modelBytes, fromCache }: ModelFiles,
): LoadedModel {
  const { timings, maxRows, isProvisional } = warmedUp;
  const otherWays = offered.filter((way) => !isSameWay(way, { provider, numThreads }));
  const place = { provider, adapter, numThreads, otherWays, ways, modelBytes, fromCache };
  return { ...place, signature, padding, timings, costs, batchCheck, isRebatched, isProvisional, maxRows };
}

/** Returns true if the error would occur with every other provider too. */
export function isFinal({ code }: FramebatchError): boolean {
  const { scope } = errorTraits(code);
  return scope === "model" || scope === "call";
}

/** Returns a successful reply. @throws the error of a failed one */
export function okay(reply: FeedsReply): Extract<FeedsReply, { readonly ok: true }> {
  if (reply.ok) return reply;
  throw decodeError(reply.error);
}

/** Returns the reply of a run that has failed. @param fatal whether the worker can run nothing any more */
export function failedReply(error: FramebatchError, fatal: boolean): FailedReply {
  return { ok: false, error: encodeError(error), fatal };
}
