import type { LoadReply, RunReply } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";

type Failure = Extract<LoadReply, { readonly outcome: "failed" }> | Extract<RunReply, { readonly ok: false }>;

/** Returns a failure for lack of memory with what may have caused it: the limit of the group. @param maxBytes `null`: none */
export function withLimit<Reply extends LoadReply | RunReply>(sent: Sent<Reply>, maxBytes: number | null): Sent<Reply> {
  const { reply, transfer } = sent;
  if (maxBytes === null || !isFailure(reply) || reply.error.code !== "OUT_OF_MEMORY") return sent;
  const fix = `the group has maxMemoryBytes: ${maxBytes}; raise it, or dispose of other models`;
  return { reply: { ...reply, error: { ...reply.error, message: `${reply.error.message}; ${fix}` } }, transfer };
}

function isFailure(reply: LoadReply | RunReply): reply is Failure {
  return "error" in reply;
}
