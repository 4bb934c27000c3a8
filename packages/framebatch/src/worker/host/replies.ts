import { decodeError, encodeError, type FramebatchError } from "../../core/errors.js";
import type { FailedReply, WholeReply } from "../../transport/protocol.js";
import type { Backend } from "../session/trial.js";

/** Describes a loaded model to the page. */
export function describeModel({
  signature,
  padding,
  provider,
  adapter,
  warmedUp,
  known,
  batchCheck,
  isRebatched,
}: Backend) {
  const { timings, maxRows, isProvisional } = warmedUp;
  const { costs } = known;
  return { signature, padding, provider, adapter, timings, costs, batchCheck, isRebatched, isProvisional, maxRows };
}

/** Returns a successful reply. @throws the error of a failed one */
export function okay(reply: WholeReply): Extract<WholeReply, { readonly ok: true }> {
  if (reply.ok) return reply;
  throw decodeError(reply.error);
}

/** Returns the reply of a run that has failed. @param fatal whether the worker can run nothing any more */
export function failedReply(error: FramebatchError, fatal: boolean): FailedReply {
  return { ok: false, error: encodeError(error), fatal };
}
